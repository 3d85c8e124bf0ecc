"""One of Groq's models, asked to fill in a form or to write: retries, token counts and errors are dealt with here."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeAlias, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_groq import ChatGroq
from pydantic import BaseModel

from bot.models.groq.errors import (
    FAILURES,
    CallError,
    LateError,
    RequestTooLargeError,
    UnreadableError,
    in_our_words,
)
from bot.models.groq.forms import AS_OBJECT, Forms, Schema, object_in, strict, with_schema
from bot.models.groq.limits import Limits
from bot.models.groq.plan import Plan
from bot.models.groq.retries import RetryPolicy
from bot.models.groq.thoughts import DraftCutError, Stripping, Thinking, readable, without_thoughts
from bot.models.groq.usage import Role, Usage, read_usage
from graph.context import TextCutError
from prompts import Prompt

LONGEST_TEXT = 80_000
"""Characters after which a model that does not end is not read on."""

Form = TypeVar("Form", bound=BaseModel)
Begun: TypeAlias = tuple[AIMessageChunk, AsyncIterator[AIMessageChunk]]
"""A stream's first piece of text, and the rest."""


@dataclass(frozen=True, kw_only=True)
class GroqModel:
    """A model in its role, at Groq or at a server that speaks the same protocol."""

    role: Role
    chat: ChatGroq
    limits: Limits
    retries: RetryPolicy
    plan: Plan = field(default_factory=Plan)
    forms: Forms = field(default_factory=Forms)
    thinking: Thinking = field(default_factory=Thinking)
    count: Callable[[Usage], None]

    async def fill(self, form: type[Form], prompt: Prompt, material: dict[str, str], *, schema: Schema) -> Form:
        """Ask for a `form` by its JSON schema; raise `CallError` if none comes back in time."""
        messages = _messages(prompt, material)
        room = self.limits.longest_form_tokens
        async with _in_time(self.limits.form_seconds):
            try:
                return await self._filled(form, prompt, messages, schema, room)
            except UnreadableError as unreadable:
                # Some servers take a schema and ignore it.
                self.forms.ignores_schema()
                try:
                    # Once more, with room for what may have been cut.
                    return await self._filled(form, prompt, messages, schema, 2 * room)
                except CallError:
                    raise unreadable from None

    async def _filled(
        self, form: type[Form], prompt: Prompt, messages: list[BaseMessage], schema: Schema, room: int
    ) -> Form:
        started = monotonic()
        said = await self._said(prompt.name, messages, schema, room)
        self._count(said.usage_metadata, prompt, started)
        try:
            return form.model_validate_json(object_in(without_thoughts(readable(said.text))))
        except ValueError as error:
            raise UnreadableError from error

    async def _said(self, name: str, messages: list[BaseMessage], schema: Schema, room: int) -> AIMessage:
        if self.forms.knows_schema:
            try:
                return await self.retries.call(lambda: _ask(self.chat, messages, strict(name, schema), room))
            except CallError as refused:
                if not self.forms.does_without(refused.status):
                    raise
                refusal = refused.status
        else:
            refusal = 0
        told = with_schema(messages, schema)
        said = await self.retries.call(lambda: _ask(self.chat, told, AS_OBJECT, room))
        self.forms.was_answered_without(refusal)
        return said

    async def write(
        self, prompt: Prompt, material: dict[str, str], *, first_word_seconds: float | None = None
    ) -> AsyncIterator[str]:
        """Yield text as it comes, without thoughts; raise `CallError` before the first piece.

        After it, raise `DraftCutError` where the model breaks off, and `TextCutError` where its room was used up.
        """
        messages = _messages(prompt, material)
        started = monotonic()
        async with _in_time(min(first_word_seconds or self.limits.first_word_seconds, self.limits.first_word_seconds)):
            first, rest = await self.retries.call(lambda: self._begin(messages))
        ending, stripping = _Ending(), Stripping(self.thinking)
        try:
            async for chunk in _without_silences(first, rest, self.limits.silence_seconds):
                if text := stripping.feed(ending.after(chunk)):
                    yield text
        except (*FAILURES, TimeoutError) as error:
            raise DraftCutError("The language model broke off in the middle.") from error
        finally:
            await _close(rest)
        if text := stripping.rest():
            yield text
        ending.check()
        self._count(ending.usage, prompt, started)

    async def _begin(self, messages: list[BaseMessage]) -> Begun:
        room = self._room()
        try:
            return await _begin(self.chat, messages, room)
        except RequestTooLargeError:
            # Groq counts the room for an answer as if it were used; hardly any answer needs all of it.
            self.plan.refuse(self.chat.model_name, room)
            if self._room() >= room:
                raise
            return await _begin(self.chat, messages, self._room())

    def _room(self) -> int:
        return self.plan.room(self.chat.model_name, self.limits.longest_answer_tokens)

    def _count(self, usage: UsageMetadata | None, prompt: Prompt, started: float) -> None:
        seconds = monotonic() - started
        self.count(read_usage(usage, model=self.chat.model_name, role=self.role, prompt=prompt.name, seconds=seconds))


@dataclass
class _Ending:
    """How a stream ends, as its chunks tell."""

    reason: str = ""
    usage: UsageMetadata | None = None
    length: int = 0

    def after(self, chunk: AIMessageChunk) -> str:
        """Note what `chunk` tells and return its text."""
        self.reason = chunk.response_metadata.get("finish_reason", self.reason)
        self.usage = chunk.usage_metadata or self.usage
        self.length += len(chunk.text)
        if self.length > LONGEST_TEXT:
            raise TextCutError("The language model does not come to an end.")
        return chunk.text

    def check(self) -> None:
        """Raise `TextCutError` where there was no room for more, `DraftCutError` where it ended otherwise."""
        if self.reason == "length":
            raise TextCutError("The language model had no room for more.")
        if self.reason != "stop":
            raise DraftCutError("The language model stopped before the end.")


def _messages(prompt: Prompt, material: dict[str, str]) -> list[BaseMessage]:
    return [SystemMessage(prompt.system), HumanMessage(prompt.render(**material))]


@asynccontextmanager
async def _in_time(seconds: float) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise LateError from error


async def _without_silences(
    first: AIMessageChunk, rest: AsyncIterator[AIMessageChunk], seconds: float
) -> AsyncIterator[AIMessageChunk]:
    """Yield the chunks; raise `TimeoutError` where none comes for too long, however the line is kept alive."""
    yield first
    ended = False
    while not ended:
        async with asyncio.timeout(seconds):
            chunk = await anext(rest, None)
            while chunk is not None and not (chunk.text or chunk.response_metadata or chunk.usage_metadata):
                chunk = await anext(rest, None)
        ended = chunk is None
        if chunk is not None:
            yield chunk


async def _ask(chat: ChatGroq, messages: list[BaseMessage], wanted: Schema, room: int) -> AIMessage:
    with in_our_words():
        return await chat.ainvoke(messages, response_format=wanted, max_tokens=room)


async def _begin(chat: ChatGroq, messages: list[BaseMessage], longest_tokens: int) -> Begun:
    chunks = chat.astream(messages, max_tokens=longest_tokens)
    with in_our_words():
        async for chunk in chunks:
            if chunk.text:
                return chunk, chunks
    raise CallError("The language model said nothing.")


async def _close(chunks: AsyncIterator[AIMessageChunk]) -> None:
    # The connection is given back at once, also where nobody reads to the end.
    if isinstance(chunks, AsyncGenerator):
        await chunks.aclose()
