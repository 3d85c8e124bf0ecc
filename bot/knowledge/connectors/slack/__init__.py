"""A channel of Slack: what its people said to each other, a thread as a document."""
