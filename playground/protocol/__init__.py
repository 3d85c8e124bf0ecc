"""Slack's protocol: Web API, Socket Mode, events, interactions, rate limits, injected faults."""
