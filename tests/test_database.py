"""The pool serves as a role that row-level security binds."""

from bot.database import Database


async def test_the_application_role_is_bound_by_row_level_security(database: Database) -> None:
    async with database.transaction("one") as connection:
        cursor = await connection.execute(
            "SELECT current_user AS role, current_setting('askback.workspace') AS workspace"
        )
        row = await cursor.fetchone()

    assert {"role": "askback_app", "workspace": "one"} == row
