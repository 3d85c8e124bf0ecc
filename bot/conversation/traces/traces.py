"""The stored records of runs (pure)."""

from dataclasses import dataclass, replace

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
