"""Slack's Web API: calls, their pace and their shared budget."""
