"""What is kept of a run (pure: records of it)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from graph.trace import RunOutcome, Step, without_words


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What a run did, and what it took."""

    outcome: RunOutcome
    steps: list[Step]

    @property
    def calls(self) -> int:
        """How many calls models have answered."""
        return sum(len(step["calls"]) for step in self.steps)

    @property
    def tokens_in(self) -> int:
        """What models were given to read."""
        return sum(call["tokens_in"] for step in self.steps for call in step["calls"])

    @property
    def tokens_out(self) -> int:
        """What they wrote, thoughts included."""
        return sum(call["tokens_out"] for step in self.steps for call in step["calls"])

    @property
    def ms(self) -> int:
        """How long its steps took, without the time in which it was only shown."""
        return sum(step["ms"] for step in self.steps)

    def without_words(self) -> "Trace":
        """Return it without what anybody said."""
        return replace(self, steps=without_words(self.steps))


@dataclass(frozen=True, kw_only=True)
class KeptRun:
    """A run as it is kept, and the item that it was for."""

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
    """What the item says: a question, or what was chosen."""
    steps: list[Step]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "KeptRun":
        """Read a row of the queries."""
        return cls(**{one.name: row[one.name] for one in fields(cls)})

    def without_words(self) -> "KeptRun":
        """Return it without what anybody said."""
        return replace(self, question=None, steps=without_words(self.steps))
