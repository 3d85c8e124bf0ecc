"""Words, names, versions and fixed sentences: what text means without a model (pure)."""
