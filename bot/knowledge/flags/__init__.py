"""Flagged documents: what readers object to, and whom it concerns."""
