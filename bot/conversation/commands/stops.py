"""What a stop ends when it is applied, and who may stop (pure)."""

from dataclasses import dataclass
from typing import Literal

from bot.conversation.address import PersonId
from bot.conversation.asks.clarifications import Clarification, read_typed
from bot.conversation.inputs import Stop
from bot.conversation.items import Item
from bot.conversation.partial_answer import PartialAnswer
from bot.conversation.policy import MayAnswer
from graph.turn import Choice


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """The target of a stop, as the inbox knows it."""

    item: Item
    asked: Clarification | None
    """The open question of the item's thread, whoever asked it."""
    is_asked_later: bool = False
    """Whether a later item has asked it."""

    @property
    def said(self) -> PartialAnswer | None:
        """The partial answer of the run, if it was cancelled properly."""
        return PartialAnswer.of_json(self.item.partial) if self.item.partial else None

    @property
    def is_again(self) -> bool:
        """Whether the item runs again, so that its visible answer may be to its earlier words.

        The same holds for a run that was about to ask back and has shown nothing itself.
        """
        return self.item.runs_again or self.item.asking or self.item.kind == "revision"


def may_stop(stop: Stop, target: Item, may_answer: MayAnswer) -> bool:
    """Tell whether a person may stop another one's question."""
    return stop.is_native or may_answer == "anyone" or stop.person == target.address.person


def what_ends(stopped: Stopped) -> Literal["run", "question", "nothing"]:
    """Return what is left to end: the run may have finished, or another stop may have been first."""
    if stopped.item.status == "waiting":
        return "run"
    if stopped.asked is not None and stopped.asked.inbox_id == stopped.item.id:
        return "question"
    return "run" if stopped.item.status == "asking" else "nothing"


def closes(stopped: Stopped, may_answer: MayAnswer) -> bool:
    """Tell whether the open question ends with the item: the item asked it, or had answered it before the stop."""
    asked = stopped.asked
    is_own = asked is not None and asked.inbox_id == stopped.item.id
    return is_own or answered_with(stopped, may_answer) is not None


def answered_with(stopped: Stopped, may_answer: MayAnswer) -> Choice | None:
    """Return the option that the item's words choose, if another item asked before it."""
    asked, item = stopped.asked, stopped.item
    if asked is None or asked.inbox_id == item.id or stopped.is_asked_later or item.kind != "turn":
        return None
    return read_typed(item.turn, item.address.person, asked, may_answer).choice


def by_whom(stop: Item) -> PersonId | None:
    """Return who pressed Stop, if Slack says so."""
    return stop.content["by"]
