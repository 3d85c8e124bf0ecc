"""The view of a run: a pure fold of its events. A repeated event changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from bot.conversation.message_kinds import AssumptionBanner
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    ReadingRecalled,
    ReviewRequested,
    SilenceKept,
    SourcesFound,
    StepStarted,
    TextWritten,
)
from graph.passages import Source
from graph.text.wording import THINKING, spoken

_QUIET_STEPS = frozenset({"search", "understand", "retrieve"})
"""Steps of every message, even if the bot stays silent or asks back. They change only the status."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the work, in a person's words."""

    name: str
    title: str
    status: str = ""


@dataclass(frozen=True, kw_only=True)
class View:
    """The visible state of a run at one moment."""

    steps: tuple[Step, ...] = ()
    """The last step is in progress until the view has an ending."""
    sources: tuple[Source, ...] = ()
    """All found sources. Links to them are safe."""
    text: str = ""
    ending: ClarificationRequested | ReviewRequested | AnswerCompleted | SilenceKept | None = None
    banner: AssumptionBanner | None = None
    """The banner that names the assumed reading."""
    is_promised: bool = False
    """Whether the run ends in an answer or a question, as far as its steps know."""
    language: str = "en"
    """The language of the question, if it is known before the first step."""
    asker: str = ""
    clicked: str = ""
    """The question, if nobody wrote it, because the asker clicked it below an answer."""
    untagged: str = ""
    """The key of the question (channel:ts) if nobody called the bot."""
    is_shareable: bool = False
    """Whether the asker may share the answer in the channel."""

    @property
    def status(self) -> str:
        """The status line, in a few words. Slack shows it after the bot's name."""
        if not self.steps:
            return spoken(THINKING, self.language)
        return self.steps[-1].status or self.steps[-1].title

    @property
    def worth_a_message(self) -> bool:
        """Whether there is something to show that a status line cannot."""
        is_loud = self.is_promised and any(step.name not in _QUIET_STEPS for step in self.steps)
        return is_loud or bool(self.text or self.sources)

    @property
    def links(self) -> frozenset[str]:
        """The addresses that text may link to."""
        if not isinstance(self.ending, AnswerCompleted):
            return _links_of(self.sources)
        return _links_of((*self.sources, *self.ending.sources)) | frozenset(self.ending.links)


def _links_of(sources: Sequence[Source]) -> frozenset[str]:
    return frozenset(url for source in sources for url in (source["url"], *source.get("links", [])) if url)


def fold(view: View, event: AnswerEvent) -> View:
    """Return the view after `event`."""
    match event:
        case StepStarted():
            step = Step(name=event.step, title=event.title, status=event.status)
            steps = (*(earlier for earlier in view.steps if earlier != step), step)
            return replace(view, steps=steps, is_promised=view.is_promised or not event.is_tentative)
        case SourcesFound():
            return replace(view, sources=event.sources)
        case TextWritten():
            return replace(view, text=view.text + event.text)
        case DraftWithdrawn():
            return replace(view, text="")
        case ReadingRecalled():
            return view
        case ClarificationRequested() | ReviewRequested() | AnswerCompleted() | SilenceKept():
            return replace(view, ending=event)
        case _:
            assert_never(event)
