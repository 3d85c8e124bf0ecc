"""From the events of a run to one live message."""
