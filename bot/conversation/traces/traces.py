"""The stored records of runs (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from graph.trace import RunOutcome, Step, without_words


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The steps of a run, and their cost."""

    outcome: RunOutcome
    steps: list[Step]

    @property
    def calls(self) -> int:
        """The number of calls to models."""
        return sum(len(step["calls"]) for step in self.steps)

    @property
    def tokens_in(self) -> int:
        """The tokens of the prompts."""
        return sum(call["tokens_in"] for step in self.steps for call in step["calls"])

    @property
    def tokens_out(self) -> int:
        """The tokens of the models' output, including reasoning."""
        return sum(call["tokens_out"] for step in self.steps for call in step["calls"])

    @property
    def ms(self) -> int:
        """The time of the run's steps, without the time for showing the answer."""
        return sum(step["ms"] for step in self.steps)

    def without_words(self) -> "Trace":
        """Return the trace without words."""
        return replace(self, steps=without_words(self.steps))


@dataclass(frozen=True, kw_only=True)
class KeptRun:
    """A stored run, with its item."""

    id: int
    reference: str
    kind: str
    thread_id: str
    person: str
    ended_at: datetime
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int
    ms: int
    question: str | None
    """The item's question or choice."""
    steps: list[Step]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "KeptRun":
        """Read a row of the queries."""
        return cls(**{one.name: row[one.name] for one in fields(cls)})

    def without_words(self) -> "KeptRun":
        """Return the run without words."""
        return replace(self, question=None, steps=without_words(self.steps))
