"""Opens what understands, writes and validates: the language models, if there are any, with rules behind them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias

from bot.models.breaker import Breaker
from bot.models.embedding import Embedding
from bot.models.fallback import FallbackUnderstander, FallbackValidator, writers_of
from bot.models.llm.language_models import LanguageModels, open_models
from bot.models.llm.limits import CallLimits
from bot.models.llm.servers import models_of
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.usage import Usage
from bot.models.llm.validator import ModelValidator
from bot.models.offline.likeness import likeness
from bot.models.offline.understander import OfflineUnderstander
from bot.models.offline.understanding.examples import Examples, read_examples
from bot.models.offline.understanding.message_kind import MessageKinds
from bot.models.offline.understanding.spelling import Spelling
from bot.models.offline.validator import OverlapValidator
from bot.models.offline.writing.writer import QuotingWriter
from bot.settings import Settings
from graph.context import Understander, Validator, Writer

Models: TypeAlias = tuple[Understander, tuple[Writer, ...], Validator]
"""The understander, the writers in the order of asking, and the validator."""


@asynccontextmanager
async def opened_models(
    settings: Settings, embedder: Embedding, *, count: Callable[[Usage], None]
) -> AsyncGenerator[Models]:
    """Open the models that the settings name; without any, rules do the work. `count` learns of each call.

    Raises `SettingsError` if the file of examples is wrong.
    """
    offline, asked = offline_models(embedder, read_examples(settings.examples)), models_of(settings)
    if asked is None:
        yield offline
        return
    async with open_models(*asked, limits_of(settings), count=count) as models:
        yield _with_rules(models, offline)


def offline_models(embedder: Embedding, examples: Examples | None = None) -> Models:
    """Return the rules that work without a language model; with the built-in examples if none are given."""
    return (
        OfflineUnderstander(MessageKinds(embedder, examples), Spelling(embedder.vocabulary)),
        (QuotingWriter(likeness(embedder)),),
        OverlapValidator(),
    )


def limits_of(settings: Settings) -> CallLimits:
    """Return the settings' limits for a call to a model."""
    longest = max(settings.form_seconds, settings.first_word_seconds, settings.silence_seconds)
    return CallLimits(
        longest_answer_tokens=settings.longest_answer_tokens,
        longest_form_tokens=settings.longest_form_tokens,
        form_seconds=settings.form_seconds,
        first_word_seconds=settings.first_word_seconds,
        silence_seconds=settings.silence_seconds,
        timeout_seconds=longest + 2.0,
    )


def _with_rules(models: LanguageModels, offline: Models) -> Models:
    understander, (writer, *_), validator = offline
    # A failed model rests by the same clock that ends its calls.
    breaker = partial(Breaker, seconds=asyncio.get_running_loop().time)
    return (
        FallbackUnderstander(ModelUnderstander(models.small), understander, breaker()),
        writers_of(models, writer, breaker(), breaker()),
        FallbackValidator(ModelValidator(models.small), validator, breaker()),
    )
