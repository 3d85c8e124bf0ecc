"""What a run says while it goes on; every run ends in exactly one of the terminal events.

Terminal: `ClarificationRequested` and `ReviewRequested` (it waits), `AnswerCompleted`, `SilenceKept`. Whoever shows
a run folds these events, so that seeing one twice after a resume does no harm.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graph.passages import Source
from graph.review_packet import ReviewPacket


@dataclass(frozen=True, kw_only=True)
class StepStarted:
    """A step of the work that a person may like to see."""

    step: str
    """The node's name."""
    title: str
    """What a person reads, such as "Reading 6 passages"."""


@dataclass(frozen=True, kw_only=True)
class SourcesFound:
    """The sources that the text which follows may cite."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True)
class TextWritten:
    """Checked text to append: whole sentences, Markdown, with [n] citations."""

    text: str


@dataclass(frozen=True, kw_only=True)
class DraftWithdrawn:
    """All text written so far is taken back; another draft follows in its place."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Option:
    """A reading of the question that a person can choose."""

    id: str
    label: str
    telling: tuple[str, ...] = ()
    """The stems that only its passages hold: a typed reply may name it by them."""


@dataclass(frozen=True, kw_only=True)
class ClarificationRequested:
    """The run waits for a person to say what was meant."""

    interrupt_id: str
    question: str
    options: tuple[Option, ...]
    attribute: str = ""
    """What the options are values of; empty where of several."""


@dataclass(frozen=True, kw_only=True)
class ReadingRecalled:
    """Nobody is asked: the asker chose this reading when the same ones competed before."""

    question: str
    """What would have been asked."""
    options: tuple[Option, ...]
    attribute: str
    chosen: str
    """The id of the option that is assumed."""


@dataclass(frozen=True, kw_only=True)
class ReviewRequested:
    """The run waits for a person to look at a draft that falls short; nobody else may see it before."""

    interrupt_id: str
    dossier: ReviewPacket


Outcome = Literal["answered", "conversed", "declined", "admitted", "rejected"]


@dataclass(frozen=True, kw_only=True)
class AnswerCompleted:
    """The whole answer, which replaces the text streamed before."""

    outcome: Outcome
    text: str
    sources: tuple[Source, ...] = ()
    """Only those that the text cites (answered) or that lie nearest (admitted)."""
    notes: tuple[str, ...] = field(default=())
    """Caveats and assumptions, one sentence each, shown below the text."""
    recalled: str = ""
    """The sentence that says which reading was assumed, as last time; empty where none was."""
    dossier: ReviewPacket | None = None
    """What a person may be asked to review; none where nobody reviews, or somebody did."""
    reviewer: str = ""
    """Who approved, edited or rejected the answer."""
    links: tuple[str, ...] = ()
    """Addresses in the text that the reviewer wrote, beyond those of the sources."""


@dataclass(frozen=True, kw_only=True)
class SilenceKept:
    """The message was not meant for the bot, which says nothing."""

    reason: str


AnswerEvent: TypeAlias = (
    StepStarted
    | SourcesFound
    | TextWritten
    | DraftWithdrawn
    | ClarificationRequested
    | ReadingRecalled
    | ReviewRequested
    | AnswerCompleted
    | SilenceKept
)
