"""Answers that one person alone may read, and sharing them in the channel of their question."""
