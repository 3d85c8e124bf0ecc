"""Whether Slack would take some blocks."""
