"""The events that a run yields. Every run ends in exactly one terminal event.

Terminal events: `ClarificationRequested` and `ReviewRequested` (the run waits), `AnswerCompleted`, `SilenceKept`. A
presenter folds the events, so an event that comes twice after a resume does no harm.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graph.passages import Source
from graph.state import ReviewPacket
from graph.tools import PlannedChange


@dataclass(frozen=True, kw_only=True)
class StepStarted:
    """A step that is shown to the person."""

    step: str
    """The node's name."""
    title: str
    """The text for the person, such as "Reading 6 passages"."""
    status: str = ""
    """The same after the bot's name: "is reading 6 passages". The title if it is empty."""
    is_tentative: bool = False
    """Whether the run may still end in silence, so that nobody should notice it."""


@dataclass(frozen=True, kw_only=True)
class SourcesFound:
    """The sources that the following text may cite."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True)
class TextWritten:
    """Checked text to append: whole sentences, Markdown, with [n] citations."""

    text: str


@dataclass(frozen=True, kw_only=True)
class DraftWithdrawn:
    """The text so far is withdrawn. Another draft replaces it."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Option:
    """A reading of the question that a person can choose."""

    id: str
    label: str
    telling: tuple[str, ...] = ()
    """Stems that only this option's passages hold. A typed reply may use them."""


@dataclass(frozen=True, kw_only=True)
class ClarificationRequested:
    """The run waits for a person's choice."""

    interrupt_id: str
    question: str
    options: tuple[Option, ...]
    attribute: str = ""
    """The options' attribute; empty if they have several."""
    change: PlannedChange | None = None
    """What is to be approved; the question names only its tool."""
    asker: str = ""
    """The only person who may approve it."""


@dataclass(frozen=True, kw_only=True)
class ReadingRecalled:
    """An earlier choice of the asker is assumed, or what is their own, so nobody is asked."""

    question: str
    """The question that would have been asked."""
    options: tuple[Option, ...]
    attribute: str
    chosen: str
    """The id of the assumed option."""


@dataclass(frozen=True, kw_only=True)
class ReviewRequested:
    """The run waits for a reviewer. Nobody else may see the draft before the decision."""

    interrupt_id: str
    packet: ReviewPacket


AnswerOutcome = Literal["answered", "conversed", "declined", "admitted", "rejected"]


@dataclass(frozen=True, kw_only=True)
class AnswerCompleted:
    """The whole answer. It replaces the streamed text."""

    outcome: AnswerOutcome
    text: str
    sources: tuple[Source, ...] = ()
    """The cited sources (answered) or the nearest ones (admitted)."""
    notes: tuple[str, ...] = field(default=())
    """Caveats and assumptions below the text, one sentence each."""
    recalled: str = ""
    """The sentence about a reading that was assumed without asking; empty without one."""
    follow_ups: tuple[str, ...] = ()
    """Questions that people may ask next with a click."""
    packet: ReviewPacket | None = None
    """The packet for a review on request; `None` if nobody reviews, or the answer was reviewed."""
    reviewer: str = ""
    """Who approved, edited or rejected the answer."""
    links: tuple[str, ...] = ()
    """Addresses that the reviewer wrote into the text, besides those of the sources."""
    has_wish: bool = False
    """Whether a phrase of the question was taken as a wish for a preset, which people may deny."""
    knows_more: str = ""
    """The question, standing alone, if documents that the asker may read, but not everybody here, surely answer it."""
    is_whole: bool = False
    """Whether the documents surely answer all of the question, and nothing was assumed or left unread."""


@dataclass(frozen=True, kw_only=True)
class SilenceKept:
    """The message was not meant for the bot, so the bot says nothing."""

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
