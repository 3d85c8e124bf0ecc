"""The pool serves as a role that row-level security binds."""

import psycopg

from bot.database import Database


async def test_the_application_role_is_bound_by_row_level_security(database: Database) -> None:
    async with database.transaction("one") as connection:
        cursor = await connection.execute(
            "SELECT current_user AS role, current_setting('askback.workspace') AS workspace"
        )
        row = await cursor.fetchone()

    assert {"role": "askback_app", "workspace": "one"} == row


async def test_a_connection_that_the_server_has_cut_is_not_lent(database: Database, database_url: str) -> None:
    async with database.connection() as first, database.connection() as second:
        cut = [first.info.backend_pid, second.info.backend_pid]
    with psycopg.connect(database_url, autocommit=True) as owner:
        for pid in cut:
            owner.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))

    async with database.connection() as lent:
        assert lent.info.backend_pid not in cut
        await lent.execute("SELECT 1")
