"""Embedding models of providers and of one's own servers, by LangChain's clients."""
