"""The application around the graph: conversation, Slack, PostgreSQL, knowledge, models, command line."""
