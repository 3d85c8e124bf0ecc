"""The proxy of the crash tests sees what is committed, and leaves nothing open."""

import asyncio
import gc
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from psycopg import AsyncConnection

from tests.crashes.boundaries import Boundary
from tests.crashes.runner import Point, Runner
from tests.crashes.wire import Side, wire

CLAIM = "WITH new AS (INSERT INTO diaries SELECT 1 WHERE {} RETURNING 1) SELECT * FROM new"


def test_no_connection_is_left_of_a_client_that_is_killed_while_it_connects(database_url: str) -> None:
    async def come_and_go() -> None:
        async with wire(database_url, lambda *_: False) as url:
            _, writer = await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port)
            writer.close()

    for _ in range(20):
        asyncio.run(come_and_go())
    gc.collect()


async def test_a_single_statement_that_finds_nothing_is_told_as_in_vain(database_url: str) -> None:
    seen: list[Side] = []

    def watch(writes: frozenset[str], side: Side) -> bool:
        assert {"into diaries"} == writes
        seen.append(side)
        return False

    async with (
        wire(database_url, watch) as url,
        await AsyncConnection[Any].connect(url, autocommit=True) as connection,
    ):
        await connection.execute("CREATE TABLE diaries (day integer)")
        await connection.execute(CLAIM.format("false"))
        await connection.execute(CLAIM.format("true"))
        async with connection.transaction():
            await connection.execute(CLAIM.format("false"))
        async with connection.transaction():
            await connection.execute(CLAIM.format("true"))
            await connection.execute(CLAIM.format("false"))

    assert ["before", "in vain", "before", "after", "before", "after"] == seen


def test_a_claim_in_vain_is_no_boundary() -> None:
    claim, other = frozenset({"into claims"}), frozenset({"into tool_calls"})
    nothing: Any = None
    at = Runner(nothing, nothing, nothing, Path())
    claimed = [Point(boundary=Boundary.CLAIMED, number=1, side=side) for side in ("before", "after")]

    at.on_commit(claim, "before")
    at.begin()
    for outcome in ("in vain", "before", "in vain", "before", "after", "before", "in vain"):
        at.on_commit(claim, outcome)
    assert claimed == at.met

    at.begin()
    at.on_commit(other, "before")
    at.on_commit(other, "in vain")
    assert ["before", "after"] == [one.side for one in at.met], "It may have written, and returned nothing."
