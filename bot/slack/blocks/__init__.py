"""What people see in Slack, made from plain values (pure)."""
