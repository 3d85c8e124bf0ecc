"""The state of the local Slack: people, channels, messages, streams, files."""
