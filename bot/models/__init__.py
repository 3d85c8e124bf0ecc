"""Adapters for the graph's model ports: language models, and rules that need no model."""
