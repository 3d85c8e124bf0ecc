"""What people see of what they contribute: messages added to knowledge, kept answers, flagged documents."""
