"""The vectors of passages, and how a workspace changes from one embedding model to another."""
