"""What happens when time has passed: reminders, expiries, pruning."""
