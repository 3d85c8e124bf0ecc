"""Whether a choice may be changed, by which click, and what a change is worth when its turn comes (pure)."""

from datetime import datetime

from bot.conversation.asks.clarifications import Clarification, is_repeated
from bot.conversation.inputs import Click, ClickRefused, Refusal
from bot.conversation.items import Item
from bot.conversation.message_kinds import Changeable
from bot.conversation.policy import Policy
from graph.events import Option


def refusal_of_change(
    asked: Clarification | None, click: Click, rules: Policy, *, now: datetime
) -> ClickRefused | None:
    """Say why a click does not change the choice, or nothing if it does."""
    if asked is None:
        return ClickRefused(reason="unknown")
    reason = _why_not(asked, click, rules, now)
    if reason is None:
        return None
    label = asked.choice.label if asked.choice else ""
    return ClickRefused(reason=reason, answered_by=asked.answered_by, label=label, question=asked.about)


def counts(item: Item, asked: Clarification) -> bool:
    """Tell whether a reply or a revision still matters when its turn comes: nobody has chosen otherwise since."""
    return asked.status != "superseded" and item.content.get("revision", 0) == asked.revision


def replaced_label(asked: Clarification) -> str:
    """Return what a person reads of the choice that a change replaces; empty where nobody said what was meant."""
    return asked.choice.label if asked.choice and asked.choice.kind != "just_answer" else ""


def changeable(asked: Clarification, chosen: str, rules: Policy, *, has_card: bool = True) -> Changeable | None:
    """Return what people may choose instead of the label `chosen`; None where choices are final.

    Where there is no card, nobody was asked: there they may want to be.
    """
    if not rules.change_within:
        return None
    others = tuple(Option(id=id_, label=label) for id_, label in asked.options if label != chosen)
    return Changeable(token=asked.token, revision=asked.revision, others=others, forgets=not has_card)


def _why_not(asked: Clarification, click: Click, rules: Policy, now: datetime) -> Refusal | None:
    if asked.status == "superseded":
        return "superseded"
    if rules.may_answer == "asker" and click.person != asked.asker:
        return "not_yours"
    # A click names the choice that it replaces: of several that replace the same one, the first counts.
    if click.revision != asked.revision or _is_chosen(click, asked):
        return "repeated" if is_repeated(click, asked) else "answered"
    if click.choice.kind == "option" and click.choice.value not in dict(asked.options):
        return "unknown"
    return "too_late" if now >= asked.settled_at + rules.change_within else None


def _is_chosen(click: Click, asked: Clarification) -> bool:
    chosen = asked.choice
    return chosen is not None and chosen.kind == click.choice.kind == "option" and chosen.value == click.choice.value
