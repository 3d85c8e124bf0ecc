"""Behind PgBouncer in transaction mode: the next transaction may run in a session that somebody else has used."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from bot.errors import DatabaseUnfitError
from bot.postgres.pool import Database
from tests.conftest import cloned
from tests.postgres.test_checkpoints import left_after_pruning
from tests.support.databases import as_app
from tests.support.poolers import SESSIONS, needs_pgbouncer, pooled

pytestmark = needs_pgbouncer
SEEN = "SELECT pg_backend_pid() AS session, current_setting('askback.workspace', true) AS workspace"


@pytest.fixture
async def through(database_url: str) -> AsyncGenerator[str]:
    """The database's address through the pooler."""
    async with pooled(as_app(database_url)) as address:
        yield address


async def test_two_workspaces_share_sessions_and_each_sees_its_own(database_url: str, through: str) -> None:
    url, seen = as_app(database_url), dict[str, set[int]]()

    async def look(database: Database, own: str) -> None:
        for _ in range(10):
            for entered, lent in (
                (own, database.connection()),
                (own, database.transaction()),
                (own, database.at_once(own)),
                (own, database.one_statement(own)),
                ("three", database.transaction("three")),
            ):
                async with lent as connection:
                    row = await (await connection.execute(SEEN)).fetchone()
                assert row
                assert entered == row["workspace"]
                seen.setdefault(own, set()).add(row["session"])

    async with (
        Database.open(url, size=4, workspace="one", pooler=through) as one,
        Database.open(url, size=4, workspace="two", pooler=through) as two,
        asyncio.TaskGroup() as everybody,
    ):
        for _ in range(4):
            everybody.create_task(look(one, "one"))
            everybody.create_task(look(two, "two"))

    assert seen["one"] & seen["two"]
    assert len(seen["one"] | seen["two"]) <= SESSIONS


async def test_a_session_of_its_own_goes_past_the_pooler(database_url: str, through: str) -> None:
    async with (
        Database.open(as_app(database_url), size=2, workspace="one", pooler=through) as database,
        database.session() as alone,
    ):
        first = await (await alone.execute(SEEN)).fetchone()
        async with database.connection() as other:
            second = await (await other.execute(SEEN)).fetchone()
        third = await (await alone.execute(SEEN)).fetchone()

    assert first
    assert second
    assert first == third
    assert "one" == first["workspace"]
    assert first["session"] != second["session"]


async def test_a_pooler_before_another_database_is_refused(server_url: str, template_url: str, through: str) -> None:
    with cloned(server_url, template_url) as another, pytest.raises(DatabaseUnfitError, match="another database"):
        async with Database.open(as_app(another), size=2, workspace="one", pooler=through):
            pass


async def test_old_checkpoints_are_pruned_past_the_pooler(database_url: str, through: str) -> None:
    async with Database.open(as_app(database_url), size=2, workspace="one", pooler=through) as database:
        assert ["a3", "b3", "c1", "c2", "c3"] == await left_after_pruning(database)
