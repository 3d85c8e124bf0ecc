"""Forgets a person, a document, a channel or a workspace.

The origin goes first, so that nothing new is made of it. Then each thread is visited in a transaction of its own while
no run goes on there: a run that has read the words already is ended, and starts again without them. Each step may be
repeated, so a forgetting that was killed is finished by another one.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from bot.audience import ALL
from bot.conversation import store
from bot.conversation.address import Placed
from bot.errors import SlackError, StillRunningError
from bot.forget import document_store, evidence_store, forget_store
from bot.forget.remains import memory_of, passages_in, pieces_of, without_words_of
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.connectors.slack.paths import added_in, whole_channel
from bot.knowledge.lock_store import source_lock
from bot.knowledge.store import hashes_of
from bot.postgres.checkpoints import saver_on
from bot.postgres.pool import Connection, Database, enter_workspace
from graph.memory import without_evidence
from graph.run import rewrite
from graph.state import Memory, State

Remove: TypeAlias = Callable[[Placed], Awaitable[None]]
"""Deletes a message of ours in Slack; raises `SlackError`."""
Visit: TypeAlias = Callable[[Connection, str], Awaitable[Counter[str]]]
"""Forgets what a thread holds, and returns how much of each kind."""

LOOK_SECONDS: Final = 0.2
PATIENCE_SECONDS: Final = 120.0
"""How long a run may take to end. It is ended at once, unless its process does not listen."""


@dataclass(frozen=True, kw_only=True)
class Forgetter:
    """Forgets in one workspace; returns how much of each kind went."""

    database: Database
    workspace: str
    remove: Remove | None = None
    """Without it, messages stay in Slack."""
    is_dry: bool = False
    """Whether to count only: everything is rolled back."""
    patience_seconds: float = PATIENCE_SECONDS

    async def person(self, person: str) -> Counter[str]:
        """Forget what a person said, did and was told."""
        async with self._transaction() as connection:
            await forget_store.mark(connection, "person", person)
            counts = await forget_store.delete_answers_to(connection, person)
            # Retired, but not deleted before their words are out of all memories.
            texts = pieces_of(await forget_store.retire_answers_of(connection, person))
        counts += await self._without_threads_of(person)
        async with self._transaction() as connection:
            threads = await forget_store.threads_of_person(connection, person)
            if texts:
                threads = [*{*threads, *await forget_store.remembering_threads(connection)}]
        counts += await self._visited(threads, partial(self._without_person, person, texts))
        async with self._transaction() as connection:
            return counts + await forget_store.delete_about_person(connection, person)

    async def channel(self, channel: str) -> Counter[str]:
        """Forget what was said in a channel."""
        async with self._transaction() as connection:
            await forget_store.mark(connection, "channel", channel)
        counts = await self._without_source(whole_channel(channel)) + await self._without_source(added_in(channel))
        async with self._transaction() as connection:
            threads = await forget_store.threads_of_channel(connection, channel)
        counts += await self._visited(threads, self._emptied)
        async with self._transaction() as connection:
            return counts + await forget_store.delete_about_channel(connection, channel)

    async def documents(self, source_id: int, location: str, paths: Collection[str]) -> Counter[str]:
        """Forget documents, and what was made of them. They are not read again while their source exists."""
        names, passages, counts = list[str](), list[int](), Counter[str]()
        async with self._reading_stopped(location), self._transaction() as connection:
            for path in paths:
                names += await document_store.names_of(connection, source_id, path)
                passages += await document_store.passages_of(connection, source_id, path)
                counts += await document_store.forget(connection, source_id, path)
            counts += await evidence_store.delete_named(connection, names)
        # Only now: a run that begins from here on does not find it any more.
        async with self._transaction() as connection:
            threads = await forget_store.remembering_threads(connection)
        counts += await self._visited(threads, partial(self._without_evidence, passages))
        async with self._transaction() as connection:
            if not self.is_dry:
                # A run that had read it may have ended before its thread was visited.
                counts += await evidence_store.delete_named(connection, names)
            counts += await evidence_store.delete_derived(connection)
            behind = await evidence_store.passages_of_reviews(connection)
            gone = {*await evidence_store.gone(connection, behind), *passages}
            counts["questions back and reviews"] += await evidence_store.delete_reviews(connection, gone)
        return +counts

    async def everything(self) -> Counter[str]:
        """Forget the whole workspace."""
        async with self._transaction() as connection:
            sources = await source_store.all_sources(connection)
        counts = Counter[str]()
        for source in sources:
            async with self._reading_stopped(source.location), self._transaction() as connection:
                counts["passages"] += source.passages
                await source_store.remove_source(connection, source.id)
        async with self._transaction() as connection:
            threads = await forget_store.all_threads(connection)
        counts += await self._visited(threads, self._emptied)
        async with self._transaction() as connection:
            return counts + await forget_store.delete_all(connection)

    async def _without_threads_of(self, person: str) -> Counter[str]:
        """Forget the documents that are threads in which a person wrote; nothing with their words is stored again."""
        async with self._transaction() as connection:
            sources = await source_store.all_sources(connection)
        counts = Counter[str]()
        for source in sources:
            if source.kind != "slack":
                continue
            # A reading that began before the person was marked may store a thread until it ends.
            async with self._reading_stopped(source.location), self._transaction() as connection:
                paths = await document_store.written_by(connection, source.id, person)
            counts += await self.documents(source.id, source.location, paths) if paths else Counter()
        return counts

    async def _without_source(self, location: str) -> Counter[str]:
        async with self._transaction() as connection:
            source_id = await source_store.id_of(connection, location)
            known = await hashes_of(connection, source_id) if source_id else {}
        if source_id is None:
            return Counter()
        counts = await self.documents(source_id, location, known)
        async with self._reading_stopped(location), self._transaction() as connection:
            await source_store.remove_source(connection, source_id)
        return counts

    async def _without_person(
        self, person: str, texts: Sequence[str], connection: Connection, thread_id: str
    ) -> Counter[str]:
        items = await forget_store.items_of_person(connection, thread_id, person)
        keys = await forget_store.keys_of(connection, items, person=person, thread_id=thread_id)
        change = partial(without_words_of, person=person, keys=keys, texts=texts)
        is_theirs = bool(keys) or await rewrite(saver_on(connection), thread_id, change)
        if not is_theirs:
            return Counter({"old checkpoints": await forget_store.keep_latest(connection, thread_id)})
        counts = await self._delete(connection, items)
        await forget_store.strip_thread(connection, thread_id, items, person)
        return counts + await self._forget_memory(connection, thread_id, change)

    async def _forget_memory(
        self, connection: Connection, thread_id: str, change: Callable[[State], Memory | None]
    ) -> Counter[str]:
        if not await forget_store.has_turns(connection, thread_id):
            return Counter({"checkpoints": await forget_store.delete_memory(connection, thread_id)})
        await rewrite(saver_on(connection), thread_id, change)
        return Counter({"checkpoints": await forget_store.keep_latest(connection, thread_id)})

    async def _without_evidence(self, passages: Sequence[int], connection: Connection, thread_id: str) -> Counter[str]:
        ids = set[int]()

        def note(state: State) -> None:
            ids.update(passages_in(state))

        saver = saver_on(connection)
        await rewrite(saver, thread_id, note)
        gone = {*await evidence_store.gone(connection, ids), *passages} & ids
        counts = Counter[str]()
        if gone:
            await rewrite(saver, thread_id, lambda state: without_evidence(memory_of(state), gone))
            counts["memories of threads"] = 1
        counts["checkpoints"] = await forget_store.keep_latest(connection, thread_id)
        return counts

    async def _emptied(self, connection: Connection, thread_id: str) -> Counter[str]:
        counts = await self._delete(connection, await forget_store.items_of_thread(connection, thread_id))
        counts["checkpoints"] = await forget_store.delete_memory(connection, thread_id)
        return counts

    async def _delete(self, connection: Connection, items: Collection[int]) -> Counter[str]:
        shown = await forget_store.shown_for(connection, items)
        counts = Counter({"messages that stay in Slack": len(shown) - await self._removed(shown)})
        return counts + await forget_store.delete_items(connection, items)

    async def _removed(self, shown: Sequence[Placed]) -> int:
        """Delete messages in Slack; return how many are gone there. They go before their places are forgotten."""
        if self.remove is None or self.is_dry:
            return 0
        removed = 0
        for placed in shown:
            try:
                await self.remove(placed)
                removed += 1
            except SlackError:
                continue
        return removed

    async def _visited(self, threads: Sequence[str], visit: Visit) -> Counter[str]:
        counts = Counter[str]()
        for thread_id in threads:
            counts += await self._visit(thread_id, visit)
        return counts

    async def _visit(self, thread_id: str, visit: Visit) -> Counter[str]:
        """Visit a thread while no run goes on there. Raises `StillRunningError`."""
        ends_at = asyncio.get_running_loop().time() + self.patience_seconds
        while asyncio.get_running_loop().time() < ends_at:
            async with self._transaction() as connection:
                if self.is_dry:
                    return await visit(connection, thread_id)
                if await forget_store.lock_thread(connection, thread_id):
                    counts = await visit(connection, thread_id)
                    await forget_store.unlock_thread(connection, thread_id)
                    return counts
                await store.end_runs(connection, await forget_store.running_in(connection, thread_id))
            await asyncio.sleep(LOOK_SECONDS)
        raise StillRunningError

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[Connection]:
        async with (
            self.database.connection() as connection,
            connection.transaction(force_rollback=self.is_dry),
        ):
            await enter_workspace(connection, self.workspace)
            await read_as(connection, ALL)
            yield connection

    @asynccontextmanager
    async def _reading_stopped(self, location: str) -> AsyncGenerator[None]:
        """Wait until nobody reads a source, and let nobody read it meanwhile."""
        if self.is_dry:
            yield
            return
        async with self.database.session() as connection, source_lock(connection, self.workspace, location):
            yield
