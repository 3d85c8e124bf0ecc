"""What Slack's profiles say of the people who ask."""
