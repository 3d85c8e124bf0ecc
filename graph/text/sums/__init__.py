"""Sums that are written in a text."""
