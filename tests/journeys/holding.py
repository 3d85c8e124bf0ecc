"""Holds runs back at the place that a test is about."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg

from tests.journeys.harness import Harness, until
from tests.models.groq_server import Reply, Says, Script
from tests.models.obliging import judged, reading


def understood(question: str) -> Reply:
    return reading(standalone=question)


def valid() -> Says:
    return judged()


def slow_writer(question: str, hurries: asyncio.Event) -> Script:
    """Return a model that stops in the middle of its answer until it is told to go on."""

    def script(request: dict[str, object]) -> Reply:
        if "response_format" in request:
            return understood(question) if "route" in str(request["response_format"]) else valid()
        return Says("The limit for a hotel night is 145 EUR [1]. " * 3, held_until=hurries, held_at=10)

    return script


_HOLD = """
    CREATE OR REPLACE FUNCTION hold_back() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(20028); RETURN NEW; END $$;
    CREATE OR REPLACE TRIGGER held_back BEFORE UPDATE OF attempts ON inbox
        FOR EACH ROW WHEN (NEW.attempts > OLD.attempts) EXECUTE FUNCTION hold_back()
"""


@asynccontextmanager
async def held_back(harness: Harness) -> AsyncGenerator[None]:
    """Hold back every run between its claim and its beginning while the context is open."""
    async with await psycopg.AsyncConnection.connect(harness.database_url) as connection:
        await connection.execute(_HOLD)
        await connection.commit()
        await connection.execute("SELECT pg_advisory_xact_lock(20028)")
        yield
        await connection.rollback()


@asynccontextmanager
async def unrecorded(harness: Harness) -> AsyncGenerator[None]:
    """Let Slack accept messages whose place cannot be recorded while the context is open."""
    async with await psycopg.AsyncConnection.connect(harness.database_url) as connection:
        await connection.execute("LOCK TABLE messages IN EXCLUSIVE MODE")
        yield
        await connection.rollback()


async def until_recorded(harness: Harness) -> None:
    """Wait until the place of an answer is recorded: people may see its beginning a moment before that."""
    async with harness.owning() as owner:
        await until(lambda: is_recorded(owner))


async def is_recorded(owner: psycopg.AsyncConnection) -> bool:
    """Tell whether the place of an answer is recorded."""
    cursor = await owner.execute("SELECT FROM messages WHERE kind = 'answer'")
    return await cursor.fetchone() is not None


async def until_held_back(harness: Harness) -> None:
    """Wait until a run has claimed its item and is held back."""
    async with harness.owning() as owner:
        await until(lambda: is_held_back(owner))


async def is_held_back(owner: psycopg.AsyncConnection) -> bool:
    """Tell whether a run has claimed its item and is held back."""
    cursor = await owner.execute("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 20028")
    return await cursor.fetchone() is not None
