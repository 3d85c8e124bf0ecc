"""Groq behind the model ports: one client, two named models, and an adapter for each port."""
