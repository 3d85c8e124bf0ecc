"""Nodes that talk with people: what a message means, and what only a person can say or allow."""
