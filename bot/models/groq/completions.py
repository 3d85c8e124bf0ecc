"""Groq's completions, with streams that give their connection back as soon as nobody reads on.

The library's own stream refers to itself, so that one that is left in the middle holds its connection, and the model
its pen, until the garbage collector comes by.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias

from groq import AsyncStream
from groq.types.chat import ChatCompletion, ChatCompletionChunk

Create: TypeAlias = Callable[..., Awaitable[ChatCompletion | AsyncStream[ChatCompletionChunk]]]


class ClosingCompletions:
    """What `ChatGroq` calls in place of the library's completions."""

    def __init__(self, create: Create) -> None:
        self._create = create

    async def create(self, **request: Any) -> ChatCompletion | AsyncIterator[ChatCompletionChunk]:
        """Return a completion or the chunks of one."""
        answer = await self._create(**request)
        return _closing(answer) if isinstance(answer, AsyncStream) else answer


async def _closing(stream: AsyncStream[ChatCompletionChunk]) -> AsyncIterator[ChatCompletionChunk]:
    async with stream:
        async for chunk in stream:
            yield chunk
