"""How long and how much a model may take (pure)."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a call may take; a model on one's own machine needs more time."""

    longest_answer_tokens: int = 10_000
    longest_form_tokens: int = 800
    form_seconds: float = 5.0
    """What a form may take with all its attempts: a person waits, and the rules that take over are quicker."""
    first_word_seconds: float = 10.0
    silence_seconds: float = 8.0
    """Between two pieces of text."""
    timeout_seconds: float = 12.0
    """The longest silence of a connection."""
