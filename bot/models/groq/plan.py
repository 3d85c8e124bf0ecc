"""What a plan grants: how many tokens a minute each model takes, as the provider says it in its headers.

Groq counts a prompt and the room reserved for its answer beforehand, so a large room is refused on a small plan.
"""

import json
from typing import Final

import httpx

SHORT_ANSWER_TOKENS: Final = 2000
"""Room for an answer where nothing is known of the plan, or it is small: with a full prompt, 8,000 a minute suffice."""
_FEWEST: Final = 500
_PLENTY: Final = 4
"""A plan is large if it grants so many answers of the longest kind a minute."""
_HEADER: Final = "x-ratelimit-limit-tokens"


class Plan:
    """The limits of one account, learnt as it is used."""

    def __init__(self) -> None:
        self._limits: dict[str, int] = {}
        self._most: dict[str, int] = {}

    async def note(self, response: httpx.Response) -> None:
        """Learn the limit that a response names."""
        limit = response.headers.get(_HEADER, "")
        if limit.isdigit():
            self._limits[_model_of(response.request)] = int(limit)

    def refuse(self, model: str, asked: int) -> None:
        """Remember that a room was too large."""
        self._most[model] = SHORT_ANSWER_TOKENS if asked > SHORT_ANSWER_TOKENS else max(asked // 2, _FEWEST)

    def room(self, model: str, longest: int) -> int:
        """Return the tokens to reserve for an answer that may be so long."""
        # Before a model was asked, another one tells of the account.
        limit = self._limits.get(model, min(self._limits.values(), default=0))
        room = longest if limit >= _PLENTY * longest else min(SHORT_ANSWER_TOKENS, longest)
        return min(room, self._most.get(model, room))


def _model_of(request: httpx.Request) -> str:
    try:
        return str(json.loads(request.content)["model"])
    except (ValueError, LookupError, TypeError, httpx.StreamError):
        return ""
