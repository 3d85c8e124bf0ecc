"""Architecture, words, settings, commands, operations and decisions, and what writes the generated parts."""
