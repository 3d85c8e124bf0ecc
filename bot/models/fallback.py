"""Fallback: if a language model fails, the offline adapters do the work of this turn."""

from collections.abc import AsyncIterator
from dataclasses import replace

import structlog

from bot.models.breaker import Breaker
from bot.models.llm.language_models import LanguageModels
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.writer import ModelWriter
from graph.context import Brief, Case, Hints, ModelError, Understander, Validator, Verdict, Writer
from graph.passages import Passage
from graph.state import Understanding

NOTE = "The language model could not be reached, so this answer quotes the documents."


class FallbackUnderstander:
    """An understander with a fallback."""

    def __init__(self, first: Understander, second: Understander, breaker: Breaker) -> None:
        self._first = first
        self._second = second
        self._breaker = breaker

    async def understand(self, case: Case) -> Understanding:
        """Ask the first understander. If it fails, ask the second."""
        try:
            with self._breaker.watch():
                return await self._first.understand(case)
        except ModelError as error:
            _log_failure("understand", error)
            return await self._second.understand(case)


class FallbackValidator:
    """A validator with a fallback."""

    def __init__(self, first: Validator, second: Validator, breaker: Breaker) -> None:
        self._first = first
        self._second = second
        self._breaker = breaker

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Ask the first validator. Ask the second if the first fails, or for quotations and presets without a model."""
        if hints and (hints["quoted"] or hints.get("by_rules")):
            return await self._second.validate(question, answer, passages, hints)
        try:
            with self._breaker.watch():
                return await self._first.validate(question, answer, passages, hints)
        except ModelError as error:
            _log_failure("validate", error)
            return await self._second.validate(question, answer, passages, hints)


class WatchedWriter:
    """A writer behind a circuit breaker. While the breaker is open, the graph asks the next writer."""

    def __init__(self, writer: Writer, breaker: Breaker) -> None:
        self._writer = writer
        self._breaker = breaker
        self.note = writer.note
        self.judges = writer.judges

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield the writer's text. Raises `ModelError` if the writer fails or its breaker is open."""
        try:
            with self._breaker.watch():
                async for piece in self._writer.write(brief):
                    yield piece
        except ModelError as error:
            _log_failure("write", error)
            raise


class StandbyWriter:
    """A writer whose answers carry a note that the model could not be reached."""

    note = NOTE

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.judges = writer.judges

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield the writer's text."""
        return self._writer.write(brief)


def writers_of(models: LanguageModels, offline: Writer, large: Breaker, small: Breaker) -> tuple[Writer, ...]:
    """Return the writers in the order of asking: the large model, the small one, and the offline writer.

    The small model has a rate limit of its own. Each model has its own breaker, because one may fail while the other
    works.
    """
    # Call the small model only once: the large model's attempts have already taken time.
    second = replace(models.small, retries=RetryPolicy(pauses=()))
    return (
        WatchedWriter(ModelWriter(models.large), large),
        WatchedWriter(ModelWriter(second), small),
        StandbyWriter(offline),
    )


def _log_failure(task: str, error: ModelError) -> None:
    structlog.get_logger().warning("model_failed", task=task, reason=str(error))
