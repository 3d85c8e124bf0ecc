"""The time and the tokens that a model may use: by the settings, and by the provider's grant (pure).

Groq counts the prompt and the tokens reserved for its answer beforehand, so it refuses a large reservation on a small
plan. A model on one's own machine has a small context, which prompt and answer share.
"""

from dataclasses import dataclass
from typing import Final

SHORT_ANSWER_TOKENS: Final = 2000
"""Tokens for an answer if the plan is small or unknown: with a full prompt, 8,000 tokens a minute suffice."""
_FEWEST: Final = 500
_PLENTY: Final = 4
"""A plan is large if it grants this many answers of the longest kind in a minute."""


@dataclass(frozen=True, kw_only=True)
class CallLimits:
    """The limits of a call. A model on one's own machine needs more time."""

    longest_answer_tokens: int = 10_000
    longest_form_tokens: int = 800
    form_seconds: float = 5.0
    """For a form with all its attempts: a person waits, and the rules that take over are quicker."""
    first_word_seconds: float = 10.0
    silence_seconds: float = 8.0
    """Between two pieces of text."""
    timeout_seconds: float = 12.0
    """The longest silence of a connection."""


class Plan:
    """The tokens that each model of one account grants in a minute, learnt from responses."""

    def __init__(self, *, counts_room: bool = True) -> None:
        self._counts_room = counts_room
        self._limits: dict[str, int] = {}
        self._most: dict[str, int] = {}

    def grant(self, model: str, tokens: int) -> None:
        """Record the limit in a response."""
        self._limits[model] = tokens

    def refuse(self, model: str, asked: int) -> None:
        """Record that a reservation was too large."""
        self._most[model] = SHORT_ANSWER_TOKENS if asked > SHORT_ANSWER_TOKENS else max(asked // 2, _FEWEST)

    def room(self, model: str, longest: int) -> int:
        """Return the tokens to reserve for an answer of at most `longest` tokens."""
        if not self._counts_room:
            return min(longest, self._most.get(model, longest))
        # Before the model's first response, use the limit of another model of the account.
        limit = self._limits.get(model, min(self._limits.values(), default=0))
        room = longest if limit >= _PLENTY * longest else min(SHORT_ANSWER_TOKENS, longest)
        return min(room, self._most.get(model, room))
