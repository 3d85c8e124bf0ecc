"""LangChain's chat model, the differences between providers, and the translation of their errors into ours."""

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
"""Keyword arguments of a call to a chat model."""
Begun: TypeAlias = tuple[AIMessageChunk, AsyncGenerator[AIMessageChunk]]
"""A stream's first piece of text, and the rest."""

AS_OBJECT: Final[Arguments] = {"response_format": {"type": "json_object"}}
"""Asks for any JSON object."""


@cache
def authorities() -> SSLContext:
    """Return the trusted certificates, cached: reading them takes longer than many a call."""
    return httpx.create_ssl_context()


def max_tokens(room: int) -> Arguments:
    """Return the argument with which most providers limit the length of an answer."""
    return {"max_tokens": room}


def composed(model: BaseChatModel, thinks_little: Arguments) -> Arguments:
    """Return the arguments for quick and steady answers: little reasoning if the model reasons, else temperature 0."""
    profile = model.profile or {}
    if "low" in (profile.get("reasoning_effort_levels") or ()):
        return thinks_little
    return {} if profile.get("temperature") is False else {"temperature": 0}


@dataclass(frozen=True, kw_only=True)
class Chat:
    """One model at one provider."""

    name: str
    """The provider's name for the model."""
    model: BaseChatModel = field(repr=False)
    """Its representation may hold the key."""
    plan: Plan = field(default_factory=Plan)
    may_do_without_schema: bool = True
    """If false, the provider knows schemas, so a refused request is wrong and is not sent again without one."""
    as_object: Arguments = field(default_factory=lambda: AS_OBJECT)
    """Arguments that ask for any JSON object; empty if the provider has none."""
    room: Callable[[int], Arguments] = max_tokens
    options: Arguments = field(default_factory=dict[str, Any])
    """Arguments of every call."""

    async def ask(self, messages: list[BaseMessage], wanted: Arguments, tokens: int) -> AIMessage:
        """Return a whole answer of at most `tokens` tokens. Raises `CallError`."""
        with _in_our_words():
            return await self.model.ainvoke(messages, **self.options, **wanted, **self.room(tokens))

    async def begin(self, messages: list[BaseMessage], tokens: int) -> Begun:
        """Return the first piece of text and the rest of the stream.

        Raises `CallError` before the first piece; the rest raises `DraftCutError`.
        """
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
    except Exception as error:  # Only libraries run here, and a malformed answer makes them raise any error.
        raise explain(error) from error


async def _rest(chunks: AsyncIterator[AIMessageChunk]) -> AsyncGenerator[AIMessageChunk]:
    try:
        async for chunk in chunks:
            yield chunk
    except Exception as error:
        raise DraftCutError("The language model broke off in the middle.") from error
    finally:
        # Return the connection at once, even if the caller stops reading early.
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
