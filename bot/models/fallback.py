"""Who takes over when a model fails: the offline adapters, for this turn."""

from collections.abc import AsyncIterator
from dataclasses import replace

import structlog

from bot.models.breaker import Breaker
from bot.models.llm.opening import LanguageModels
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.writer import ModelWriter
from graph.context import Brief, Case, Hints, ModelError, Understander, Validator, Verdict, Writer
from graph.passages import Passage
from graph.state import Understanding

NOTE = "The language model could not be reached, so this answer quotes the documents."


class FallbackUnderstander:
    """An understander with another one behind it."""

    def __init__(self, first: Understander, second: Understander, breaker: Breaker) -> None:
        self._first = first
        self._second = second
        self._breaker = breaker

    async def understand(self, case: Case) -> Understanding:
        """Ask the first, and where it fails the second."""
        try:
            with self._breaker.watch():
                return await self._first.understand(case)
        except ModelError as error:
            _log_failure("understand", error)
            return await self._second.understand(case)


class FallbackValidator:
    """A validator with another one behind it."""

    def __init__(self, first: Validator, second: Validator, breaker: Breaker) -> None:
        self._first = first
        self._second = second
        self._breaker = breaker

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Ask the first, and where it fails the second; alone the second judges quotations, and if no model is to."""
        if hints and (hints["quoted"] or hints.get("by_rules")):
            return await self._second.validate(question, answer, passages, hints)
        try:
            with self._breaker.watch():
                return await self._first.validate(question, answer, passages, hints)
        except ModelError as error:
            _log_failure("validate", error)
            return await self._second.validate(question, answer, passages, hints)


class WatchedWriter:
    """A writer that is left alone while it rests; the graph asks the next one."""

    def __init__(self, writer: Writer, breaker: Breaker) -> None:
        self._writer = writer
        self._breaker = breaker
        self.note = writer.note
        self.judges = writer.judges

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield what the writer writes; raise `ModelError` where it fails or rests."""
        try:
            with self._breaker.watch():
                async for piece in self._writer.write(brief):
                    yield piece
        except ModelError as error:
            _log_failure("write", error)
            raise


class StandbyWriter:
    """A writer that says that it stands in for another."""

    def __init__(self, writer: Writer, note: str = NOTE) -> None:
        self._writer = writer
        self.note = note
        self.judges = writer.judges

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield what the writer writes."""
        return self._writer.write(brief)


def writers_of(models: LanguageModels, offline: Writer, large: Breaker, small: Breaker) -> tuple[Writer, ...]:
    """Return who writes, in order: the large model, the small one, which has its own rate limit, the offline writer.

    Each rests by its own record: that one is down says nothing of the other.
    """
    # If the large model was waited for in vain, the small one is asked once.
    second = replace(models.small, retries=RetryPolicy(pauses=()))
    return (
        WatchedWriter(ModelWriter(models.large), large),
        WatchedWriter(ModelWriter(second), small),
        StandbyWriter(offline),
    )


def _log_failure(task: str, error: ModelError) -> None:
    structlog.get_logger().warning("model_failed", task=task, reason=str(error))
