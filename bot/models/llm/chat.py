"""A chat model of LangChain's, how its provider differs from the others, and the seam where its errors become ours."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from ssl import SSLContext
from typing import Any, Final, TypeAlias

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bot.models.llm.errors import CallError, explain
from bot.models.llm.limits import Plan
from bot.models.llm.thoughts import DraftCutError

Arguments: TypeAlias = dict[str, Any]
"""Of a call to a chat model."""
Begun: TypeAlias = tuple[AIMessageChunk, AsyncGenerator[AIMessageChunk]]
"""A stream's first piece of text, and the rest."""

AS_OBJECT: Final[Arguments] = {"response_format": {"type": "json_object"}}
"""Asks for any JSON object."""


@cache
def authorities() -> SSLContext:
    """Return who may vouch for a server: reading them takes longer than many a call."""
    return httpx.create_ssl_context()


def max_tokens(room: int) -> Arguments:
    """Return how most providers are told how much to write at most."""
    return {"max_tokens": room}


def composed(model: BaseChatModel, thinks_little: Arguments) -> Arguments:
    """Return what makes a model quick and composed: little thought if it thinks, else a temperature of 0."""
    profile = model.profile or {}
    if "low" in (profile.get("reasoning_effort_levels") or ()):
        return thinks_little
    return {} if profile.get("temperature") is False else {"temperature": 0}


@dataclass(frozen=True, kw_only=True)
class Chat:
    """One model at one provider."""

    name: str
    """As the provider calls it."""
    model: BaseChatModel = field(repr=False)
    """Its representation may hold the key."""
    plan: Plan = field(default_factory=Plan)
    may_do_without_schema: bool = True
    """False: the provider knows schemas, so a request that it refuses is wrong."""
    as_object: Arguments = field(default_factory=lambda: AS_OBJECT)
    """How it is asked for any JSON object; empty if it does not know that."""
    room: Callable[[int], Arguments] = max_tokens
    options: Arguments = field(default_factory=dict[str, Any])
    """What goes with every call."""

    async def ask(self, messages: list[BaseMessage], wanted: Arguments, tokens: int) -> AIMessage:
        """Return a whole answer of at most so many tokens; raise `CallError`."""
        with _in_our_words():
            return await self.model.ainvoke(messages, **self.options, **wanted, **self.room(tokens))

    async def begin(self, messages: list[BaseMessage], tokens: int) -> Begun:
        """Return the first piece of text and the rest; raise `CallError` before it, the rest `DraftCutError`."""
        chunks = self.model.astream(messages, **self.options, **self.room(tokens))
        with _in_our_words():
            async for chunk in chunks:
                if chunk.text:
                    return chunk, _rest(chunks)
        raise CallError("The language model said nothing.")


@contextmanager
def _in_our_words() -> Generator[None]:
    try:
        yield
    except Exception as error:  # Only libraries run here, and an answer that is none makes them raise anything.
        raise explain(error) from error


async def _rest(chunks: AsyncIterator[AIMessageChunk]) -> AsyncGenerator[AIMessageChunk]:
    try:
        async for chunk in chunks:
            yield chunk
    except Exception as error:
        raise DraftCutError("The language model broke off in the middle.") from error
    finally:
        # The connection is given back at once, also if nobody reads to the end.
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
