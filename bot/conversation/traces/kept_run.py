"""A stored run with its item, and how its numbers read (pure)."""

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from graph.trace import Call, Fact, TracedStep, cost_of, without_words


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
    ratings: list[str]
    """What people think of the answer, such as `bad (outdated)`."""
    objections: list[str]
    """What people wrote against the answer."""
    steps: list[TracedStep]

    @classmethod
    def from_row(cls, **row: Any) -> "KeptRun":
        """Read a row of the queries."""
        return cls(**{one.name: row[one.name] for one in fields(cls)})

    @property
    def cost(self) -> float | None:
        """What its calls cost, if their prices were known."""
        return cost_of(self.steps)

    @property
    def effort(self) -> str:
        """What it took: `3 calls, 5000 + 300 tokens, cost 0.002000, 2100 ms`."""
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        tokens = f"{self.tokens_in} + {self.tokens_out} tokens"
        return _listed(calls, tokens, cost_text(self.cost), f"{self.ms} ms")

    def without_words(self) -> "KeptRun":
        """Return the run without words."""
        return replace(self, question=None, objections=[], steps=without_words(self.steps))


def why_again(step: TracedStep) -> str:
    """Return why a step began another round; empty if it did not."""
    return str(step["facts"].get("again", ""))


def facts_text(step: TracedStep) -> str:
    """Return a step's time and numbers: `12 ms, found 16`."""
    told = {name: value for name, value in step["facts"].items() if name != "again"}
    return _listed(f"{step['ms']} ms", *(_fact(*one) for one in told.items()))


def call_text(call: Call) -> str:
    """Return a call to a model: `gpt-oss-20b: 1800 + 60 tokens, cost 0.000300, 420 ms`."""
    tokens = f"{call['model']}: {call['tokens_in']} + {call['tokens_out']} tokens"
    return _listed(tokens, cost_text(call.get("cost")), f"{call['ms']} ms")


def cost_text(cost: float | None) -> str:
    """Return a cost; empty if it is not known."""
    return "" if cost is None else f"cost {cost:.6f}"


def _fact(name: str, value: Fact) -> str:
    told = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name.replace('_', ' ')} {'yes' if value is True else 'no' if value is False else told}"


def _listed(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
