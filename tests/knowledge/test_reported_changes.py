"""Reported changes: documents are read again, and what was read before a report is not stored after it."""

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from bot.audience import ALL
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.connectors.connector import Changes, NoTextError
from bot.knowledge.connectors.slack.heard import HeardThreads
from bot.knowledge.connectors.slack.paths import path_of
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.ingest import sync
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.tally import Ingested
from bot.postgres.pool import Database
from graph.context import ModelError
from tests.knowledge.test_connectors import known

CHANNEL, ROOT, OTHER = "C0PEOPLE", "1.000001", "2.000001"


class Channel:
    """A channel that is read through the port of a source; something may happen while a thread is read."""

    kind, location = "slack", f"slack:{CHANNEL}"

    def __init__(self, texts: dict[str, str], meanwhile: Callable[[], Awaitable[object]] | None = None) -> None:
        self.texts = texts
        self.read: list[str] = []
        self.listed = 0
        self._meanwhile = meanwhile

    async def changes(self, cursor: str) -> Changes:
        self.listed += 1
        return Changes(paths=[*map(path_of, self.texts)], gone=None, cursor=cursor)

    async def content(self, path: str, limits: Limits) -> bytes:
        text = {path_of(ts): text for ts, text in self.texts.items()}.get(path)
        self.read.append(path)
        if self._meanwhile and path == path_of(ROOT):
            await self._meanwhile()
        if text is None:
            raise NoTextError
        return f"# Thread\n\n{text}\n".encode()

    def url_of(self, path: str) -> str | None:
        return None

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def heard(database: Database) -> HeardThreads:
    """What the bot hears in workspace one."""
    return HeardThreads(database, "one")


async def synced(database: Database, embedder: Embedder, channel: Channel, *, only_reported: bool = False) -> Ingested:
    return await sync(database, embedder, "one", [channel], only="reported" if only_reported else None)


async def reported(database: Database) -> int:
    async with database.transaction("one") as connection:
        source_id = await source_store.id_of(connection, Channel.location)
        assert source_id
        return len(await source_store.reported_of(connection, source_id))


async def test_an_outdated_thread_is_gone_at_once_and_read_again_alone(
    database: Database, embedder: Embedder, heard: HeardThreads
) -> None:
    channel = Channel({ROOT: "The code is 1.", OTHER: "The ladder is here."})
    await synced(database, embedder, channel)

    assert await heard.note(CHANNEL, ROOT, is_outdated=True)
    assert {path_of(OTHER)} == (await known(database)).keys()
    channel.texts[ROOT], channel.read = "The code is 2.", []
    await synced(database, embedder, channel, only_reported=True)

    assert ([path_of(ROOT)], 1) == (channel.read, channel.listed)
    assert "2" in (await known(database))[path_of(ROOT)]
    assert 0 == await reported(database)


async def test_a_late_reply_leaves_what_is_there_until_it_is_read(
    database: Database, embedder: Embedder, heard: HeardThreads
) -> None:
    channel = Channel({ROOT: "The code is 1."})
    await synced(database, embedder, channel)

    assert await heard.note(CHANNEL, ROOT, is_outdated=False)
    assert {path_of(ROOT)} == (await known(database)).keys()
    del channel.texts[ROOT]
    await synced(database, embedder, channel, only_reported=True)

    assert {} == await known(database)


@pytest.mark.parametrize("only_reported", [False, True])
async def test_what_was_read_before_a_report_is_not_stored_after_it(
    database: Database, embedder: Embedder, heard: HeardThreads, *, only_reported: bool
) -> None:
    await synced(database, embedder, Channel({ROOT: "The code is 0.", OTHER: "The ladder is here."}))
    await heard.note(CHANNEL, ROOT, is_outdated=True)

    async def delete() -> None:
        del channel.texts[ROOT]
        await heard.note(CHANNEL, ROOT, is_outdated=True)

    channel = Channel({ROOT: "The code is 1.", OTHER: "The ladder is here."}, delete)
    outcome = await synced(database, embedder, channel, only_reported=only_reported)
    assert (0, 0) == (outcome.added, outcome.changed), "What was not stored is not counted."
    assert ({path_of(OTHER)}, 1) == ((await known(database)).keys(), await reported(database))

    await synced(database, embedder, Channel({OTHER: "The ladder is here."}), only_reported=True)
    assert ({path_of(OTHER)}, 0) == ((await known(database)).keys(), await reported(database))


async def test_a_report_that_is_not_committed_yet_is_waited_for(
    database: Database, database_url: str, embedder: Embedder
) -> None:
    await synced(database, embedder, Channel({ROOT: "The code is 0.", OTHER: "The ladder is here."}))
    is_reported = asyncio.Event()

    async def report() -> None:
        async with database.transaction("one") as connection:
            source_id = await source_store.id_of(connection, Channel.location)
            assert source_id
            await read_as(connection, ALL)
            await source_store.report(connection, source_id, path_of(ROOT), is_outdated=True)
            is_reported.set()
            await somebody_waits(database_url, connection.info.backend_pid)

    async with asyncio.TaskGroup() as tasks:

        async def meanwhile() -> None:
            tasks.create_task(report())
            await is_reported.wait()

        tasks.create_task(
            synced(database, embedder, Channel({ROOT: "The code is 1.", OTHER: "The ladder is here."}, meanwhile))
        )

    assert ({path_of(OTHER)}, 1) == ((await known(database)).keys(), await reported(database))


async def somebody_waits(database_url: str, pid: int) -> None:
    """Wait until a session waits for what the session of this process has locked."""
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner, asyncio.timeout(60):
        while True:
            cursor = await owner.execute(
                "SELECT FROM pg_locks WHERE NOT granted AND %s = ANY (pg_blocking_pids(pid))", (pid,)
            )
            if await cursor.fetchone() is not None:
                return
            await asyncio.sleep(0.02)


async def test_a_report_does_not_put_off_the_schedule(
    database: Database, embedder: Embedder, heard: HeardThreads
) -> None:
    channel = Channel({ROOT: "The code is 1."})
    await synced(database, embedder, channel)
    before = await due(database)
    await heard.note(CHANNEL, ROOT, is_outdated=False)
    (one,) = await due(database)
    await synced(database, embedder, channel, only_reported=True)

    assert ([], False, []) == (before, one.is_scheduled, await due(database))


async def test_if_the_model_fails_what_was_reported_stays_so(
    database: Database, embedder: Embedder, heard: HeardThreads
) -> None:
    class Failing:
        def __getattr__(self, name: str) -> object:
            return getattr(embedder, name)

        def embed_passages(self, texts: list[str]) -> Matrix:
            raise ModelError("The model hangs.")

    channel = Channel({ROOT: "The code is 1."})
    await synced(database, embedder, channel)
    await heard.note(CHANNEL, ROOT, is_outdated=False)
    channel.texts[ROOT] = "The code is 2."

    outcome = await sync(database, Failing(), "one", [channel], only="reported")  # pyright: ignore[reportArgumentType]

    assert ["The model hangs."] == [one.reason for one in outcome.failed]
    assert 1 == await reported(database)


async def test_nothing_is_noted_of_another_channel_or_another_workspace(
    database: Database, embedder: Embedder, heard: HeardThreads
) -> None:
    await synced(database, embedder, Channel({ROOT: "The code is 1."}))

    assert not await heard.note("C0OTHER", ROOT, is_outdated=True)
    assert not await HeardThreads(database, "two").note(CHANNEL, ROOT, is_outdated=True)
    assert ({path_of(ROOT)}, 0) == ((await known(database)).keys(), await reported(database))


async def due(database: Database) -> list[source_store.DueSource]:
    async with database.transaction("one") as connection:
        return await source_store.due_sources(connection)
