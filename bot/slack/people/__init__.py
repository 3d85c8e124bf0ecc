"""Whom Slack names: who may ask, decide and read."""
