"""The Slack side: what payloads mean, what answers look like, how they get there."""
