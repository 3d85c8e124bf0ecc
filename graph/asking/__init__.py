"""When to ask back, which options to offer, and what replies and wishes mean (pure)."""
