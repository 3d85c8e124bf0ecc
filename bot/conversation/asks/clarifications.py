"""A clarification: the question a run waits on, and who answered it with what (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from bot.conversation.address import PersonId
from bot.conversation.inputs import Click, ClickRefused, Refusal
from bot.conversation.policy import MayAnswer
from graph.asking.replies import Unclear, gives_up, read_reply, says_nothing, why_unclear
from graph.events import ClarificationRequested, Option
from graph.text.names import calls_a_person
from graph.turn import Choice, Turn

Status = Literal["open", "answered", "superseded", "expired", "assumed"]


@dataclass(frozen=True, kw_only=True)
class Clarification:
    """A stored clarifying question."""

    id: int
    token: str
    inbox_id: int
    """The turn whose run asked."""
    thread_id: str
    interrupt_id: str
    asker: PersonId
    about: str
    """The question that was ambiguous."""
    question: str
    """What was asked back."""
    options: tuple[tuple[str, str], ...]
    """Pairs of id and label."""
    status: Status
    choice: Choice | None
    answered_by: PersonId | None
    due_at: datetime
    """When the most likely reading is answered, if nobody chose."""
    settled_at: datetime
    """When it was last answered, or expired."""
    revision: int = 0
    """How often the choice was changed."""
    attribute: str = ""
    """What its options are values of; empty where of several."""
    telling: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """By option, the stems that only its passages hold."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Clarification":
        """Read a row of the table."""
        return cls(
            id=row["id"],
            token=row["token"],
            inbox_id=row["inbox_id"],
            thread_id=row["thread_id"],
            interrupt_id=row["interrupt_id"],
            asker=PersonId(row["asker"]),
            about=row["about"],
            question=row["question"],
            options=tuple((option["id"], option["label"]) for option in row["options"]),
            status=row["status"],
            choice=Choice(**row["choice"]) if row["choice"] else None,
            answered_by=row["answered_by"],
            due_at=row["due_at"],
            settled_at=row["answered_at"] or row["due_at"],
            revision=row["revision"],
            attribute=row["attribute"],
            telling={option["id"]: frozenset(option.get("telling", ())) for option in row["options"]},
        )

    @property
    def labels(self) -> list[str]:
        """What competes, sorted."""
        return sorted(label for _, label in self.options)

    def as_asked(self) -> ClarificationRequested:
        """Return the event with which the run asked."""
        return ClarificationRequested(
            interrupt_id=self.interrupt_id,
            question=self.question,
            options=tuple(
                Option(id=id_, label=label, telling=tuple(sorted(self.telling.get(id_, ()))))
                for id_, label in self.options
            ),
            attribute=self.attribute,
        )


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """How long a question waits: for its reminder, and for a choice."""

    remind_after: timedelta
    expire_after: timedelta


def refusal(clarification: Clarification | None, click: Click, may_answer: MayAnswer) -> ClickRefused | None:
    """Say why a click changes nothing, or nothing if it may count."""
    if clarification is None:
        return ClickRefused(reason="unknown")
    if clarification.status != "open":
        label = clarification.choice.label if clarification.choice else ""
        return ClickRefused(
            reason="repeated" if is_repeated(click, clarification) else _closed(clarification.status),
            answered_by=clarification.answered_by,
            label=label,
            question=clarification.about,
        )
    if click.asks_again:
        return ClickRefused(reason="open", question=clarification.about)
    if may_answer == "asker" and click.person != clarification.asker:
        return ClickRefused(reason="not_yours", question=clarification.about)
    if click.choice.kind == "option" and click.choice.value not in dict(clarification.options):
        return ClickRefused(reason="unknown")
    return None


def is_repeated(click: Click, clarification: Clarification) -> bool:
    """Tell whether a click repeats what its person has chosen: delivered twice, or pressed twice."""
    chosen = clarification.choice
    if clarification.status != "answered" or chosen is None or click.person != clarification.answered_by:
        return False
    return (chosen.kind, chosen.value) == (click.choice.kind, click.choice.value)


def _closed(status: Literal["answered", "superseded", "expired", "assumed"]) -> Refusal:
    return "unknown" if status == "assumed" else status


@dataclass(frozen=True, kw_only=True)
class Typed:
    """What a message means in a thread where a question is open."""

    choice: Choice | None
    """The answer that it is."""
    supersedes: bool
    """Whether it is a question of its own, which closes the open one; else it is left to the people."""
    gives_up: bool = False
    """Whether nobody needs the answer any more."""
    unclear: Unclear | None = None
    """Why the question stays open, which the person is told."""


def read_typed(turn: Turn, person: PersonId, clarification: Clarification, may_answer: MayAnswer) -> Typed:
    """Tell an answer from a new question and from what people say to each other."""
    for_us = turn.addressed or not turn.mentions_others
    from_asker = person == clarification.asker
    # Anyone may name an option; a stranger's own words are an answer only when said to the bot.
    may_speak = for_us and (from_asker or (may_answer == "anyone" and turn.addressed))
    choice = read_reply(
        turn.question, question=clarification.about, options=list(clarification.options), telling=clarification.telling
    )
    names_an_option = choice is not None and choice.kind == "option"
    if calls_a_person(turn.question) and not turn.addressed and not names_an_option:
        return Typed(choice=None, supersedes=False)
    if choice is None and gives_up(turn.question):
        return Typed(choice=None, supersedes=False, gives_up=may_speak)
    if not for_us or choice is None:
        return Typed(choice=None, supersedes=for_us and (turn.addressed or from_asker))
    if choice.kind == "text":
        unclear = why_unclear(turn.question, options=len(clarification.options))
        if unclear or says_nothing(turn.question):
            return Typed(choice=None, supersedes=False, unclear=unclear if may_speak else None)
    answers = may_speak or (may_answer == "anyone" and choice.kind == "option")
    return Typed(choice=choice if answers else None, supersedes=False)


def labelled(choice: Choice, clarification: Clarification) -> Choice:
    """Return the choice with what a person reads of it."""
    match choice.kind:
        case "option":
            return Choice(kind="option", value=choice.value, label=dict(clarification.options)[choice.value])
        case "text":
            return Choice(kind="text", value=choice.value, label=choice.value)
        case "just_answer":
            return Choice(kind="just_answer", label="Just answer")


def assumed_reading(clarification: Clarification, notes: Sequence[str]) -> str:
    """Return the label of the option that an answer's notes name as assumed; empty where they name none."""
    named = [label for _, label in clarification.options if any(label in note for note in notes)]
    return max(named, key=len, default="")
