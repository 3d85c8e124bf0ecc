"""How Askback lives in the world: conversation, Slack, PostgreSQL, knowledge, models, command line."""
