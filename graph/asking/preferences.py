"""What makes a question ambiguous, and the port that remembers how its asker resolved the same ambiguity before."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Ambiguity:
    """The readings of a question that compete: values of one attribute of the documents, about one subject."""

    attribute: str
    """The attribute and the subject: a choice of an office for vacation days is none for parking."""
    labels: tuple[str, ...]


class Preferences(Protocol):
    """Remembers what people chose."""

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return the label that the asker preferred to all the others the last time; None where they never did."""
        ...


class NoPreferences:
    """Remembers nothing."""

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return nothing."""
        del asker, ambiguity
