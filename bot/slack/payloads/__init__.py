"""What Slack sends and what it means, and what our buttons carry (pure)."""
