"""Applies a stop while nothing runs in its thread: to the message, to an open question, and to memory."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial

from bot.conversation import question, store
from bot.conversation.address import PersonId, Placed
from bot.conversation.asks import ask_store, call_store, channel_store
from bot.conversation.asks.card import show_choice, show_outcome, supersede
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.commands.stops import Stopped, answered_with, closes, what_ends
from bot.conversation.items import Item
from bot.conversation.message_kinds import CardOutcome, Parts, Shown
from bot.conversation.partial_answer import PartialAnswer
from bot.conversation.policy import Policy
from bot.conversation.ports import Output, Presenter
from bot.conversation.posting import tolerating
from bot.postgres.pool import Connection
from graph.turn import Choice


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """Applies one stop. Applying it twice, as after a crash, changes nothing more.

    Raises `SlackError` if the partial answer cannot be read, or the stop cannot be shown. After the last attempt the
    stop is applied anyway, because the thread must go on.
    """

    connection: Connection
    output: Output
    presenter: Presenter
    posted: Mapping[Shown, Parts]
    """The messages of the stopped item."""
    remember: Callable[[Item, PartialAnswer], Awaitable[None]]
    """Adds an item's question to the thread's memory, with its partial answer."""
    rules: Policy
    is_last: bool
    now: datetime

    async def bring_into_force(self, stopped: Stopped, *, by: PersonId | None) -> None:
        """End the item. The partial answer stays in thread and memory, and the message says who stopped it."""
        if stopped.item.kind == "reply":
            await call_store.withdraw(self.connection, stopped.item.ask_id)
        card = await self._close_question(stopped, by)
        said = await self._said(stopped)
        if what_ends(stopped) == "run" or card is None:
            with tolerating(may_miss=self.is_last, failure="stop_not_shown"):
                await self.presenter.stop(said, by=by)
        await self.remember(stopped.item, said)
        ended = partial(question.ended, status="stopped", now=self.now)
        await store.change(self.connection, [stopped.item.id], ended)

    async def _close_question(self, stopped: Stopped, by: PersonId | None) -> Placed | None:
        """Close the question that the item asked, or that a cancelled run has answered; return its card."""
        await show_choice(stopped.item, self.connection, self.presenter, self.rules)
        if stopped.asked is None:
            return None
        rules = await channel_store.rules_for(self.connection, self.rules, stopped.asked.channel)
        if not closes(stopped, rules.may_answer):
            await ask_store.show_again(self.connection, beside=stopped.item.id, now=self.now)
            return None
        choice = answered_with(stopped, rules.may_answer)
        if choice and (self.posted.get("answer") or stopped.item.turn.addressed):
            await self._keep_choice(stopped.item, stopped.asked, choice)
            return None
        return await supersede(self.connection, self.presenter, stopped.asked, how="stopped", by=by)

    async def _keep_choice(self, item: Item, asked: Clarification, choice: Choice) -> None:
        """Keep the typed answer as the choice; a button below it answers the question after all."""
        by = item.address.person
        await ask_store.decide(self.connection, asked.id, asdict(choice), by=by, now=self.now, decided_in=item.id)
        outcome = CardOutcome(how="answered", by=by, label=choice.label)
        await show_outcome(self.connection, self.presenter, asked, outcome)

    async def _said(self, stopped: Stopped) -> PartialAnswer:
        said, placed = stopped.said or PartialAnswer(), self.posted.get("answer")
        if said.text or said.is_withdrawn or not placed:
            return said
        # After a kill, or an end before new text, only the visible message has the partial answer.
        text = ""
        with tolerating(may_miss=self.is_last, failure="thread_not_read"):
            text = await self.output.said(stopped.item.address, placed)
        return PartialAnswer(text=text, is_earlier=True) if stopped.is_again and text else replace(said, text=text)
