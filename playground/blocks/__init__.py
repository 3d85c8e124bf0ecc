"""Checks whether Slack would accept blocks."""
