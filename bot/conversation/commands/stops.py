"""What a stop ends when it is applied, and who may stop (pure)."""

from dataclasses import dataclass
from typing import Literal

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

    @property
    def ends(self) -> Literal["run", "question", "nothing"]:
        """What is left to end: the run may have finished, or another stop may have been first."""
        if self.item.status == "waiting":
            return "run"
        if self.asked is not None and self.asked.inbox_id == self.item.id:
            return "question"
        return "run" if self.item.status == "asking" else "nothing"

    def closes(self, may_answer: MayAnswer) -> bool:
        """Tell whether the open question ends with the item: the item asked it, or had answered it before the stop."""
        is_own = self.asked is not None and self.asked.inbox_id == self.item.id
        return is_own or self.answered_with(may_answer) is not None

    def answered_with(self, may_answer: MayAnswer) -> Choice | None:
        """Return the option that the item's words choose, if another item asked before it."""
        asked, item = self.asked, self.item
        if asked is None or asked.inbox_id == item.id or self.is_asked_later or item.kind != "turn":
            return None
        return read_typed(item.turn, item.address.person, asked, may_answer).choice


def may_stop(stop: Stop, target: Item, may_answer: MayAnswer) -> bool:
    """Tell whether a person may stop another one's question."""
    return stop.is_native or may_answer == "anyone" or stop.person == target.address.person
