"""The intake of what people add to knowledge in Slack; implements `bot.contributions.add.AddingIntake`.

It only notes what is to be read: the reading of sources does the rest, as with a channel in which something changed.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import structlog

from bot.audience import ALL, is_direct, person_name
from bot.contributions.add import (
    Added,
    Addition,
    AddRefused,
    LeftOut,
    MessageChosen,
    RemovalRefused,
    Removed,
    SharedFile,
)
from bot.conversation.address import ChannelId, PersonId
from bot.knowledge import audience_store, source_store
from bot.knowledge.connectors.slack import added_store
from bot.knowledge.connectors.slack.added_store import AddedDocument
from bot.knowledge.connectors.slack.paths import SlackPart, added_in, whole_channel
from bot.knowledge.readers.formats import is_readable
from bot.knowledge.sandbox.limits import Limits
from bot.postgres.pool import Connection, Database

REREAD: Final = timedelta(days=1)
"""How often what was added is read again, for what changed while nobody listened."""

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class DatabaseAddingIntake:
    """What people add in one workspace."""

    database: Database
    workspace: str
    limits: Limits

    async def add(self, addition: Addition) -> Added | AddRefused:
        """Note a message, its thread and its files, to be read; or say why not."""
        chosen, (files, left_out) = addition.chosen, _readable(addition.files, self.limits)
        async with audience_store.transaction_as(self.database, self.workspace, ALL) as connection:
            is_read = addition.whole_thread and await _is_source(connection, chosen.channel)
            wanted = _wanted(addition, files, with_text=addition.has_text and not is_read)
            if not wanted:
                return AddRefused(reason="source" if is_read else "unreadable", left_out=left_out)
            source_id = await self._source(connection, chosen)
            if await _is_forgotten(connection, source_id, addition.writer, wanted):
                return AddRefused(reason="forgotten")
            new = await added_store.insert(
                connection, source_id, wanted, message_ts=chosen.ts, writer=addition.writer, added_by=chosen.person
            )
            for path in new:
                await source_store.report(connection, source_id, path, is_outdated=False)
            if not new:
                there = await added_store.of_thread(connection, source_id, chosen.thread_ts)
                by = next(one.added_by for one in there if one.path in wanted)
                return AddRefused(reason="added", by=by, left_out=left_out)
        _logger.info("message_added", channel=chosen.channel, person=chosen.person, documents=len(new))
        parts = [SlackPart.of_path(path) for path in new]
        return Added(
            with_text=any(not one.file for one in parts),
            whole_thread=addition.whole_thread,
            files=tuple(one.name for one in parts if one.file),
            left_out=left_out,
        )

    async def undo(self, chosen: MessageChosen) -> Removed | RemovalRefused:
        """Take out what this person added on this message."""
        return await self._remove(chosen, lambda one: (one.message_ts, one.added_by) == (chosen.ts, chosen.person))

    async def remove(self, chosen: MessageChosen, *, is_administrator: bool) -> Removed | RemovalRefused:
        """Take out what was added of a message or its thread, if the person added or wrote it, or may do it for all."""
        return await self._remove(chosen, lambda one: is_administrator or chosen.person in (one.added_by, *one.writers))

    async def _remove(self, chosen: MessageChosen, may: Callable[[AddedDocument], bool]) -> Removed | RemovalRefused:
        async with self.database.transaction(self.workspace) as connection:
            source_id = await source_store.id_of(connection, added_in(chosen.channel))
            there: list[AddedDocument] = []
            if source_id:
                # A reading that has begun stores its documents before this, or not at all.
                await audience_store.hold(connection, source_id)
                there = _concerned(await added_store.of_thread(connection, source_id, chosen.thread_ts), chosen)
            theirs = [one.path for one in there if may(one)]
            if source_id and theirs:
                await added_store.remove(connection, source_id, theirs)
            elif there:
                return RemovalRefused(reason="not_yours", by=there[0].added_by)
            else:
                is_read = await _is_source(connection, chosen.channel)
                return RemovalRefused(reason="source" if is_read else "unknown")
        _logger.info("addition_removed", channel=chosen.channel, person=chosen.person, documents=len(theirs))
        return Removed(documents=len(theirs))

    async def _source(self, connection: Connection, chosen: MessageChosen) -> int:
        """Return the source that holds what was added in a conversation. Its people read it, and nobody else."""
        location = added_in(chosen.channel)
        if known := await source_store.id_of(connection, location):
            return known
        source_id = await source_store.add_source(connection, self.workspace, location, "slack")
        await source_store.set_schedule(connection, source_id, every=REREAD)
        if is_direct(chosen.channel):
            await audience_store.share(connection, source_id, "", [person_name(chosen.person)])
        return source_id


async def _is_source(connection: Connection, channel: ChannelId) -> bool:
    return await source_store.id_of(connection, whole_channel(channel)) is not None


async def _is_forgotten(connection: Connection, source_id: int, writer: PersonId, paths: Collection[str]) -> bool:
    """Tell whether somebody wished on request that this is never stored again."""
    of_person = await source_store.is_anyone_forgotten(connection, [writer])
    return of_person or bool(await source_store.forgotten_of(connection, source_id, paths))


def _wanted(addition: Addition, files: Sequence[SharedFile], *, with_text: bool) -> list[str]:
    """Return the paths of what is to be read."""
    chosen = addition.chosen
    text = SlackPart(thread_ts=chosen.thread_ts, ts="" if addition.whole_thread else chosen.ts)
    shared = [SlackPart(thread_ts=chosen.thread_ts, ts=chosen.ts, file=file.id, name=file.name) for file in files]
    return [one.path for one in ([text, *shared] if with_text else shared)]


def _concerned(there: Sequence[AddedDocument], chosen: MessageChosen) -> list[AddedDocument]:
    """Return the documents with words of a message; a thread's first message stands for the whole thread."""
    is_root = chosen.ts == chosen.thread_ts
    return [one for one in there if is_root or SlackPart.of_path(one.path).ts in ("", chosen.ts)]


def _readable(files: Sequence[SharedFile], limits: Limits) -> tuple[list[SharedFile], tuple[LeftOut, ...]]:
    """Return the files that can be read, and the others with a reason for people. Two may have one name."""
    reasons = [(file, _why_unreadable(file, limits)) for file in files]
    left_out = tuple(LeftOut(name=file.name, why=why) for file, why in reasons if why)
    return [file for file, why in reasons if not why], left_out


def _why_unreadable(file: SharedFile, limits: Limits) -> str:
    if not file.is_here:
        return "it is not stored in Slack"
    if not is_readable(Path(file.name).suffix.lower()):
        return "I cannot read this format"
    largest = limits.largest_mb(file.name)
    return f"it is larger than {largest:g} MB" if file.size > largest * 1_000_000 else ""
