"""LangChain's chat model, the differences between providers, and the translation of their errors into ours."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bot.models.llm.errors import CallError, explain
from bot.models.llm.limits import Plan
from bot.models.llm.thoughts import DraftCutError

Arguments: TypeAlias = dict[str, Any]
"""Keyword arguments of a call to a chat model."""
Begun: TypeAlias = tuple[AIMessageChunk, AsyncGenerator[AIMessageChunk]]
"""A stream's first piece of text, and the rest."""

Options: TypeAlias = Callable[[int, float], Arguments]
"""Returns a call's arguments from the most tokens of its answer and the temperature (0–1)."""

AS_OBJECT: Final[Arguments] = {"response_format": {"type": "json_object"}}
"""Asks for any JSON object."""


def at_temperature(tokens: int, temperature: float) -> Arguments:
    """Return the arguments with which most providers limit the length of an answer, and set its temperature."""
    return {"max_tokens": tokens, "temperature": temperature}


def composed(model: BaseChatModel, thinks_little: Arguments) -> Options:
    """Return the options for quick answers: little reasoning if the model reasons, else the temperature.

    A model that takes no temperature writes another sample anyway.
    """
    profile = model.profile or {}
    if "low" in (profile.get("reasoning_effort_levels") or ()):
        return lambda tokens, _temperature: {"max_tokens": tokens, **thinks_little}
    if profile.get("temperature") is False:
        return lambda tokens, _temperature: {"max_tokens": tokens}
    return at_temperature


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
    options: Options = at_temperature

    async def ask(self, messages: list[BaseMessage], wanted: Arguments, tokens: int) -> AIMessage:
        """Return a whole answer of at most `tokens` tokens. Raises `CallError`."""
        with _in_our_words():
            return await self.model.ainvoke(messages, **wanted, **self.options(tokens, 0.0))

    async def begin(self, messages: list[BaseMessage], tokens: int, temperature: float = 0.0) -> Begun:
        """Return the first piece of text and the rest of the stream.

        Raises `CallError` before the first piece; the rest raises `DraftCutError`.
        """
        chunks = self.model.astream(messages, **self.options(tokens, temperature))
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
