"""The pool connects as a role under row-level security."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import psycopg
import pytest

from bot.postgres.pool import Connection, Database
from tests.conftest import unreachable
from tests.support.waiting import pass_turns

PATIENCE = 90.0
TURNS = 40
"""Turns of the event loop in which a connection is lent, used and given back, however it is lent."""


async def test_the_application_role_is_bound_by_row_level_security(database: Database) -> None:
    async with database.transaction("one") as connection:
        cursor = await connection.execute(
            "SELECT current_user AS role, current_setting('askback.workspace') AS workspace"
        )
        row = await cursor.fetchone()

    assert {"role": "askback_app", "workspace": "one"} == row


async def test_each_way_to_lend_a_connection_is_in_the_workspace_that_it_names(database: Database) -> None:
    for workspace in ("one", "two", "one"):
        for lend in (database.transaction, database.at_once, database.one_statement):
            async with lend(workspace) as connection:
                cursor = await connection.execute("SELECT current_setting('askback.workspace') AS workspace")
                assert {"workspace": workspace} == await cursor.fetchone()


async def test_the_server_misses_a_machine_that_vanished_within_a_minute(database: Database) -> None:
    async with database.connection() as connection:
        cursor = await connection.execute(
            "SELECT name, setting::int AS is_set FROM pg_settings WHERE name LIKE 'tcp%' AND name <> 'tcp_user_timeout'"
        )
        seconds = {row["name"].removeprefix("tcp_keepalives_"): row["is_set"] for row in await cursor.fetchall()}

    assert 0 < seconds["idle"] + seconds["interval"] * seconds["count"] <= 60


async def test_a_connection_that_the_server_has_cut_is_not_lent(database: Database, database_url: str) -> None:
    async with database.connection() as first, database.connection() as second:
        cut = [first.info.backend_pid, second.info.backend_pid]
    with psycopg.connect(database_url, autocommit=True) as owner:
        for pid in cut:
            owner.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))

    async with database.connection() as lent:
        assert lent.info.backend_pid not in cut
        await lent.execute("SELECT 1")


async def test_where_all_idle_connections_are_cut_the_first_to_ask_gets_a_new_one(
    database: Database, server_url: str, database_url: str
) -> None:
    async with asyncio.TaskGroup() as holders:
        everybody = asyncio.Barrier(10)
        for _ in range(10):
            holders.create_task(_hold(database, everybody))
    with unreachable(server_url, database_url):
        pass

    # Found one by one, the dead connections would use up the timeout of half a minute.
    async with database.connection() as lent:
        await lent.execute("SELECT 1")


@asynccontextmanager
async def pipelined(database: Database) -> AsyncGenerator[Connection]:
    """Lend a connection as checkpoints are stored: in a transaction, and there in a pipeline."""
    async with database.transaction() as connection, connection.pipeline():
        yield connection


@asynccontextmanager
async def batched(database: Database) -> AsyncGenerator[Connection]:
    """Lend a connection as documents are stored: by many statements of one form, in a pipeline of psycopg's own."""
    async with database.transaction() as connection:
        await connection.cursor().executemany("SELECT %s", [(1,), (2,)])
        yield connection


@asynccontextmanager
async def at_once(database: Database) -> AsyncGenerator[Connection]:
    """Lend a connection as documents are read."""
    async with database.at_once("one") as connection:
        yield connection


@pytest.mark.parametrize("lend", [Database.connection, Database.transaction, at_once, pipelined, batched])
async def test_whenever_its_user_is_cancelled_a_connection_tells_the_next_one_what_it_finds(
    lend: Callable[[Database], AbstractAsyncContextManager[Connection]],
    app_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As often as it can: psycopg lets others run after each step, also after one that took no time.
    monkeypatch.setattr("psycopg.waiting.MAX_BUSY_TIME", 0.0)

    async def use(database: Database) -> None:
        async with lend(database) as connection:
            await connection.execute("SELECT 1")

    async with Database.open(app_url, size=1, workspace="one") as database:
        for turns in range(TURNS):
            using = asyncio.create_task(use(database))
            await pass_turns(turns)
            using.cancel()
            await asyncio.gather(using, return_exceptions=True)

            async with database.connection() as connection:
                cursor = await connection.execute("SELECT current_setting('askback.workspace') AS workspace")
                assert (turns, 1) == (turns, cursor.rowcount)
                assert {"workspace": "one"} == await cursor.fetchone()


async def test_whenever_it_is_cancelled_one_who_waits_for_a_connection_does_not_go_on(app_url: str) -> None:
    async def wait(database: Database) -> None:
        async with database.connection():
            await asyncio.sleep(PATIENCE)

    async with Database.open(app_url, size=1, workspace="one") as database:
        for turns in range(TURNS):
            async with database.connection():
                waiting = asyncio.create_task(wait(database))
                await pass_turns(TURNS)
            await pass_turns(turns)
            waiting.cancel()
            done, _ = await asyncio.wait([waiting], timeout=5)
            assert (turns, done) == (turns, {waiting})
            assert waiting.cancelled()


async def test_while_the_database_is_away_it_is_tried_again_at_short_intervals(
    database: Database, server_url: str, database_url: str
) -> None:
    with unreachable(server_url, database_url):
        waiting = asyncio.create_task(_hold(database, asyncio.Barrier(1)))
        async with asyncio.timeout(PATIENCE):
            # Without repair, the pool reaches the sixteenth attempt after two minutes.
            while database._pool.get_stats().get("connections_errors", 0) < 16:  # noqa: ASYNC110 - Nobody tells.
                await asyncio.sleep(0.1)
    # On a busy machine, who waits for so long is told that there is none.
    await asyncio.gather(waiting, return_exceptions=True)
    await _hold(database, asyncio.Barrier(1))


async def _hold(database: Database, everybody: asyncio.Barrier) -> None:
    async with database.connection() as connection:
        await everybody.wait()
        await connection.execute("SELECT 1")
