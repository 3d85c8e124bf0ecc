"""Groq's completions, with streams that give their connection back as soon as nobody reads on.

The library's own stream refers to itself, so that one that is left in the middle holds its connection, and the model
its pen, until the garbage collector comes by.
"""

from collections.abc import AsyncIterator
from typing import Any

from groq import AsyncStream
from groq.resources.chat.completions import AsyncCompletions
from groq.types.chat import ChatCompletion, ChatCompletionChunk


class ClosingCompletions:
    """What `ChatGroq` calls in place of the library's completions."""

    def __init__(self, completions: AsyncCompletions) -> None:
        self._completions = completions

    async def create(self, **request: Any) -> ChatCompletion | AsyncIterator[ChatCompletionChunk]:
        """Return a completion or the chunks of one."""
        answer = await self._completions.create(**request)
        return answer if isinstance(answer, ChatCompletion) else _closing(answer)


async def _closing(stream: AsyncStream[ChatCompletionChunk]) -> AsyncIterator[ChatCompletionChunk]:
    async with stream:
        async for chunk in stream:
            yield chunk
