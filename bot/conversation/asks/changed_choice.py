"""What a changed choice does: its question runs anew, and the new answer takes the place of the earlier one."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from bot.conversation import message_store
from bot.conversation.asks import ask_store
from bot.conversation.asks.card import card_of, revised, show_outcome
from bot.conversation.asks.clarifications import Clarification, changeable, counts
from bot.conversation.commands import change_store
from bot.conversation.items import Item
from bot.conversation.message_kinds import CardOutcome
from bot.conversation.policy import Policy
from bot.conversation.ports import Presenter
from bot.conversation.turns import burst_store
from bot.postgres.pool import Connection
from graph.events import AnswerEvent
from graph.run import Run
from graph.turn import Mode, Turn


async def still_counts(item: Item, connection: Connection) -> bool:
    """Tell whether a choice is to be answered, made or changed: neither it nor its question was changed since."""
    asked = await ask_store.by_id(connection, Clarification, item.ask_id)
    return asked is not None and counts(item, asked)


async def question_anew(connection: Connection, asked: Clarification, *, mode: Mode) -> Turn:
    """Return what a question was asked about, to be answered with a choice from the beginning.

    Whoever chooses wants an answer, also to what was not said to the bot.
    """
    question = await burst_store.whole_turn(connection, asked.inbox_id)
    return replace(question.turn, key=question.address.message_ts, addressed=True, mode=mode)


@dataclass(frozen=True, kw_only=True)
class Revising:
    """One changed choice in its thread, where nothing else runs meanwhile."""

    item: Item
    run: Run
    connection: Connection
    presenter: Presenter
    mode: Mode
    rules: Policy

    async def events(self) -> AsyncGenerator[AnswerEvent]:
        """Begin the run with the other choice."""
        asked = await ask_store.by_id(self.connection, Clarification, self.item.ask_id)
        if asked is None:
            raise LookupError("The question of a changed choice is gone.")
        await self._show_choice(asked)
        turn = await question_anew(self.connection, asked, mode=self.mode)
        return self.run.start(turn, self.item.choice)

    async def _show_choice(self, asked: Clarification) -> None:
        card = await card_of(self.connection, asked)
        by, label = self.item.address.person, self.item.choice.label
        menu = changeable(asked, label, self.rules, has_card=card is not None)
        self.presenter.set_banner(revised(self.item, asked, self.rules, has_card=card is not None))
        outcome = CardOutcome(how="answered", by=by, label=label, changeable=menu)
        await show_outcome(card, self.presenter, asked, outcome)


async def take_place(item: Item, connection: Connection) -> None:
    """Let the answer to a changed choice be the only one that its question has."""
    asked = await ask_store.by_id(connection, Clarification, item.ask_id)
    if asked:
        family = await change_store.family_of(connection, asked.inbox_id)
        await message_store.keep_own_answer(connection, item, family)
