"""What a stop ends when its turn comes, and who may want it (pure)."""

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
    """What a stop is about, as the inbox knows it."""

    item: Item
    asked: Clarification | None
    """The question that is open in the item's thread, whoever asked it."""
    is_asked_later: bool = False
    """Whether it was asked by an item that comes after this one."""

    @property
    def said(self) -> PartialAnswer | None:
        """What the run had said, if it was ended in good order."""
        return PartialAnswer.of_json(self.item.partial) if self.item.partial else None

    @property
    def is_again(self) -> bool:
        """Whether what people see may answer what the item was before: it runs again, perhaps with another text.

        So may what stands where a run is about to ask back, which itself has said nothing.
        """
        return self.item.runs_again or self.item.asking or self.item.kind == "revision"


def may_stop(stop: Stop, target: Item, may_answer: MayAnswer) -> bool:
    """Tell whether a person may stop what another one asked."""
    return stop.is_native or may_answer == "anyone" or stop.person == target.address.person


def what_ends(stopped: Stopped) -> Literal["run", "question", "nothing"]:
    """Tell what there still is to end: the run may have finished, or another stop have come first."""
    if stopped.item.status == "waiting":
        return "run"
    if stopped.asked is not None and stopped.asked.inbox_id == stopped.item.id:
        return "question"
    return "run" if stopped.item.status == "asking" else "nothing"


def closes(stopped: Stopped, may_answer: MayAnswer) -> bool:
    """Tell whether the open question ends with the item: the item asked it, or answered it before it was ended."""
    asked = stopped.asked
    is_own = asked is not None and asked.inbox_id == stopped.item.id
    return is_own or answered_with(stopped, may_answer) is not None


def answered_with(stopped: Stopped, may_answer: MayAnswer) -> Choice | None:
    """Return what the item's words choose of the open question, which another item has asked before it."""
    asked, item = stopped.asked, stopped.item
    if asked is None or asked.inbox_id == item.id or stopped.is_asked_later or item.kind != "turn":
        return None
    return read_typed(item.turn, item.address.person, asked, may_answer).choice


def by_whom(stop: Item) -> PersonId | None:
    """Return who pressed Stop, where Slack has said so."""
    return stop.content["by"]
