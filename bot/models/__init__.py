"""Adapters for the graph's model ports, offline and Groq."""
