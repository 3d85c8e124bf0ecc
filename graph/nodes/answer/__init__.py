"""Nodes that write an answer, check it, and end the run with it."""
