"""The commands for what the bot knows: sources, places, and verified answers."""
