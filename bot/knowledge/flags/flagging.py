"""The intake of what readers say of documents; implements `bot.contributions.flag.FlagIntake`."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from bot.audience import ALL, Names, NamesOf
from bot.contributions.flag import (
    OF_DOCUMENTS,
    CitedDocument,
    Fate,
    FlaggedDocument,
    FlagNotice,
    Objection,
    Objectionable,
    Owners,
    RatedAnswer,
    Recipient,
    Report,
    TellOwner,
    TellReader,
    Voice,
)
from bot.conversation.address import Placed
from bot.knowledge.audience_store import read_as, transaction_as
from bot.knowledge.flags import flag_store, report_store
from bot.knowledge.flags.flag_store import Flagged, OwnFlag, StoredFlag
from bot.knowledge.flags.report_store import StoredReport
from bot.links import vouched_page
from bot.postgres.pool import Connection, Database
from graph.context import Clock
from graph.documents.questions import named_owner

KEPT: Final = timedelta(days=90)
"""How long a flag that nobody settles counts, and how long what a reader wrote is kept."""
_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class DatabaseFlagIntake:
    """The flags of one workspace."""

    database: Database
    clock: Clock
    workspace: str
    review_channel: Recipient | None = None
    """Who is told of documents without an owner."""
    link_hosts: Collection[str] = ()
    """The hosts to which documents' addresses may lead."""

    async def look(self, answer: RatedAnswer, names: Names) -> Objectionable:
        """Return what a person who reads under these names may say of an answer."""
        async with transaction_as(self.database, self.workspace, names) as connection:
            documents = await flag_store.cited(connection, answer.passages)
            inbox_id = await flag_store.item_of(connection, answer)
            said = await flag_store.reason_given(connection, inbox_id, answer.person) if inbox_id else ""
            return Objectionable(documents=documents, said=said)

    async def note(self, objection: Objection, names: Names) -> list[FlaggedDocument] | None:
        """Store what a person says was wrong; return the documents that they have flagged by this answer.

        None if the person did not dislike an answer there.
        """
        now, person = self.clock.now(), objection.answer.person
        async with self.database.transaction(self.workspace) as connection:
            inbox_id = await flag_store.item_of(connection, objection.answer)
            if inbox_id is None or not await flag_store.note_reason(connection, inbox_id, objection):
                return None
            await read_as(connection, names)
            documents = await _concerned(connection, objection)
            # The person may also take back flags on documents that they may not read any more.
            await read_as(connection, ALL)
            ids = [document.id for document in documents]
            await flag_store.flag(connection, inbox_id, objection, ids, now=now)
            await report_store.keep(connection, inbox_id, person, now=now)
            own = await flag_store.own_flags(connection, inbox_id, person)
        _logger.info("answer_disliked", reason=objection.reason, documents=ids)
        return [FlaggedDocument(title=one.title, fate=self._fate(one)) for one in own]

    async def take_back(self, answer: RatedAnswer, *, is_liked: bool) -> None:
        """Forget what a person said was wrong with an answer; also the rating itself, unless it is good now."""
        async with transaction_as(self.database, self.workspace, ALL) as connection:
            inbox_id = await flag_store.item_of(connection, answer)
            if inbox_id and is_liked:
                await flag_store.withdraw(connection, inbox_id, answer.person)
                await report_store.withdraw(connection, inbox_id, answer.person)
            elif inbox_id:
                await flag_store.delete_rating(connection, inbox_id, answer.person)

    async def settle(self, document_id: int, by: Recipient, names: Names) -> bool:
        """Settle the flags of a document if who was told of them says that it is right; return whether they counted."""
        async with transaction_as(self.database, self.workspace, names) as connection:
            if not await flag_store.was_told(connection, document_id, by):
                return False
            await flag_store.settle(connection, document_id, now=self.clock.now())
            await report_store.withdraw_own(connection, document_id, by)
        _logger.info("flags_settled", document=document_id)
        return True

    async def reread(self, document_id: int, by: Recipient, names: Names) -> bool:
        """Make a document's source due now if who was told of its flags wants it."""
        async with transaction_as(self.database, self.workspace, names) as connection:
            is_theirs = await flag_store.was_told(connection, document_id, by)
            return is_theirs and await flag_store.make_source_due(connection, document_id)

    async def tell_next(self, tell: TellOwner, owners: Owners) -> bool:
        """Tell the owner of the next flagged document; return whether there was one.

        The document is locked meanwhile. If the process dies, another one tells, and finds what was posted.
        """
        async with transaction_as(self.database, self.workspace, ALL) as connection:
            document = await flag_store.next_flagged(connection)
        if document is None:
            return False
        # Slack may take its time, so it is asked before anything is locked.
        readers = [(one, await owners.names_of(one)) for one in await self._candidates(document, owners)]
        async with transaction_as(self.database, self.workspace, ALL) as connection:
            if not await flag_store.lock(connection, document.id):
                return False
            owner = await self._tell_first(connection, document, readers, tell)
            await read_as(connection, ALL)
            flags = await flag_store.untold(connection, document.id)
            await flag_store.set_told(connection, [one.id for one in flags], to=owner, now=self.clock.now())
        _logger.info("document_flagged", document=document.id, told=owner is not None)
        return True

    async def answer_next(self, tell: TellReader, names_of: NamesOf) -> bool:
        """Tell the next reader the outcome of their report, if they may still read there.

        Return whether there was one. The report is locked meanwhile, and gone afterwards. If the process dies, another
        one tells, and finds what was posted.
        """
        async with transaction_as(self.database, self.workspace, ALL) as connection:
            report = await report_store.ended(connection)
        if report is None:
            return False
        names = await names_of(report.person)
        async with transaction_as(self.database, self.workspace, ALL) as connection:
            if not await report_store.lock(connection, report.id):
                return False
            await read_as(connection, names)
            readable = await report_store.ended(connection, report.id)
            await read_as(connection, ALL)
            if readable is None and await report_store.ended(connection, report.id) is None:
                # Meanwhile its document is about to be read again.
                return False
            is_told = readable is not None and await tell(self._vouched(readable))
            await report_store.delete(connection, report.id)
        _logger.info("report_ended", outcome=report.outcome, told=is_told)
        return True

    async def forget_old(self) -> None:
        """Delete flags, reports, and what readers wrote, after a while."""
        async with transaction_as(self.database, self.workspace, ALL) as connection:
            await flag_store.forget_before(connection, self.clock.now() - KEPT)
            await report_store.forget_before(connection, self.clock.now() - KEPT)

    async def _candidates(self, document: Flagged, owners: Owners) -> list[Recipient]:
        """Return who may own a document, the nearest first: as it says itself, who added it, its source's owner."""
        named = named_owner(document.attributes)
        own = await owners.named(named) if named else None
        candidates = (own, document.added_by, document.source_owner, self.review_channel)
        return list(dict.fromkeys(one for one in candidates if one))

    def _fate(self, flag: OwnFlag) -> Fate:
        if flag.is_settled:
            return "right"
        if flag.is_told:
            return "told"
        has_owner = named_owner(flag.attributes) or flag.added_by or flag.source_owner or self.review_channel
        return "sought" if has_owner and not flag.is_given_up else "nobody"

    async def _tell_first(
        self, connection: Connection, document: Flagged, readers: list[tuple[Recipient, Names]], tell: TellOwner
    ) -> Recipient | None:
        """Tell the first who can be told, and may read the document and what contradicts it; return who that is."""
        for recipient, names in readers:
            await read_as(connection, names)
            flags = await flag_store.untold(connection, document.id)
            if flags and await tell(self._notice(document, flags), recipient):
                return recipient
        return None

    def _notice(self, document: Flagged, flags: list[StoredFlag]) -> FlagNotice:
        return FlagNotice(
            document_id=document.id,
            title=document.title,
            path=document.path,
            url=vouched_page(document.url, self.link_hosts, document.site),
            since=flags[0].flagged_at,
            voices=[_voice(one) for one in flags],
            can_reread=document.is_scheduled,
        )

    def _vouched(self, report: StoredReport) -> Report:
        return replace(report, url=vouched_page(report.url, self.link_hosts, report.site))


async def _concerned(connection: Connection, objection: Objection) -> list[CitedDocument]:
    if objection.reason not in OF_DOCUMENTS:
        return []
    documents = await flag_store.cited(connection, objection.answer.passages)
    return [one for one in documents if objection.document_id in (None, one.id)]


def _voice(flag: StoredFlag) -> Voice:
    placed = Placed(channel=flag.channel, ts=flag.ts) if flag.is_named and flag.channel and flag.ts else None
    return Voice(
        reason=flag.reason,
        words=flag.words,
        person=flag.person if flag.is_named else None,
        other=flag.other,
        other_dated=flag.other_dated,
        answered_in=placed,
    )
