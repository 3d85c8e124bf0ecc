"""The Slack side: payloads become inputs, and the events of a run become messages."""
