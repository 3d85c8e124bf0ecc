"""Groq's completions as plain JSON, with streams that give their connection back as soon as nobody reads on.

The library makes an object of each answer and of each chunk of one, which `ChatGroq` takes apart again: for a handful
of words that took longer than all else. So `ChatGroq` gets what came; the connection, errors and limits stay the
library's. Its own stream refers to itself, so that one that is left in the middle holds its connection, and the model
its pen, until the garbage collector comes by.
"""

from collections.abc import AsyncIterator
from typing import Any, Final, TypeAlias

from groq import AsyncGroq, AsyncStream

Json: TypeAlias = dict[str, Any]

_ONLY_GROQ: Final = frozenset({"service_tier"})
"""What `ChatGroq` always says, and what only Groq knows."""


class PlainCompletions:
    """What `ChatGroq` calls in place of the library's completions."""

    def __init__(self, client: AsyncGroq, path: str, *, is_groq: bool = True) -> None:
        self._client = client
        self._path = f"{path}/chat/completions"
        self._leaves_out: frozenset[str] = frozenset() if is_groq else _ONLY_GROQ

    async def create(self, **request: Any) -> Json | AsyncIterator[Json]:
        """Return a completion or the chunks of one; raise what the library raises."""
        is_stream = bool(request.get("stream"))
        # Some servers refuse a field that says null.
        body = {name: value for name, value in request.items() if value is not None and name not in self._leaves_out}
        answer: Any = await self._client.post(
            self._path, body=body, cast_to=object, stream=is_stream, stream_cls=AsyncStream[object]
        )
        return _closing(answer) if is_stream else answer


async def _closing(stream: AsyncStream[Json]) -> AsyncIterator[Json]:
    async with stream:
        async for chunk in stream:
            yield chunk
