"""The text of a run so far, in case somebody stops it (pure)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from graph.events import AnswerEvent, DraftWithdrawn, SourcesFound, TextWritten
from graph.passages import Source


@dataclass(frozen=True, kw_only=True)
class PartialAnswer:
    """The shown text, and the sources that it may cite."""

    text: str = ""
    sources: tuple[Source, ...] = ()
    is_withdrawn: bool = False
    """Whether the run has withdrawn its text, so that the shown text does not count."""
    is_earlier: bool = False
    """Whether it is not known of the run that is ended: an earlier one may have said it, perhaps to another text."""

    def after(self, event: AnswerEvent) -> "PartialAnswer":
        """Return what has been said after an event."""
        match event:
            case TextWritten():
                return replace(self, text=self.text + event.text, is_withdrawn=False)
            case SourcesFound():
                return replace(self, sources=event.sources)
            case DraftWithdrawn():
                return replace(self, text="", is_withdrawn=True)
            case _:
                return self

    @property
    def cited(self) -> tuple[Source, ...]:
        """The sources that the text cites."""
        return tuple(source for source in self.sources if f"[{source['number']}]" in self.text)

    def to_json(self) -> dict[str, Any]:
        """Return it as the inbox stores it."""
        return asdict(self)

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> "PartialAnswer":
        """Return a stored partial answer."""
        return cls(
            text=stored["text"], sources=tuple(stored["sources"]), is_withdrawn=stored.get("is_withdrawn", False)
        )
