"""Channel modes: questions for which nobody called the bot."""
