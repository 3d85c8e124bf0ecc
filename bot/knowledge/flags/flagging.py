"""The door for what readers say of documents; implements `bot.contributions.flag.FlagIntake`."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from bot.audience import ALL, Names
from bot.contributions.flag import (
    OF_DOCUMENTS,
    CitedDocument,
    FlagNotice,
    Objection,
    Objectionable,
    Owners,
    RatedAnswer,
    Recipient,
    TellOwner,
    Voice,
)
from bot.knowledge.audience_store import read_as
from bot.knowledge.flags import flag_store
from bot.knowledge.flags.flag_store import Flagged, StoredFlag
from bot.postgres.pool import Connection, Database
from graph.answer.document_questions import named_owner
from graph.context import Clock

KEPT: Final = timedelta(days=90)
"""How long a flag that nobody settles counts, and how long what a reader wrote is kept."""
_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class FlagDoor:
    """The flags of one workspace."""

    database: Database
    clock: Clock
    workspace: str
    review_channel: Recipient | None = None
    """Who is told of documents without an owner."""

    async def look(self, answer: RatedAnswer, names: Names) -> Objectionable:
        """Return what a person who reads under these names may say of an answer."""
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, names)
            documents = await flag_store.cited(connection, answer.passages)
            return Objectionable(documents=documents, said=await flag_store.said(connection, answer))

    async def note(self, objection: Objection, names: Names) -> list[CitedDocument] | None:
        """Store what a person says was wrong; return the documents that are flagged now.

        None if the person did not dislike an answer there.
        """
        async with self.database.transaction(self.workspace) as connection:
            inbox_id = await flag_store.note_reason(connection, objection)
            if inbox_id is None:
                return None
            await read_as(connection, names)
            documents = await _concerned(connection, objection)
            # Flags that the person may not read any more are theirs to take back all the same.
            await read_as(connection, ALL)
            ids = [document.id for document in documents]
            await flag_store.flag(connection, inbox_id, objection, ids, now=self.clock.now())
        _logger.info("answer_disliked", reason=objection.reason, documents=ids)
        return documents

    async def take_back(self, answer: RatedAnswer, *, is_liked: bool) -> None:
        """Forget what a person said was wrong with an answer; also the rating itself, unless it is good now."""
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, ALL)
            if is_liked:
                await flag_store.withdraw(connection, answer)
            else:
                await flag_store.delete_rating(connection, answer)

    async def settle(self, document_id: int, by: Recipient, names: Names) -> bool:
        """Let a document count as right, if who was told of its flags says so; return whether they counted."""
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, names)
            if not await flag_store.was_told(connection, document_id, by):
                return False
            await flag_store.settle(connection, document_id, now=self.clock.now())
        _logger.info("flags_settled", document=document_id)
        return True

    async def reread(self, document_id: int, by: Recipient, names: Names) -> bool:
        """Let a document's source be read again at once, if who was told of its flags wants it."""
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, names)
            is_theirs = await flag_store.was_told(connection, document_id, by)
            return is_theirs and await flag_store.let_be_read(connection, document_id)

    async def tell_next(self, tell: TellOwner, owners: Owners) -> bool:
        """Let the owner of the next flagged document be told; return whether there was one.

        The document is locked meanwhile. If the process dies, another one tells, and finds what was posted.
        """
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, ALL)
            document = await flag_store.next_flagged(connection)
        if document is None:
            return False
        # Slack may take its time, so it is asked before anything is locked.
        readers = [(one, await owners.names_of(one)) for one in await self._candidates(document, owners)]
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, ALL)
            if not await flag_store.lock(connection, document.id):
                return False
            owner = await _tell_first(connection, document, readers, tell)
            await read_as(connection, ALL)
            flags = await flag_store.untold(connection, document.id)
            await flag_store.set_told(connection, [one.id for one in flags], to=owner, now=self.clock.now())
        _logger.info("document_flagged", document=document.id, told=owner is not None)
        return True

    async def forget_old(self) -> bool:
        """Delete flags, and what readers wrote, after a while; return whether there is more to delete."""
        async with self.database.transaction(self.workspace) as connection:
            await read_as(connection, ALL)
            await flag_store.forget_before(connection, self.clock.now() - KEPT)
        return False

    async def _candidates(self, document: Flagged, owners: Owners) -> list[Recipient]:
        """Return who may own a document, the nearest first: as it says itself, who added it, its source's owner."""
        named = named_owner(document.attributes)
        own = await owners.named(named) if named else None
        candidates = (own, document.added_by, document.source_owner, self.review_channel)
        return list(dict.fromkeys(one for one in candidates if one))


async def _concerned(connection: Connection, objection: Objection) -> list[CitedDocument]:
    if objection.reason not in OF_DOCUMENTS:
        return []
    documents = await flag_store.cited(connection, objection.answer.passages)
    return [one for one in documents if objection.document_id in (None, one.id)]


async def _tell_first(
    connection: Connection, document: Flagged, readers: list[tuple[Recipient, Names]], tell: TellOwner
) -> Recipient | None:
    """Tell the first who may read the document, and what contradicts it; return who that is."""
    for recipient, names in readers:
        await read_as(connection, names)
        if flags := await flag_store.untold(connection, document.id):
            await tell(_notice(document, flags), recipient)
            return recipient
    return None


def _notice(document: Flagged, flags: list[StoredFlag]) -> FlagNotice:
    return FlagNotice(
        document_id=document.id,
        title=document.title,
        path=document.path,
        since=flags[0].flagged_at,
        voices=[
            Voice(
                reason=one.reason, words=one.words, person=one.person if one.is_named else None, other=one.other,
                other_dated=one.other_dated,
            )
            for one in flags
        ],
        can_reread=document.is_scheduled,
    )  # fmt: skip
