"""Answers made of the documents' own sentences."""
