"""What Slack sends, and what it means (pure)."""
