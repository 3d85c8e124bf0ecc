"""One of Groq's models, asked to fill in a form or to write: retries, token counts and errors are dealt with here."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_groq import ChatGroq
from pydantic import BaseModel

from bot.models.groq.errors import FAILURES, CallError, DraftCutError, RequestTooLargeError, in_our_words
from bot.models.groq.retries import RetryPolicy
from bot.models.groq.usage import Role, Usage, read_usage
from prompts import Prompt

SHORT_ANSWER_TOKENS: Final = 2048
"""Room for an answer where the plan has none for a long one; with a full prompt, 8,000 tokens a minute suffice."""

Form = TypeVar("Form", bound=BaseModel)
Schema: TypeAlias = dict[str, Any]
Begun: TypeAlias = tuple[AIMessageChunk, AsyncIterator[AIMessageChunk]]
"""A stream's first piece of text, and the rest."""


@dataclass(frozen=True, kw_only=True)
class GroqModel:
    """A model in its role."""

    role: Role
    chat: ChatGroq
    longest_answer_tokens: int
    retries: RetryPolicy
    count: Callable[[Usage], None]

    async def fill(self, form: type[Form], prompt: Prompt, material: dict[str, str], *, schema: Schema) -> Form:
        """Ask for a `form` by its strict JSON schema; raise `CallError` where none comes back."""
        messages = _messages(prompt, material)
        wanted = {"type": "json_schema", "json_schema": {"name": prompt.name, "strict": True, "schema": schema}}
        started = monotonic()
        said = await self.retries.call(lambda: _ask(self.chat, messages, wanted))
        self._count(said.usage_metadata, prompt, started)
        with in_our_words():
            return form.model_validate_json(said.text)

    async def write(self, prompt: Prompt, material: dict[str, str]) -> AsyncIterator[str]:
        """Yield text as it comes; raise `CallError` before the first piece, `DraftCutError` after it."""
        messages = _messages(prompt, material)
        started = monotonic()
        first, rest = await self.retries.call(lambda: self._begin(messages))
        ending = _Ending()
        try:
            yield ending.after(first)
            async for chunk in rest:
                if text := ending.after(chunk):
                    yield text
        except FAILURES as error:
            raise DraftCutError("The language model broke off in the middle.") from error
        finally:
            await _close(rest)
        if ending.reason != "stop":
            raise DraftCutError("The language model stopped before the end.")
        self._count(ending.usage, prompt, started)

    async def _begin(self, messages: list[BaseMessage]) -> Begun:
        try:
            return await _begin(self.chat, messages, self.longest_answer_tokens)
        except RequestTooLargeError:
            # Groq counts the room for an answer as if it were used; hardly any answer needs all of it.
            return await _begin(self.chat, messages, min(SHORT_ANSWER_TOKENS, self.longest_answer_tokens))

    def _count(self, usage: UsageMetadata | None, prompt: Prompt, started: float) -> None:
        seconds = monotonic() - started
        self.count(read_usage(usage, model=self.chat.model_name, role=self.role, prompt=prompt.name, seconds=seconds))


@dataclass
class _Ending:
    """How a stream ends, as its chunks tell."""

    reason: str = ""
    usage: UsageMetadata | None = None

    def after(self, chunk: AIMessageChunk) -> str:
        """Note what `chunk` tells and return its text."""
        self.reason = chunk.response_metadata.get("finish_reason", self.reason)
        self.usage = chunk.usage_metadata or self.usage
        return chunk.text


def _messages(prompt: Prompt, material: dict[str, str]) -> list[BaseMessage]:
    return [SystemMessage(prompt.system), HumanMessage(prompt.render(**material))]


async def _ask(chat: ChatGroq, messages: list[BaseMessage], wanted: Schema) -> AIMessage:
    with in_our_words():
        return await chat.ainvoke(messages, response_format=wanted)


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
