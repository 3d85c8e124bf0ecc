"""Reading text without a model: words, names, versions, languages (pure)."""
