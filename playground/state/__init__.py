"""The local Slack as plain state: people, channels, messages, streams, files."""
