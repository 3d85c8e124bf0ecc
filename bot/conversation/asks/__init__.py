"""Questions that the bot asks back: cards, choices, changed choices, and remembered preferences."""
