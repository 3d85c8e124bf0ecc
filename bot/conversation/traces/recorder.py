"""Records each run: the graph and the models add steps and calls, which are stored with the outcome, and logged."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from bot.conversation.items import Item
from bot.conversation.traces import trace_store
from bot.conversation.traces.trace_store import numbers_of
from bot.conversation.workers.outages import is_outage
from bot.errors import RunOvertakenError
from bot.postgres.pool import Connection, Database
from bot.telemetry import metrics
from bot.telemetry.spans import RunSpans, SpansOf
from graph.context import Clock
from graph.state import TurnState
from graph.trace import Call, RunOutcome, TracedStep, cost_of, outcome_of, rounds, step_of, without_words

GOODBYE_SECONDS = 2.0
"""The longest time to store a cancelled run's numbers."""


@dataclass
class Recording:
    """The steps of a run so far."""

    keeps: bool
    """Whether the steps are stored, or only logged."""
    steps: list[TracedStep] = field(default_factory=list[TracedStep])
    calls: list[Call] = field(default_factory=list[Call])
    """Calls of the current node."""
    searches: list[bool] = field(default_factory=list[bool])
    """For each search of the current node, whether an earlier result was reused."""
    failures: Counter[str] = field(default_factory=Counter[str])
    """How often each retriever failed in the current node."""
    spans: RunSpans | None = None

    def add(self, step: TracedStep) -> None:
        """Add a step with its calls and searches."""
        step["calls"], self.calls = self.calls, []
        if self.searches:
            step["facts"] = {**step["facts"], "searches": len(self.searches), "reused": sum(self.searches)}
            self.searches = []
        step["facts"] |= {f"{retriever}_failed": times for retriever, times in self.failures.items()}
        self.failures.clear()
        self.steps.append(step)
        if self.spans:
            self.spans.note_step(step)


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)
"""Tasks inherit it: LangGraph's nodes run in tasks of their own."""


@contextmanager
def recording(*, keeps: bool, spans: RunSpans | None = None) -> Generator[Recording]:
    """Record the steps and calls of this context, and of tasks that start in it."""
    record = Recording(keeps, spans=spans)
    token = _current.set(record)
    try:
        yield record
    finally:
        _current.reset(token)


class RunObserver:
    """Adds each node to the record of the current run, if there is one."""

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        """Add a step. An error here never fails the run."""
        record = _current.get()
        if record is None:
            return
        try:
            record.add(step_of(node, before, after, seconds=seconds))
        except Exception as error:  # noqa: BLE001 — an answer is worth more than its record.
            structlog.get_logger().warning("step_not_recorded", node=node, error=type(error).__name__)

    def note_failure(self, retriever: str, error: BaseException) -> None:
        """Log the kind of the error, because its text may quote the question; count it, if a run is recorded."""
        structlog.get_logger().warning("retriever_failed", retriever=retriever, error=type(error).__name__)
        metrics.RETRIEVER_FAILURES.labels(retriever).inc()
        if record := _current.get():
            record.failures[retriever] += 1


def note_call(call: Call) -> None:
    """Add a call to a model to the record of the current run, if there is one."""
    if record := _current.get():
        record.calls.append(call)
        if record.spans:
            record.spans.note_call(call)


def note_search(is_reused: bool) -> None:  # noqa: FBT001 — the only argument of a callback.
    """Add a search, and whether an earlier result was reused, to the record of the current run, if there is one."""
    if record := _current.get():
        record.searches.append(is_reused)


async def keep_run(connection: Connection, item: Item, *, now: datetime) -> None:
    """Store the record of the current run, in the transaction of its outcome.

    A deletion of the question comes later, and deletes the record too. If the record is refused, only the record is
    rolled back.
    """
    record = _current.get()
    if record and record.keeps and record.steps:
        with _whatever_fails():
            async with connection.transaction():
                await trace_store.insert(connection, item, record.steps, outcome=outcome_of(record.steps), now=now)


@asynccontextmanager
async def recorded(
    item: Item, database: Database, clock: Clock, *, keeps: bool, spans_of: SpansOf | None
) -> AsyncGenerator[None]:
    """Record a run of an item; if the run breaks off, store its numbers."""
    spans = None
    if spans_of:
        spans = spans_of(thread_id=item.thread_id, reference=item.reference, workspace=item.workspace)
    with recording(keeps=keeps, spans=spans) as record:
        try:
            yield
        except BaseException as error:
            if record.steps:
                is_ended = isinstance(error, (asyncio.CancelledError, RunOvertakenError))
                outcome: RunOutcome = "ended" if is_ended else "failed"
                _tell(record, outcome)
                if keeps and not is_outage(error):
                    with _whatever_fails():
                        async with asyncio.timeout(GOODBYE_SECONDS), database.transaction(item.workspace) as apart:
                            # Without words: somebody may be deleting them at this moment.
                            steps = without_words(record.steps)
                            await trace_store.insert(apart, item, steps, outcome=outcome, now=clock.now())
            raise
    if record.steps:
        _tell(record, outcome_of(record.steps))


@contextmanager
def _whatever_fails() -> Generator[None]:
    """Continue after any error, because an answer matters more than its record."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 — see above.
        structlog.get_logger().warning("run_not_kept", error=type(error).__name__)


def _tell(record: Recording, outcome: RunOutcome) -> None:
    """Log each round, and the end; count the run."""
    if record.spans:
        with _whatever_fails():
            record.spans.end(outcome)
    log = structlog.get_logger()
    for numbers in rounds(record.steps):
        log.info("rag_iteration", **numbers)
    nodes, told = " ".join(step["node"] for step in record.steps), numbers_of(record.steps)
    log.info("graph_outcome", outcome=outcome, nodes=nodes, cost=cost_of(record.steps), **told)
    metrics.RUNS.labels(outcome).inc()
    metrics.RUN_SECONDS.observe(told["ms"] / 1000)
