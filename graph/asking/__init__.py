"""When to ask back, which options to offer, and what a reply means (pure)."""
