"""From a Slack payload to an input that is stored before Slack is answered."""
