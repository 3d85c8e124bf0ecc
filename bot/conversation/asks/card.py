"""What people see of a question: its card, the reminder, the outcome, and the banner of an assumed interpretation."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from bot.conversation import message_store
from bot.conversation.address import PersonId, Placed
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.ask import AskRules
from bot.conversation.asks.clarifications import Clarification, assumed_reading, changeable
from bot.conversation.contents import ChoiceContent
from bot.conversation.items import Item
from bot.conversation.message_kinds import AssumptionBanner, CardOutcome, Ending
from bot.conversation.ports import Presenter
from bot.postgres.pool import Connection
from graph.asking.approvals import said_of
from graph.events import AnswerCompleted, AnswerEvent


@dataclass(frozen=True, kw_only=True)
class Cards:
    """The cards of questions back, as one presenter shows them."""

    connection: Connection
    presenter: Presenter
    rules: AskRules

    async def post(self, item: Item) -> None:
        """Post the card of the question that the item's run ended in, while it is open."""
        asked = await ask_store.last_of(self.connection, item.id)
        if asked and asked.status == "open":
            await self.presenter.ask(asked.token, asked.as_asked())

    async def remind(self, ask_id: int) -> None:
        """Remind the asker of a question, while it is open."""
        asked = await ask_store.by_id(self.connection, Clarification, ask_id)
        if asked and asked.status == "open":
            await self.presenter.remind(asked.asker, asked.question, until=asked.due_at)

    async def show_outcome(self, asked: Clarification, outcome: CardOutcome) -> Placed | None:
        """Show on a question's card how it ended, and return where that is; one that was never posted shows nothing."""
        if card := await card_of(self.connection, asked):
            await self.presenter.show_outcome(card, asked.token, asked.as_asked(), outcome)
        return card

    async def show_choice(self, item: Item, *, is_final: bool = True) -> None:
        """Show on the card what was chosen, or that nobody chose, if the run that answers it was ended before it did.

        People may change the choice again if they changed it once, or if it is not final. Other items chose nothing.
        """
        if not isinstance(item.content, ChoiceContent):
            return
        asked = await ask_store.by_id(self.connection, Clarification, item.content.ask_id)
        if asked is None or asked.status not in ("decided", "expired"):
            return
        # What an expired question was taken to mean, only an answer says.
        how: Ending = "answered" if asked.status == "decided" else "expired"
        by, label = (asked.decided_by, asked.choice.label) if how == "answered" and asked.choice else (None, "")
        menu = None if is_final and not asked.revision else changeable(asked, label, self.rules)
        await self.show_outcome(asked, CardOutcome(how=how, by=by, label=label, changeable=menu))

    async def set_banner(self, item: Item) -> None:
        """Name below an item's answer what it assumes, if it assumes something."""
        if banner := await self._banner_of(item):
            self.presenter.set_banner(banner)

    async def _banner_of(self, item: Item) -> AssumptionBanner | None:
        if not isinstance(item.content, ChoiceContent) or not item.content.revision:
            asked = await ask_store.last_of(self.connection, item.id)
            return assumed(asked, self.rules) if asked and asked.status == "offered" else None
        revision = item.content
        asked = await ask_store.by_id(self.connection, Clarification, revision.ask_id)
        if asked is None:
            return None
        # If there is a card, that has the menu.
        card, label = await card_of(self.connection, asked), revision.choice.label
        menu = None if card else changeable(asked, label, self.rules, has_card=False)
        return AssumptionBanner(label=label, instead_of=revision.instead_of, by=item.address.person, changeable=menu)

    async def close(
        self,
        asked: Clarification,
        *,
        how: Ending = "superseded",
        by: PersonId | None = None,
        until_ended: int | None = None,
    ) -> Placed | None:
        """Close a question that needs no answer any more, and show so; return where its card is.

        It may open again until the item `until_ended` is done.
        """
        await ask_store.change(self.connection, asked.id, was="open", status="superseded", superseded_by=until_ended)
        return await self.show_outcome(asked, CardOutcome(how=how, by=by))

    async def close_unseen(self, item: Item) -> None:
        """Close the question of an item whose card could not be posted: nobody can answer what nobody has seen."""
        asked = await ask_store.last_of(self.connection, item.id)
        if asked and await card_of(self.connection, asked) is None:
            await ask_store.change(self.connection, asked.id, was="open", status="superseded")

    async def showing_expired(
        self, events: AsyncGenerator[AnswerEvent], asked: Clarification, card: Placed | None
    ) -> AsyncGenerator[AnswerEvent]:
        """Pass the events on, and show on the card of an expired question what its run has assumed."""
        assumed = ""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, AnswerCompleted):
                    assumed = assumed_reading(asked, event.notes)
                yield event
        if card:
            outcome = CardOutcome(how="expired", label=assumed, changeable=changeable(asked, assumed, self.rules))
            await self.presenter.show_outcome(card, asked.token, asked.as_asked(), outcome)


async def said_of_call(connection: Connection, asked: Clarification) -> str:
    """Return what came of the call that people approved; empty if none has begun."""
    if asked.change is None:
        return ""
    outcome = await call_store.outcome_of(connection, asked.id)
    return said_of(outcome, asked.change, asked.about) if outcome else ""


async def card_of(connection: Connection, asked: Clarification) -> Placed | None:
    """Return where a question's card is, if it was posted."""
    parts = (await message_store.messages_of(connection, asked.inbox_id)).get("card")
    return parts[0] if parts else None


def assumed(asked: Clarification, rules: AskRules) -> AssumptionBanner:
    """Return what is told of a reading that nobody was asked about: people may choose another below the answer."""
    label = asked.choice.label if asked.choice else ""
    return AssumptionBanner(label=label, changeable=changeable(asked, label, rules, has_card=False))
