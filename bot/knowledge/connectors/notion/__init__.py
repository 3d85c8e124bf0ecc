"""Pages of Notion: all that one connection (Notion's name for a token) may read."""
