"""The intake of what happens to verified answers later; implements `bot.contributions.maintain.MaintainIntake`."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

import prompts
from bot.audience import ALL, EVERYONE, NamesOf
from bot.contributions.maintain import (
    Asker,
    AskUsers,
    AskWriter,
    Dispute,
    Editor,
    KeptAnswer,
    TellAskers,
    TellWriter,
    VerifiedText,
)
from bot.contributions.verify import VerifiedUntil, VerifyRefused
from bot.conversation.address import PersonId
from bot.conversation.inputs import Rating
from bot.conversation.traces.trace_store import IN_VAIN
from bot.knowledge import audience_store
from bot.knowledge.flags import flag_store
from bot.knowledge.verified import maintain_store, notice_store, store
from bot.knowledge.verified.maintain_store import Revised
from bot.knowledge.verified.notice_store import Contradiction, Notice
from bot.knowledge.verified.store import StoredVerified
from bot.postgres.pool import Connection, Database
from graph.answer.draft import Draft, with_known_citations
from graph.answer.guard import vouched
from graph.answer.sameness import are_same
from graph.context import Clock
from graph.verified import Telling

MOST_ASKED: Final = 3
"""People who are asked about one answer."""
MOST_TOLD: Final = 50
"""People who are told of one answer."""

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class DatabaseMaintainIntake:
    """What happens to the verified answers of one workspace."""

    database: Database
    clock: Clock
    workspace: str
    valid_for: timedelta

    async def retire(self, origin: str, editor: Editor) -> VerifyRefused | None:
        """Retire a verified answer if its writer or a reviewer wants it; or say why not."""
        async with self.database.transaction(self.workspace) as connection:
            kept = await _changeable(connection, origin, editor)
            if isinstance(kept, VerifyRefused):
                return kept
            if not await store.retire(connection, kept.id, by=editor.person, now=self.clock.now()):
                return VerifyRefused(reason="unknown")
        _logger.info("answer_retired", answer=kept.id, person=editor.person)
        return None

    async def look(self, origin: str, editor: Editor) -> VerifiedText | VerifyRefused:
        """Return a verified answer, if its writer or a reviewer wants to change it; or say why not."""
        async with self.database.transaction(self.workspace) as connection:
            kept = await _changeable(connection, origin, editor)
        return kept if isinstance(kept, VerifyRefused) else VerifiedText(question=kept.question, text=kept.text)

    async def revise(self, origin: str, editor: Editor, *, text: str, name: str) -> VerifiedUntil | VerifyRefused:
        """Tell an answer in the words of its writer or a reviewer, who is its writer from then on; or say why not.

        Its sources stay; what its new words do not cite is not shown.
        """
        now = self.clock.now()
        revised = Revised(writer=editor.person, writer_name=vouched(name), now=now, valid_until=now + self.valid_for)
        async with self.database.transaction(self.workspace) as connection:
            kept = await _changeable(connection, origin, editor)
            if isinstance(kept, VerifyRefused):
                return kept
            cited = with_known_citations(text, range(1, len(kept.paths) + 1))
            await maintain_store.revise(connection, kept.id, vouched(cited), revised)
        _logger.info("answer_revised", answer=kept.id, person=editor.person)
        return VerifiedUntil(until=revised.valid_until, origin=origin)

    async def liked(self, rating: Rating, place_of: Callable[[], Awaitable[str]]) -> bool:
        """Add the question of a person who liked a verified answer to those that it answers; return whether it did.

        People who may read the answer must also be allowed to read the question, and its words must stand alone.
        """
        async with audience_store.transaction_as(self.database, self.workspace, ALL) as connection:
            rated = await maintain_store.rated(connection, rating)
        if rated is None or rated.is_follow_up:
            return False
        place = await place_of()
        async with self.database.transaction(self.workspace) as connection:
            await audience_store.read_as(connection, frozenset({EVERYONE, place}))
            if place not in (EVERYONE, await store.place_of(connection, rated.answer_id)):
                return False
            await store.add_phrasing(
                connection, rated.answer_id, vouched(rated.question), asked_as=rated.message_key, by=rating.person
            )
        _logger.info("answer_widened", answer=rated.answer_id, person=rating.person)
        return True

    async def ask_next(self, ask: AskUsers, names_of: NamesOf) -> bool:
        """Ask the last users of the next answer that ends; return whether there was one."""
        async with self._next("holds_asked_at") as (connection, answer):
            if answer is None:
                return False
            users = await notice_store.last_users(connection, answer.id, limit=MOST_ASKED)
            readers = [PersonId(user) for user in users if await _may_read(connection, answer.id, await names_of(user))]
            await ask(_kept(answer), readers)
        _logger.info("answer_ends", answer=answer.id, asked=len(readers))
        return True

    async def tell_next(self, tell: TellAskers, names_of: NamesOf) -> bool:
        """Tell those who had asked the same in vain of the next new answer; return whether there was one."""
        now = self.clock.now()
        async with self._next("askers_told_at") as (connection, answer):
            if answer is None:
                return False
            asked = await notice_store.unanswered(connection, answer, since=now - IN_VAIN)
            same = await _same_questions(connection, answer, asked)
            askers = [one for one in same if await _may_read(connection, answer.id, await names_of(one.person))][
                :MOST_TOLD
            ]
            await tell(_kept(answer), askers)
            await audience_store.read_as(connection, ALL)
            for one in askers:
                telling = Telling(person=one.person, key=one.asked_ts)
                await maintain_store.insert_telling(connection, answer.id, telling, now=now)
        _logger.info("askers_told", answer=answer.id, askers=len(askers))
        return True

    async def settle_next(self, ask: AskWriter, names_of: NamesOf) -> bool:
        """Ask the writer about the next answer that a document contradicts; return whether there was one.

        A writer who may not read the document is not asked.
        """
        async with self._next("dispute_asked_at") as (connection, answer):
            if answer is None or answer.disputed_by is None:
                return False
            await audience_store.read_as(connection, await names_of(answer.writer))
            document = await notice_store.contradiction(connection, answer.disputed_by)
            if document:
                await ask(_dispute(answer, document))
        _logger.info("answer_disputed", answer=answer.id, asked=document is not None)
        return True

    async def object_next(self, tell: TellWriter) -> bool:
        """Tell the writer of the next answer that people object to; return whether there was one."""
        today = self.clock.now().date()
        async with self._next("objection_told_at") as (_, answer):
            if answer is None:
                return False
            await tell(_kept(answer), today)
        _logger.info("answer_objected", answer=answer.id)
        return True

    @asynccontextmanager
    async def _next(self, notice: Notice) -> AsyncGenerator[tuple[Connection, StoredVerified | None]]:
        """Lock the next answer of which people must be told, and note at the end that they know.

        If the process dies meanwhile, another one tells them, and finds what was posted.
        """
        now = self.clock.now()
        async with audience_store.transaction_as(self.database, self.workspace, ALL) as connection:
            answer = await notice_store.lock_next(connection, notice, now=now)
            yield connection, answer
            if answer is not None:
                await audience_store.read_as(connection, ALL)
                await notice_store.set_told(connection, answer.id, notice, now=now)

    async def check(self, origin: str, editor: Editor) -> VerifiedUntil | VerifyRefused:
        """Note that an answer was checked today, if its writer or a reviewer says so; or say why not."""
        now = self.clock.now()
        async with self.database.transaction(self.workspace) as connection:
            kept = await _changeable(connection, origin, editor)
            if isinstance(kept, VerifyRefused):
                return kept
            await maintain_store.check(connection, kept.id, now=now, until=now + self.valid_for)
            await flag_store.settle_contradicted(connection, kept.id, now=now)
        _logger.info("answer_checked", answer=kept.id, person=editor.person)
        return VerifiedUntil(until=now + self.valid_for, origin=origin)

    async def renew(self, origin: str, person: PersonId) -> VerifiedUntil | VerifyRefused:
        """Renew an answer if a person to whom it was told, or its writer, says that it still holds; or say why not."""
        until = self.clock.now() + self.valid_for
        async with self.database.transaction(self.workspace) as connection:
            kept = await _judged(connection, origin, person)
            if isinstance(kept, VerifyRefused):
                return kept
            await maintain_store.renew(connection, kept.id, until=until)
        _logger.info("answer_renewed", answer=kept.id, person=person)
        return VerifiedUntil(until=until, origin=origin)

    async def doubt(self, origin: str, person: PersonId) -> KeptAnswer | VerifyRefused:
        """Retire an answer if a person to whom it was told says that it does not hold; return it."""
        async with self.database.transaction(self.workspace) as connection:
            kept = await _judged(connection, origin, person)
            if isinstance(kept, VerifyRefused):
                return kept
            await store.retire(connection, kept.id, by=person, now=self.clock.now())
        _logger.info("answer_doubted", answer=kept.id, person=person)
        return _kept(kept)


async def _judged(connection: Connection, origin: str, person: PersonId) -> StoredVerified | VerifyRefused:
    """Return an answer that a person may judge. One that was retired may be brought back by its writer alone."""
    await audience_store.read_as(connection, ALL)
    kept = await store.by_origin(connection, origin)
    if kept is None:
        return VerifyRefused(reason="unknown")
    if kept.writer == person:
        return kept
    if kept.retired_at is not None or not await maintain_store.was_asked(connection, kept.id, person):
        return VerifyRefused(reason="unknown")
    return kept


async def _changeable(connection: Connection, origin: str, editor: Editor) -> StoredVerified | VerifyRefused:
    """Return a verified answer if the person may change it; or say why not."""
    await audience_store.read_as(connection, ALL)
    kept = await store.by_origin(connection, origin)
    if kept is None or kept.retired_at is not None:
        return VerifyRefused(reason="unknown")
    if not editor.is_reviewer and kept.writer != editor.person:
        return VerifyRefused(reason="not_yours", by=kept.writer)
    return kept


async def _may_read(connection: Connection, answer_id: int, names: frozenset[str]) -> bool:
    await audience_store.read_as(connection, names)
    return await maintain_store.is_readable(connection, answer_id)


async def _same_questions(connection: Connection, answer: StoredVerified, asked: Iterable[Asker]) -> list[Asker]:
    """Return the last question of each person that is the same, in the same words, as one that an answer answers."""
    if not all(source.passage_id for source in await store.current_sources(connection, answer.id)):
        # Its sources may say something else now. People who ask again read both.
        return []
    phrasings = await store.phrasings_of(connection, answer.id)
    last: dict[PersonId, Asker] = {}
    for one in asked:
        if any(are_same(one.question, phrasing) for phrasing in phrasings):
            last.setdefault(one.person, one)
    return [*last.values()]


def _dispute(answer: StoredVerified, document: Contradiction) -> Dispute:
    place = document.source_id, document.path
    return Dispute(
        answer=_kept(answer),
        title=document.title,
        dated=document.dated,
        said=document.text,
        is_its_source=any((source["source_id"], source["path"]) == place for source in answer.sources),
    )


def _kept(answer: StoredVerified) -> KeptAnswer:
    """Return an answer as it may be shown by itself: guarded like a draft, without citations."""
    draft = Draft([], tuple(prompts.load("write").sentences))
    draft.feed(with_known_citations(answer.text, ()))
    draft.rest()
    return KeptAnswer(
        origin=answer.origin,
        question=answer.question,
        text=draft.text.strip(),
        writer=answer.writer,
        writer_name=answer.writer_name,
        kept_on=answer.kept_at.date(),
        until=answer.valid_until,
    )
