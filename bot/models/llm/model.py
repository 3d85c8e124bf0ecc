"""A language model that fills in forms and writes, with retries, deadlines and token counts."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Final, Generic, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from pydantic import BaseModel

from bot.markup import storable
from bot.models.llm.chat import Begun, Chat
from bot.models.llm.errors import CallError, LateError, RequestTooLargeError, UnreadableError
from bot.models.llm.forms import (
    REFUSALS,
    Forms,
    Schema,
    Way,
    again,
    arguments_for,
    object_in,
    repeats_itself,
    with_schema,
)
from bot.models.llm.limits import CallLimits
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.thoughts import DraftCutError, Stripping, Thinking, without_thoughts
from bot.models.llm.usage import Role, Usage, read_usage
from graph.context import TextCutError
from prompts import Prompt

LONGEST_TEXT: Final = 80_000
"""The most characters that are read of an endless text."""
_REASONS: Final = ("finish_reason", "stop_reason", "done_reason")
"""Keys of the reason why a stream ended: OpenAI and Groq, Anthropic, Ollama."""
_ENDED: Final = frozenset({"stop", "end_turn", "stop_sequence"})
_NO_ROOM: Final = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_AGAIN_SECONDS: Final = 0.5
"""The time after a deadline at which a call that goes on is cancelled again."""

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class LanguageModel:
    """A model in its role, at any provider."""

    role: Role
    chat: Chat
    limits: CallLimits
    retries: RetryPolicy
    forms: Forms = field(default_factory=Forms)
    thinking: Thinking = field(default_factory=Thinking)
    count: Callable[[Usage], None]

    async def fill(self, form: type[Form], prompt: Prompt, material: dict[str, str], *, schema: Schema) -> Form:
        """Ask for a `form` by its JSON schema. Raises `CallError` if no valid form comes back in time."""
        asked = _Asked(form=form, prompt=prompt, messages=_messages(prompt, material), schema=schema)
        room = self.limits.longest_form_tokens
        async with in_time(self.limits.form_seconds):
            try:
                return await self._filled(asked, room)
            except UnreadableError as unreadable:
                self.forms.was_unreadable(unreadable.text, is_cut=unreadable.is_cut)
                if unreadable.is_cut and repeats_itself(unreadable.text):
                    raise
                try:
                    # Ask once more, with a higher token limit in case the answer was cut.
                    return await self._filled(asked, 2 * room, before=unreadable.text)
                except CallError:
                    raise unreadable from None

    async def _filled(self, asked: "_Asked[Form]", room: int, before: str = "") -> Form:
        started = monotonic()
        answer = await self._said(asked, room, before)
        self._count(answer.usage_metadata, asked.prompt, started)
        text = without_thoughts(storable(answer.text))
        try:
            return asked.form.model_validate_json(object_in(text))
        except ValueError as error:
            raise UnreadableError(text, is_cut=_reason(answer) in _NO_ROOM) from error

    async def _said(self, asked: "_Asked[Form]", room: int, before: str) -> AIMessage:
        """Ask in the best way that the server knows, and in the next one if it refuses."""
        ways, refusals = list(self.forms.ways), dict[Way, int]()
        while True:
            way = ways.pop(0)
            messages = asked.messages if way == "schema" else again(with_schema(asked.messages, asked.schema), before)
            arguments = arguments_for(way, asked.prompt.name, asked.schema, self.chat.as_object)
            try:
                said = await self.retries.call(partial(self.chat.ask, messages, arguments, room))
            except CallError as refused:
                if not ways or refused.status not in REFUSALS:
                    raise
                refusals[way] = refused.status
            else:
                self.forms.were_refused(refusals)
                return said

    async def write(
        self,
        prompt: Prompt,
        material: dict[str, str],
        *,
        first_word_seconds: float | None = None,
        temperature: float = 0.0,
    ) -> AsyncGenerator[str]:
        """Yield text as it arrives, without the model's reasoning.

        Raises `CallError` before the first piece. After it, raises `DraftCutError` if the model breaks off, and
        `TextCutError` if the model reached its token limit.
        """
        messages = _messages(prompt, material)
        started = monotonic()
        async with in_time(min(first_word_seconds or self.limits.first_word_seconds, self.limits.first_word_seconds)):
            first, rest = await self.retries.call(lambda: self._begin(messages, temperature))
        ending, stripping = _Ending(), Stripping(self.thinking)
        async with aclosing(rest):
            async for chunk in _without_silences(first, rest, self.limits.silence_seconds):
                if text := stripping.feed(ending.after(chunk)):
                    yield text
        if text := stripping.rest():
            yield text
        ending.check()
        self._count(ending.usage, prompt, started)

    async def _begin(self, messages: list[BaseMessage], temperature: float) -> Begun:
        room = self._room()
        try:
            return await self.chat.begin(messages, room, temperature)
        except RequestTooLargeError:
            # Groq counts the tokens reserved for an answer as used, but hardly any answer needs all of them.
            self.chat.plan.refuse(self.chat.name, room)
            if self._room() >= room:
                raise
            return await self.chat.begin(messages, self._room(), temperature)

    def _room(self) -> int:
        return self.chat.plan.room(self.chat.name, self.limits.longest_answer_tokens)

    def _count(self, usage: UsageMetadata | None, prompt: Prompt, started: float) -> None:
        seconds = monotonic() - started
        self.count(read_usage(usage, model=self.chat.name, role=self.role, prompt=prompt.name, seconds=seconds))


@dataclass(frozen=True, kw_only=True)
class _Asked(Generic[Form]):
    """A form to fill in."""

    form: type[Form]
    prompt: Prompt
    messages: list[BaseMessage]
    schema: Schema


@dataclass
class _Ending:
    """The end of a stream, as its chunks report it."""

    reason: str = ""
    usage: UsageMetadata | None = None
    length: int = 0

    def after(self, chunk: AIMessageChunk) -> str:
        """Record what `chunk` reports, and return its text."""
        self.reason = _reason(chunk) or self.reason
        self.usage = chunk.usage_metadata or self.usage
        self.length += len(chunk.text)
        if self.length > LONGEST_TEXT:
            raise TextCutError("The language model does not come to an end.")
        return chunk.text

    def check(self) -> None:
        """Raise `TextCutError` if the token limit was reached, `DraftCutError` if the stream ended early otherwise."""
        if self.reason in _NO_ROOM:
            raise TextCutError("The language model had no room for more.")
        if self.reason not in _ENDED:
            raise DraftCutError("The language model stopped before the end.")


def _reason(said: AIMessage) -> str:
    told = said.response_metadata
    return next((str(told[name]) for name in _REASONS if told.get(name)), "")


def _messages(prompt: Prompt, material: dict[str, str]) -> list[BaseMessage]:
    return [SystemMessage(prompt.system), HumanMessage(prompt.render(**material))]


@asynccontextmanager
async def in_time(seconds: float) -> AsyncGenerator[None]:
    """Cancel what takes longer. Raises `LateError`."""
    try:
        # anyio loses a cancellation that comes just as a connection opens. Then the outer timeout cancels again.
        async with asyncio.timeout(seconds + _AGAIN_SECONDS), asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise LateError from error


async def _without_silences(
    first: AIMessageChunk, rest: AsyncIterator[AIMessageChunk], seconds: float
) -> AsyncIterator[AIMessageChunk]:
    """Yield the chunks. Raises `DraftCutError` if a pause is too long, even if the connection is kept alive."""
    yield first
    while chunk := await _spoken(rest, seconds):
        yield chunk


async def _spoken(rest: AsyncIterator[AIMessageChunk], seconds: float) -> AIMessageChunk | None:
    """Return the next chunk with text; `None` at the end."""
    try:
        async with asyncio.timeout(seconds):
            async for chunk in rest:
                if chunk.text or chunk.response_metadata or chunk.usage_metadata:
                    return chunk
    except TimeoutError as error:
        raise DraftCutError("The language model broke off in the middle.") from error
    return None
