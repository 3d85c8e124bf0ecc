"""A clarification: the question that a run waits on, who may answer it, and who may change the answer (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pydantic import TypeAdapter

from bot.conversation.address import PersonId
from bot.conversation.asks.ask import Ask, AskRules, AskStatus, NewAsk
from bot.conversation.contents import ChoiceContent
from bot.conversation.inputs import Click, ClickRefused, Refusal
from bot.conversation.items import Position, Sequel
from bot.conversation.message_kinds import Changeable
from graph.asking.approvals import ALLOW
from graph.asking.replies import Unclear, gives_up, read_reply, says_nothing, why_unclear
from graph.events import ClarificationRequested, Option, ReadingRecalled
from graph.text.names import calls_a_person
from graph.tools import PlannedChange, fingerprint
from graph.turn import Choice, Turn

_OPTIONS: Final = TypeAdapter(tuple[Option, ...])
_CLOSED: Final[Mapping[AskStatus, Refusal]] = {
    "offered": "unknown",
    "decided": "answered",
    "expired": "expired",
    "superseded": "superseded",
}
"""Why a click on what is not open changes nothing."""


@dataclass(frozen=True, kw_only=True)
class Clarification(Ask):
    """A question that the bot asks back; its decision is a choice."""

    kind: ClassVar[str] = "clarification"

    @property
    def asker(self) -> PersonId:
        """Who asked the question that was ambiguous."""
        return PersonId(self.person or "")

    @property
    def about(self) -> str:
        """The question that was ambiguous."""
        return self.payload["about"]

    @property
    def question(self) -> str:
        """What was asked back."""
        return self.payload["question"]

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """Pairs of id and label."""
        return tuple((option["id"], option["label"]) for option in self.payload["options"])

    @property
    def labels(self) -> list[str]:
        """What competes, sorted."""
        return sorted(label for _, label in self.options)

    @property
    def attribute(self) -> str:
        """What its options are values of; empty if of several."""
        return self.payload["attribute"]

    @property
    def telling(self) -> Mapping[str, frozenset[str]]:
        """By option, the stems that only its passages hold."""
        return {option["id"]: frozenset(option.get("telling", ())) for option in self.payload["options"]}

    @property
    def change(self) -> PlannedChange | None:
        """What is to be approved, if it is no question about meaning: then only a click of the asker counts."""
        return self.payload.get("change")

    @property
    def choice(self) -> Choice | None:
        """What was chosen, or assumed."""
        return Choice(**self.decision) if self.decision else None

    @property
    def settled_at(self) -> datetime:
        """When it was last answered, or expired."""
        return self.decided_at or self.due_at

    def expiry(self, position: Position) -> Sequel:
        """Return the item that answers it if nobody chose in time, as if somebody had clicked "Just answer"."""
        reply = ChoiceContent(ask_id=self.id, choice=Choice(kind="just_answer"))
        return self.sequel(reply, position, event_key=f"expiry:{self.id}")

    def as_asked(self) -> ClarificationRequested:
        """Return the event with which the run asked."""
        return ClarificationRequested(
            interrupt_id=self.interrupt_id,
            question=self.question,
            asker=self.asker,
            change=self.change,
            options=_OPTIONS.validate_python(self.payload["options"]),
            attribute=self.attribute,
        )


def clarifying(asked: ClarificationRequested, *, about: str, asker: PersonId, now: datetime, rules: AskRules) -> NewAsk:
    """Return the question that a run waits on."""
    return NewAsk(
        interrupt_id=asked.interrupt_id,
        # The person who chose another meaning is asked next. Only the person who wished for a change approves it.
        person=PersonId(asked.asker) if asked.change else asker,
        payload={**_payload(asked, about), "change": asked.change} if asked.change else _payload(asked, about),
        remind_at=None if asked.change else now + rules.remind_after,
        due_at=now + rules.expire_after,
    )


def assuming(recalled: ReadingRecalled, *, about: str, asker: PersonId, now: datetime) -> NewAsk:
    """Return the question that a run did not ask, with what it assumed."""
    chosen = next(option for option in recalled.options if option.id == recalled.chosen)
    return NewAsk(
        interrupt_id="",
        person=asker,
        payload=_payload(recalled, about),
        status="offered",
        decision=asdict(Choice(kind="option", value=chosen.id, label=chosen.label)),
        due_at=now,
    )


def _payload(asked: ClarificationRequested | ReadingRecalled, about: str) -> dict[str, Any]:
    return {
        "about": about,
        "question": asked.question,
        "options": [asdict(option) for option in asked.options],
        "attribute": asked.attribute,
    }


def refusal(asked: Clarification, click: Click, rules: AskRules, *, now: datetime) -> ClickRefused | None:
    """Say why a click changes nothing, or nothing if it counts.

    A click that was to change a choice answers the question if that is open again: somebody edited the message that had
    answered it.
    """
    if click.revision is None or asked.status == "open":
        reason = _why_not_chosen(asked, click, rules)
    else:
        reason = _why_not_changed(asked, click, rules, now)
    if reason is None:
        return None
    if reason == "unknown":
        # A forged click learns nothing of the question.
        return ClickRefused(reason=reason)
    label = asked.choice.label if asked.choice else ""
    return ClickRefused(reason=reason, answered_by=asked.decided_by, label=label, question=asked.about)


def _why_not_chosen(asked: Clarification, click: Click, rules: AskRules) -> Refusal | None:
    if asked.status != "open":
        closed = "unapproved" if asked.change and asked.status == "expired" else _CLOSED[asked.status]
        return "repeated" if _is_repeated(asked, click) else closed
    if click.asks_again:
        return "open"
    if not rules.lets(click.person, asker=asked.asker) or (asked.change and click.person != asked.asker):
        return "not_yours"
    if asked.change and click.choice.kind != "option":
        return "unknown"
    if click.choice.kind == "option" and click.choice.value not in dict(asked.options):
        return "unknown"
    is_shown = not asked.change or click.choice.value != ALLOW or click.fingerprint == fingerprint(asked.change)
    return None if is_shown else "changed"


def _why_not_changed(asked: Clarification, click: Click, rules: AskRules, now: datetime) -> Refusal | None:
    if asked.status == "superseded":
        return "superseded"
    if asked.change:
        return "answered"
    if not rules.lets(click.person, asker=asked.asker):
        return "not_yours"
    # A click names the choice that it replaces: of several that replace the same one, the first counts.
    if click.revision != asked.revision or _is_chosen(asked, click):
        return "repeated" if _is_repeated(asked, click) else "answered"
    if click.choice.kind == "option" and click.choice.value not in dict(asked.options):
        return "unknown"
    return "too_late" if now >= asked.settled_at + rules.change_within else None


def _is_chosen(asked: Clarification, click: Click) -> bool:
    chosen = asked.choice
    return chosen is not None and chosen.kind == click.choice.kind == "option" and chosen.value == click.choice.value


def _is_repeated(asked: Clarification, click: Click) -> bool:
    """Tell whether a click repeats what its person has chosen: delivered twice, or pressed twice."""
    chosen = asked.choice
    if asked.status != "decided" or chosen is None or click.person != asked.decided_by:
        return False
    return (chosen.kind, chosen.value) == (click.choice.kind, click.choice.value)


Typed: TypeAlias = Choice | Unclear | Literal["question", "given_up", "left"]
"""What a message means in a thread where a question is open: its answer; why it is none, which the person is told; a
question of its own, which closes the open one; that nobody needs the answer; or that it is meant for other people.
"""


def read_typed(turn: Turn, person: PersonId, asked: Clarification, rules: AskRules) -> Typed:
    """Tell an answer from a new question and from what people say to each other."""
    for_us = turn.addressed or not turn.mentions_others
    from_asker = person == asked.asker
    may_answer = rules.lets(person, asker=asked.asker)
    # Anyone may name an option; a stranger's own words are an answer only when said to the bot.
    may_speak = for_us and (from_asker or (may_answer and turn.addressed))
    of_its_own: Typed = "question" if for_us and (turn.addressed or from_asker) else "left"
    choice = read_reply(turn.question, question=asked.about, options=list(asked.options), telling=asked.telling)
    names_an_option = choice is not None and choice.kind == "option"
    if calls_a_person(turn.question) and not turn.addressed and not names_an_option:
        return "left"
    if choice is None and gives_up(turn.question):
        return "given_up" if may_speak else "left"
    if not for_us or choice is None:
        return of_its_own
    if asked.change:
        is_own = choice.kind == "text" and not (says_nothing(turn.question) or why_unclear(turn.question, options=2))
        told: Typed = "only_clicks" if may_speak else "left"
        return of_its_own if is_own else told
    if choice.kind == "text":
        unclear = why_unclear(turn.question, options=len(asked.options))
        if unclear or says_nothing(turn.question):
            return unclear if unclear and may_speak else "left"
    return choice if may_speak or (may_answer and choice.kind == "option") else "left"


def labelled(choice: Choice, asked: Clarification) -> Choice:
    """Return the choice with what a person reads of it."""
    match choice.kind:
        case "option":
            return Choice(kind="option", value=choice.value, label=dict(asked.options)[choice.value])
        case "text":
            return Choice(kind="text", value=choice.value, label=choice.value)
        case "just_answer":
            return Choice(kind="just_answer", label="Just answer")


def becomes_a_preference(asked: Clarification, choice: Choice, person: str, rules: AskRules) -> bool:
    """Tell whether a choice says something about its person: the asker knows what they mean, others guess."""
    remembers = bool(rules.remember_for and asked.attribute)
    return remembers and choice.kind == "option" and person == asked.asker


def assumed_reading(asked: Clarification, notes: Sequence[str]) -> str:
    """Return the label of the option that an answer's notes name as assumed; empty if they name none."""
    named = [label for _, label in asked.options if any(label in note for note in notes)]
    return max(named, key=len, default="")


def replaced_label(asked: Clarification) -> str:
    """Return the label of the choice that a change replaces; empty if nobody said what was meant."""
    return asked.choice.label if asked.choice and asked.choice.kind != "just_answer" else ""


def still_counts(chosen: ChoiceContent, asked: Clarification | None) -> bool:
    """Tell whether a choice still matters: neither it nor its question was changed since."""
    return asked is not None and asked.status != "superseded" and chosen.revision == asked.revision


def changeable(asked: Clarification, chosen: str, rules: AskRules, *, has_card: bool = True) -> Changeable | None:
    """Return what people may choose instead of the label `chosen`; None if choices are final.

    Without a card nobody was asked, so the menu offers to ask next time.
    """
    if asked.change or not rules.change_within:
        return None
    others = tuple(Option(id=id_, label=label) for id_, label in asked.options if label != chosen)
    return Changeable(
        token=asked.token, revision=asked.revision, others=others, forgets=not has_card and bool(rules.remember_for)
    )
