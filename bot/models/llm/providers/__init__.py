"""The providers of language models: one module for each. Its library is imported only if it is configured."""
