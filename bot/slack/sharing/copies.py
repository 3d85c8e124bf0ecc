"""Posts and deletes the copies of shared answers, outside of transactions and after the click was acknowledged."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Final, TypeAlias

import structlog

from bot.audience import Names
from bot.conversation.address import Address, ChannelId, NamesAt, Placed, Ts
from bot.conversation.asks import family_store
from bot.conversation.items import Item
from bot.errors import (
    ChannelSharedError,
    OutcomeUnknownError,
    PersonLookupError,
    PostRefusedError,
    SlackBusyError,
    SlackError,
)
from bot.postgres.pool import Connection
from bot.runtime import looking
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.blocks import share_cards
from bot.slack.blocks.elements import Block
from bot.slack.channel_modes.mode_store import Storing
from bot.slack.sharing import share_store
from bot.slack.sharing.share_store import MOST_ATTEMPTS, SharedCopy
from graph.context import Clock

MayRead: TypeAlias = Callable[[Connection, Names, Collection[int]], Awaitable[bool]]
"""Tells whether these names may read all these passages now, and they are as they were."""
PATIENCE_SECONDS: Final = 150.0
"""How long Slack may take for a copy. It is less than the lease, so that no two processes post the same copy."""
LOOK_SECONDS: Final = 30.0
"""The seconds between two looks for copies that somebody left undone."""
_NOBODY: Final = Names()


class _NotSharedError(Exception):
    """An answer may not be shared; the text is for its sharer."""


class SharedCopies:
    """The copies of one workspace. What is to be done is committed first; any process may do it."""

    def __init__(
        self,
        storing: Storing,
        messenger: Messenger,
        tasks: BackgroundTasks,
        clock: Clock,
        *,
        names_of: NamesAt,
        may_read: MayRead,
    ) -> None:
        self._storing = storing
        self._messenger = messenger
        self._tasks = tasks
        self._clock = clock
        self._names_of = names_of
        self._may_read = may_read

    def running(self) -> AbstractAsyncContextManager[None]:
        """Look, until the context ends, for copies that a process or a failure left undone."""
        return looking(self.do_next, name="shared_answers", every_seconds=LOOK_SECONDS, failure="sharing_failed")

    async def share(self, asked: Address, answer: Placed) -> None:
        """Store that an answer is shared where it was asked for, once; post its copy in the background."""
        async with self._storing() as connection:
            is_new = await share_store.want(connection, asked, answer, now=self._clock.now())
        if is_new:
            self._tasks.run(self._do_due())

    async def take_back(self, message_key: str) -> None:
        """Store that the copy of a question's answer must go, if it was shared; delete it in the background."""
        async with self._storing() as connection:
            is_there = await share_store.unwant(connection, message_key, now=self._clock.now())
        if is_there:
            self._tasks.run(self._do_due())

    async def do_next(self) -> bool:
        """Post or delete the copy that has been due the longest; return whether there was one.

        Whatever fails, the copy is due again when its lease is over, and others are not held up. After `MOST_ATTEMPTS`
        it is not posted any more.
        """
        async with self._storing() as connection:
            copy = await share_store.take_next(connection, now=self._clock.now())
        if copy is None:
            return False
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await (self._delete(copy) if copy.is_unwanted else self._post(copy))
        except Exception as error:  # noqa: BLE001 — whatever stopped it, the next attempt may go well.
            await self._failed(copy, error)
        return True

    async def _failed(self, copy: SharedCopy, error: Exception) -> None:
        """Log a failure. After the last attempt to post a copy give it up."""
        structlog.get_logger().warning("sharing_failed", error=type(error).__name__, attempt=copy.attempts)
        if copy.is_unwanted or copy.attempts < MOST_ATTEMPTS:
            return
        async with self._storing() as connection:
            is_new = await share_store.give_up(connection, copy.id)
        if is_new:
            structlog.get_logger().error("share_given_up", channel=copy.channel)

    async def _do_due(self) -> None:
        # A copy whose question is changed while it is posted is due again at once.
        while await self.do_next():
            pass

    async def _post(self, copy: SharedCopy) -> None:
        """Post a copy, once, if that is allowed at this moment; else tell its sharer why not."""
        async with self._storing() as connection:
            question = await family_store.question_of(connection, copy.answer)
        try:
            # A process may have died between its post and its record.
            ts = await self._found(copy) or await self._posted(copy, question)
        except _NotSharedError as refusal:
            async with self._storing() as connection:
                await share_store.drop(connection, copy.id)
            if question:
                self._tasks.run(self._messenger.post_ephemeral(question.address, str(refusal)))
            return
        async with self._storing() as connection:
            noted = await share_store.note_posted(connection, copy.id, ts, now=self._clock.now())
        if noted:
            structlog.get_logger().info("answer_shared", **noted)

    async def _found(self, copy: SharedCopy) -> Ts | None:
        try:
            return await self._messenger.find(copy.channel, copy.key, thread_ts=copy.thread_ts)
        except PostRefusedError as error:
            raise _NotSharedError(share_cards.NOT_THERE) from error

    async def _posted(self, copy: SharedCopy, question: Item | None) -> Ts:
        asked = question.address.asked_at if question else None
        if question is None or asked is None:
            raise _NotSharedError(share_cards.NOT_YOURS)
        blocks = await self._checked(copy, question.address, asked)
        try:
            return await self._messenger.post(
                copy.channel, text=share_cards.SHARED, blocks=blocks, thread_ts=copy.thread_ts, key=copy.key
            )
        except ChannelSharedError as error:
            raise _NotSharedError(share_cards.OUTSIDERS_THERE) from error
        except PostRefusedError as error:
            raise _NotSharedError(share_cards.NOT_THERE) from error

    async def _checked(self, copy: SharedCopy, address: Address, asked: Address) -> list[Block]:
        """Return what to post, and record from which documents it is. Raises `_NotSharedError`."""
        own_names, own_channels = await self._rights_of(asked)
        if copy.channel not in own_channels:
            raise _NotSharedError(share_cards.NOT_A_MEMBER)
        names_there = await self._names_there(asked)
        shown = await self._messenger.message(copy.answer_channel, address.thread_ts, copy.answer_ts)
        blocks: list[Block] = shown.get("blocks") or [] if shown else []
        cited = share_cards.rests_on(blocks)
        async with self._storing() as connection:
            is_open = await self._may_read(connection, names_there, cited)
            if not is_open and not address.alone:
                raise _NotSharedError(share_cards.NOT_FOR_ALL)
            if not cited or not await self._may_read(connection, own_names, cited):
                raise _NotSharedError(share_cards.NOT_FOR_YOU_ANY_MORE)
            await share_store.note_documents(connection, copy.id, cited, restricted=not is_open)
        return share_cards.shared_blocks(blocks, asked.person, is_restricted=not is_open)

    async def _rights_of(self, asked: Address) -> tuple[Names, Collection[str]]:
        """Return under which names the asker reads alone, and the channels that they are in, as Slack says it now."""
        try:
            names = await self._names_of(replace(asked, channel=ChannelId("D")))
            return names, await self._messenger.channels_of(asked.person)
        except SlackError:
            return _NOBODY, ()

    async def _names_there(self, asked: Address) -> Names:
        """Return under which names all of the channel reads."""
        try:
            return await self._names_of(asked)
        except PersonLookupError:
            return _NOBODY

    async def _delete(self, copy: SharedCopy) -> None:
        """Delete a copy, if it was posted."""
        ts = copy.ts
        try:
            ts = ts or await self._messenger.find(copy.channel, copy.key, thread_ts=copy.thread_ts)
            if ts:
                await self._messenger.delete(copy.channel, ts)
        except PostRefusedError as error:
            # It is gone, or stays for good.
            structlog.get_logger().warning("copy_not_deleted", channel=copy.channel, error=str(error))
        if copy.must_be_told:
            await self._report_given_up(copy)
        async with self._storing() as connection:
            if ts:
                await share_store.note_taken_back(connection, copy.id, ts, now=self._clock.now())
            else:
                await share_store.drop(connection, copy.id)

    async def _report_given_up(self, copy: SharedCopy) -> None:
        """Tell a sharer that their answer was not posted, before that is settled: only now does Slack take calls."""
        async with self._storing() as connection:
            question = await family_store.question_of(connection, copy.answer)
        if not question:
            return
        try:
            await self._messenger.post_ephemeral(question.address, share_cards.GIVEN_UP)
        except (OutcomeUnknownError, SlackBusyError):
            raise
        except SlackError as error:
            structlog.get_logger().warning("sharer_not_told", error=str(error))
