"""What people contribute to knowledge, messages and answers: the words that Slack and knowledge share."""
