"""What it took to end a question: time, calls to models, searches, rounds (pure)."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The effort of a result."""

    seconds: float = 0.0
    calls: int = 0
    """To language models."""
    tokens: int = 0
    """In and out."""
    searches: int = 0
    retries: int = 0
    """Rounds from evidence to draft after the first."""


NOTHING: Final = Effort()
