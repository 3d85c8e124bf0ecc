"""Turns and clicks, from being stored to being done."""
