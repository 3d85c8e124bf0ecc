"""What Slack's protocol says: Web API, Socket Mode, events, interactions, limits, faults."""
