"""What the bot asks people: questions back, approvals, reviews, and questions that an answer offers."""
