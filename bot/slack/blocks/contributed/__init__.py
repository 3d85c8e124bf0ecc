"""What people see of what they contribute: messages added to knowledge, verified answers, flagged documents."""
