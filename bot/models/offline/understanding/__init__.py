"""Understands a turn by rules, without a language model."""
