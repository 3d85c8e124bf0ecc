"""A handler that records runs: it stores their steps with their outcome, and logs their numbers."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime

import structlog

from bot.conversation.items import Claim, Item
from bot.conversation.traces import trace_store
from bot.conversation.traces.recorder import recorded, recording
from bot.conversation.traces.spans import RunSpans, SpansOf
from bot.conversation.traces.traces import Trace
from bot.conversation.turns.outages import is_outage
from bot.conversation.workers.worker import Handler
from bot.errors import RunOvertakenError
from bot.postgres.pool import Connection, Database
from graph.context import Clock
from graph.trace import RunOutcome, Step, outcome_of, rounds

GOODBYE_SECONDS = 2.0
"""The longest time to store a cancelled run's numbers."""


async def keep_run(connection: Connection, item: Item, *, now: datetime) -> None:
    """Store the record of the current run, in the transaction of its outcome.

    A deletion of the question comes later, and deletes the record too. If the record is refused, only the record is
    rolled back.
    """
    steps = recorded()
    if steps:
        with _whatever_fails():
            async with connection.transaction():
                await trace_store.insert(connection, item, Trace(outcome=outcome_of(steps), steps=steps), now=now)


class RecordedHandler:
    """A handler whose runs are recorded."""

    def __init__(
        self, handler: Handler, database: Database, clock: Clock, *, keeps: bool, spans_of: SpansOf | None = None
    ) -> None:
        self._handler = handler
        self._database = database
        self._clock = clock
        self._keeps = keeps
        self._spans_of = spans_of

    async def handle(self, claim: Claim) -> int:
        """Handle an item and record its run; if the run breaks off, store its numbers."""
        spans = self._spans_of(claim.item) if self._spans_of else None
        with recording(keeps=self._keeps, spans=spans) as record:
            try:
                checkpoints = await self._handler.handle(claim)
            except BaseException as error:
                if record.steps:
                    trace = _told(Trace(outcome=_broken_by(error), steps=record.steps), spans)
                    if self._keeps and not is_outage(error):
                        await self._keep_numbers(claim.item, trace)
                raise
        if record.steps:
            _told(Trace(outcome=outcome_of(record.steps), steps=record.steps), spans)
        return checkpoints

    async def give_up(self, claim: Claim) -> bool:
        """Tell the person that the item has failed."""
        return await self._handler.give_up(claim)

    async def _keep_numbers(self, item: Item, trace: Trace) -> None:
        """Store the numbers of a run that broke off, without words: somebody may be deleting them at this moment."""
        with _whatever_fails():
            async with asyncio.timeout(GOODBYE_SECONDS), self._database.transaction(item.workspace) as apart:
                await trace_store.insert(apart, item, trace.without_words(), now=self._clock.now())


@contextmanager
def _whatever_fails() -> Generator[None]:
    """Continue after any error, because an answer matters more than its record."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 — see above.
        structlog.get_logger().warning("run_not_kept", error=type(error).__name__)


def _broken_by(error: BaseException) -> RunOutcome:
    return "ended" if isinstance(error, (asyncio.CancelledError, RunOvertakenError)) else "failed"


def _told(trace: Trace, spans: RunSpans | None) -> Trace:
    """Log each round, and the end."""
    if spans:
        with _whatever_fails():
            spans.end(trace.outcome)
    log = structlog.get_logger()
    for numbers in rounds(trace.steps):
        log.info("rag_iteration", **numbers)
    log.info(
        "graph_outcome", outcome=trace.outcome, nodes=_names(trace.steps), calls=trace.calls,
        tokens_in=trace.tokens_in, tokens_out=trace.tokens_out, ms=trace.ms,
    )  # fmt: skip
    return trace


def _names(steps: Sequence[Step]) -> str:
    return " ".join(step["node"] for step in steps)
