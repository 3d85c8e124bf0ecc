"""Watches what a database is told."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg
from psycopg import sql

from bot.postgres.pool import Database
from tests.support.databases import as_app


@asynccontextmanager
async def watched(server_url: str, database_url: str) -> AsyncGenerator[tuple[Database, list[str]]]:
    """Open one connection in the workspace "one"; yield it, and the statements that it runs from then on."""
    # The server sends its log to the client.
    with psycopg.connect(server_url, autocommit=True) as superuser:
        name = sql.Identifier(database_url.rsplit("/", 1)[1])
        superuser.execute(sql.SQL("ALTER DATABASE {} SET log_statement = 'all'").format(name))
        superuser.execute(sql.SQL("ALTER DATABASE {} SET client_min_messages = 'log'").format(name))
    statements: list[str] = []
    async with Database.open(as_app(database_url), size=1, workspace="one") as database:
        async with database.connection() as connection:
            connection.add_notice_handler(lambda notice: statements.append(notice.message_primary or ""))
        yield database, statements
