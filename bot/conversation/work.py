"""What the handler of an item works with: one transaction, in which it may call Slack and store what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bot.conversation.address import Placed
from bot.conversation.asks import channel_store
from bot.conversation.asks.card import Cards
from bot.conversation.items import Claim, Item
from bot.conversation.message_kinds import Shown
from bot.conversation.policy import MayAnswer, Policy
from bot.conversation.ports import Output, Presenter
from bot.conversation.posting import Posting
from bot.conversation.reviews.reviewing import Reviewing
from bot.conversation.turns.retry import Attempt
from bot.postgres.pool import Connection
from graph.context import Clock
from graph.run import Run
from graph.turn import Mode


@dataclass(frozen=True, kw_only=True)
class Work:
    """One transaction on a claimed item. Nothing else runs in the item's thread meanwhile."""

    claim: Claim
    connection: Connection
    output: Output
    posting: Posting
    reviewing: Reviewing
    run_of: Callable[[Item], Run]
    """Returns the run of an item's thread; it stores its checkpoints with this work."""
    rules: Policy
    mode: Mode
    clock: Clock

    @property
    def item(self) -> Item:
        """The claimed item."""
        return self.claim.item

    @property
    def attempt(self) -> Attempt:
        """The attempt that the claim has counted."""
        return self.claim.attempt

    @cached_property
    def run(self) -> Run:
        """The run of the item's thread."""
        return self.run_of(self.item)

    @property
    def now(self) -> datetime:
        """The time."""
        return self.clock.now()

    def cards(self, presenter: Presenter) -> Cards:
        """Return the cards of questions back, as a presenter shows them."""
        return Cards(connection=self.connection, presenter=presenter, rules=self.rules)

    async def posted(self, item: Item) -> dict[Shown, tuple[Placed, ...]]:
        """Return the messages of earlier runs of an item in this thread; the last attempt may miss some.

        Raises `SlackError` if Slack does not say.
        """
        is_first = item.id == self.item.id and self.attempt.is_first
        return await self.posting.posted(item, self.connection, is_first=is_first, may_miss=self.attempt.is_last)

    async def may_answer(self, channel: str) -> MayAnswer:
        """Return who may answer a question back in a channel."""
        return (await channel_store.rules_for(self.connection, self.rules, channel)).may_answer
