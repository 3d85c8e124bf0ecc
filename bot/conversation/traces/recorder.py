"""The record of the run that goes on: the graph and the models add to it; the item's handler begins and ends it."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import structlog

from graph.state import TurnState
from graph.trace import Call, Step, step_of


@dataclass
class Recording:
    """What a run has done so far."""

    keeps: bool
    """Whether it is to be kept, or only told to the log."""
    steps: list[Step] = field(default_factory=list[Step])
    calls: list[Call] = field(default_factory=list[Call])
    """Those of the node that is at work."""

    def add(self, step: Step) -> None:
        """Add a step, with the calls that were made in it."""
        step["calls"], self.calls = self.calls, []
        self.steps.append(step)


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)
"""Tasks inherit it: LangGraph's nodes run in tasks of their own."""


@contextmanager
def recording(*, keeps: bool) -> Generator[Recording]:
    """Record what is done in the context, and in tasks begun there."""
    record = Recording(keeps)
    token = _current.set(record)
    try:
        yield record
    finally:
        _current.reset(token)


def recorded() -> list[Step]:
    """Return what the run that goes on has done; nothing, where that is not to be kept."""
    record = _current.get()
    return record.steps if record and record.keeps else []


class RunObserver:
    """Adds each node to the record of the run that goes on, if there is one."""

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        """Add a step; a record that fails fails nothing else."""
        record = _current.get()
        if record is None:
            return
        try:
            record.add(step_of(node, before, after, seconds=seconds))
        except Exception as error:  # noqa: BLE001 — an answer is worth more than its record.
            structlog.get_logger().warning("step_not_recorded", node=node, error=type(error).__name__)


def note_call(call: Call) -> None:
    """Add a call to a model to the record of the run that goes on, if there is one."""
    if record := _current.get():
        record.calls.append(call)
