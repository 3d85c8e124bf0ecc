"""Understands a turn by a language model: the form that it fills in, and the checks of the filled-in form."""
