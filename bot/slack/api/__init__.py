"""Slack's Web API: our tokens and sockets, calls and their shared pace, and tasks in the background."""
