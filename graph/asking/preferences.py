"""An ambiguity, and the port that recalls how the asker resolved the same one before."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Ambiguity:
    """The competing readings of a question: values of one attribute, about one subject."""

    attribute: str
    """The attribute and the subject: a choice of an office for vacation days does not hold for parking."""
    labels: tuple[str, ...]


class Preferences(Protocol):
    """Recalls people's choices."""

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return the label that the asker chose last among the same labels; `None` if they never chose.

        Empty if they want to be asked.
        """
        ...
