"""Slack: turns payloads into inputs, and the events of a run into messages."""
