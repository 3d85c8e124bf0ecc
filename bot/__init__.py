"""How Askback lives in the world: Slack, inbox, database, knowledge, models, settings, wiring, command line."""
