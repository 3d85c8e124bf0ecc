"""Records the current run: the graph and the models add steps and calls; the item's handler begins and ends it."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import structlog

from bot.conversation.traces.spans import RunSpans
from graph.state import TurnState
from graph.trace import Call, Step, step_of


@dataclass
class Recording:
    """The steps of a run so far."""

    keeps: bool
    """Whether the steps are stored, or only logged."""
    steps: list[Step] = field(default_factory=list[Step])
    calls: list[Call] = field(default_factory=list[Call])
    """Calls of the current node."""
    searches: list[bool] = field(default_factory=list[bool])
    """For each search of the current node, whether an earlier result was reused."""
    failures: Counter[str] = field(default_factory=Counter[str])
    """How often each retriever failed in the current node."""
    spans: RunSpans | None = None

    def add(self, step: Step) -> None:
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


def recorded() -> list[Step]:
    """Return the steps of the current run; empty if they are not stored."""
    record = _current.get()
    return record.steps if record and record.keeps else []


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
        """Log the kind of the error, for its text may quote the question; count it, if a run is recorded."""
        structlog.get_logger().warning("retriever_failed", retriever=retriever, error=type(error).__name__)
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
