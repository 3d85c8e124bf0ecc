"""What items are worked on with: an engine for all, and for each a transaction in which it may call Slack."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Final

import structlog

from bot.conversation import message_store
from bot.conversation.address import Placed
from bot.conversation.asks import channel_store, family_store
from bot.conversation.asks.ask import USUAL, AskRules
from bot.conversation.asks.call_store import ApprovedCall, Write
from bot.conversation.asks.card import Cards
from bot.conversation.asks.preference_store import PreferencesIn
from bot.conversation.asks.review import ReviewChannel
from bot.conversation.contents import ChoiceContent
from bot.conversation.items import ClaimedItem, Item
from bot.conversation.message_kinds import Parts, Shown
from bot.conversation.ports import Output, Presenter
from bot.conversation.traces.recorder import keep_run
from bot.conversation.workers import claim_store
from bot.errors import SlackError
from bot.postgres.checkpoints import Saver, saver_on
from bot.postgres.pool import Connection, Database
from bot.telemetry.spans import SpansOf
from graph.builder import CompiledGraph
from graph.context import Clock, Context
from graph.run import Run
from graph.turn import Mode

MOST_SPEAKERS: Final = 6
"""The most transactions at a time that call Slack."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What all items of a surface are worked on with."""

    database: Database
    clock: Clock
    output: Output
    graph: CompiledGraph
    context_of: Callable[[Item], Context]
    """Returns the context of an item's run."""
    review_channel: ReviewChannel | None = None
    """Where people look at answers; without one, open reviews expire."""
    reviews_expire_after: timedelta
    rules: AskRules = USUAL
    mode: Mode = "conversational"
    writing_tools: Callable[[], Awaitable[Write]] | None = None
    """Returns what calls a tool that writes, once the servers were tried; `None`: none is called."""
    keeps_runs: bool = False
    """Whether the records of runs are stored, or only logged."""
    spans_of: SpansOf | None = None
    speakers: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_SPEAKERS))

    @asynccontextmanager
    async def working(self, claim: ClaimedItem, saver: Saver | None = None) -> AsyncGenerator["Work"]:
        """Lend a transaction in which Slack may be called. Their number is limited, because Slack may be slow.

        Its run keeps checkpoints in `saver`, by default in the transaction.
        """
        async with self.speakers, self.database.transaction(claim.item.workspace) as connection:
            yield Work(claim=claim, connection=connection, engine=self, saver=saver or saver_on(connection))

    def run(self, item: Item, saver: Saver) -> Run:
        """Return the run of an item's thread."""
        preferences = PreferencesIn(
            database=self.database,
            workspace=item.workspace,
            channel=item.address.channel,
            rules=self.rules,
            clock=self.clock,
        )
        context = replace(self.context_of(item), preferences=preferences)
        if self.writing_tools and isinstance(item.content, ChoiceContent):
            approved = ApprovedCall(
                database=self.database,
                workspace=item.workspace,
                ask_id=item.content.ask_id,
                connected=self.writing_tools,
                clock=self.clock,
            )
            context = replace(context, approved=approved)
        return Run(self.graph, saver, thread_id=item.thread_id, context=context)

    def presenter(self, item: Item, posted: Mapping[Shown, Parts]) -> AbstractAsyncContextManager[Presenter]:
        """Open a presenter for the item's run, which continues with earlier messages and records its own."""
        return self.output.presenter(item, posted=posted, record=partial(self.record, item))

    async def record(self, item: Item, kind: Shown, parts: Parts) -> None:
        """Record a message of an item in a transaction of its own: a run may die, but Slack keeps its messages."""
        async with self.database.one_statement(item.workspace) as connection:
            await message_store.record_message(connection, item, kind=kind, parts=parts, now=self.clock.now())


@dataclass(frozen=True, kw_only=True)
class Work:
    """One transaction on a claimed item. Nothing else runs in the item's thread meanwhile."""

    claim: ClaimedItem
    connection: Connection
    engine: Engine
    saver: Saver
    """Keeps the checkpoints of runs."""

    @property
    def item(self) -> Item:
        """The claimed item."""
        return self.claim.item

    @cached_property
    def run(self) -> Run:
        """The run of the item's thread."""
        return self.engine.run(self.item, self.saver)

    @property
    def now(self) -> datetime:
        """The time."""
        return self.engine.clock.now()

    def cards(self, presenter: Presenter) -> Cards:
        """Return the cards of questions back, as a presenter shows them."""
        return Cards(connection=self.connection, presenter=presenter, rules=self.engine.rules)

    async def end(self, *, asking: bool = False) -> None:
        """End the item with its claim, and store the record of its run: with all that the transaction holds, or not.

        Raises `ClaimLostError` if another process has taken the claim over, `RunOvertakenError` if the item was taken
        back.
        """
        await keep_run(self.connection, self.item, now=self.now)
        await claim_store.end(self.connection, self.claim, asking=asking, now=self.now)

    @asynccontextmanager
    async def presenter(self) -> AsyncGenerator[Presenter]:
        """Open a presenter that takes over the messages of earlier runs of the item."""
        async with self.engine.presenter(self.item, await self.posted(self.item)) as presenter:
            yield presenter

    async def posted(self, item: Item) -> dict[Shown, tuple[Placed, ...]]:
        """Return the messages of an item's earlier runs, also those that a dead run did not record.

        The answer that a changed choice replaces becomes its own. Raises `ClaimLostError` if the claim is lost, and
        `SlackError` if Slack does not show the thread, because the next run could post twice; the last attempt
        may miss messages.
        """
        is_first = item.id == self.item.id and self.item.attempt.is_first
        posted = await self._taken_over(item)
        shown = posted.get(item.shows, ())
        # An answer may have an unrecorded further part. Other messages have one part.
        if is_first or (shown and item.shows != "answer"):
            return posted
        lost = await self._lost(item)
        if lost is None:
            return posted
        # Also if there is nothing more to show, as for a card whose button was pressed before the card was recorded.
        await self.engine.record(item, item.shows, (*shown, lost))
        return {**posted, item.shows: (*shown, lost)}

    async def _taken_over(self, item: Item) -> dict[Shown, tuple[Placed, ...]]:
        """Return the recorded messages of the item, or of the reviewed answer. A revised answer becomes the item's.

        Raises `ClaimLostError` if another process may have answered meanwhile.
        """
        if family := await family_store.family_before(self.connection, item):
            # Apart, because a presenter records its messages in transactions of its own.
            async with self.engine.database.transaction(item.workspace) as apart:
                await claim_store.hold(apart, self.claim)
                await message_store.adopt_answer(apart, family, by=item.id)
        return await message_store.messages_of(self.connection, item.shown_for)

    async def _lost(self, item: Item) -> Placed | None:
        known = await message_store.known_messages(self.connection, item)
        with self.tolerating(failure="thread_not_read"):
            return await self.engine.output.unrecorded(item.address, known)
        return None

    async def rules_in(self, channel: str) -> AskRules:
        """Return the rules with what holds in a channel."""
        return await channel_store.rules_for(self.connection, self.engine.rules, channel)

    @contextmanager
    def tolerating(self, *, failure: str) -> Generator[None]:
        """Raise an error of Slack; at the last attempt only log it, because the thread must go on."""
        try:
            yield
        except SlackError as error:
            if not self.item.attempt.is_last:
                raise
            structlog.get_logger().warning(failure, reason=str(error))
