"""What the handler of an item works with: one transaction, in which it may call Slack and store what comes of it."""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial

import structlog

from bot.conversation import message_store
from bot.conversation.address import Placed
from bot.conversation.asks import channel_store
from bot.conversation.asks.ask import MayAnswer, Policy
from bot.conversation.asks.card import Cards
from bot.conversation.asks.reviewing import Reviewing
from bot.conversation.commands import family_store
from bot.conversation.items import Claim, Item
from bot.conversation.message_kinds import Parts, Shown
from bot.conversation.ports import Output, Presenter
from bot.conversation.retry import Attempt
from bot.errors import SlackError
from bot.postgres.pool import Connection, Database
from graph.context import Clock
from graph.run import Run
from graph.turn import Mode


@contextmanager
def tolerating(*, may_miss: bool, failure: str) -> Generator[None]:
    """Raise an error of Slack; only log it if the work `may_miss` the call's result, as at the last attempt."""
    try:
        yield
    except SlackError as error:
        if not may_miss:
            raise
        structlog.get_logger().warning(failure, reason=str(error))


class Posting:
    """Opens presenters that continue with the messages of earlier runs."""

    def __init__(self, database: Database, output: Output, clock: Clock) -> None:
        self._database = database
        self._output = output
        self._clock = clock

    async def posted(
        self, item: Item, connection: Connection, *, is_first: bool = False, may_miss: bool = False
    ) -> dict[Shown, tuple[Placed, ...]]:
        """Return the messages of earlier runs, also those that a dead run did not record.

        Raises `SlackError` if Slack does not show the thread, because the next run could post twice; not if it
        `may_miss` messages. No run can have died before the first attempt.
        """
        if is_first and not item.asking and not item.takes_over:
            return {}
        posted = await _recorded(item, connection)
        shown = posted.get(item.shows, ())
        # An answer may have an unrecorded further part. Other messages have one part.
        if is_first or item.is_change or (shown and item.shows != "answer"):
            return posted
        lost = await self._lost(item, connection, may_miss=may_miss)
        if lost is None:
            return posted
        # Also if there is nothing more to show, as for a card whose button was pressed before the card was recorded.
        await self._record(item, item.shows, (*shown, lost))
        return {**posted, item.shows: (*shown, lost)}

    async def _lost(self, item: Item, connection: Connection, *, may_miss: bool) -> Placed | None:
        known = await message_store.known_messages(connection, item)
        with tolerating(may_miss=may_miss, failure="thread_not_read"):
            return await self._output.unrecorded(item.address, known)
        return None

    def presenter(self, item: Item, posted: Mapping[Shown, Parts]) -> AbstractAsyncContextManager[Presenter]:
        """Open a presenter for the item's run. It records the messages."""
        return self._output.presenter(
            item.address,
            reference=item.reference,
            posted=posted,
            record=partial(self._record, item),
            is_discreet=item.kind == "turn" and not item.turn.addressed,
        )

    async def _record(self, item: Item, kind: Shown, parts: Parts) -> None:
        # Record in a transaction of its own: a run may die, but Slack keeps its messages.
        async with self._database.transaction(item.workspace) as connection:
            shown = replace(item, id=item.shown_for)
            await message_store.record_message(connection, shown, kind=kind, parts=parts, now=self._clock.now())


async def _recorded(item: Item, connection: Connection) -> dict[Shown, tuple[Placed, ...]]:
    """Return the messages that the item's run takes over: its own, or those of the revised or reviewed answer."""
    if item.kind != "revision":
        return await message_store.messages_of(connection, item.shown_for)
    return await message_store.last_messages_of(connection, await family_store.family_before(connection, item))


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
