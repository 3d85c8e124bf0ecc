"""Reading text without a model: words, names, values, languages (pure)."""
