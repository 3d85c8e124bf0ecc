"""Nobody gets an answer from documents that they may not read: random worlds, compared with brute force.

Each round asks in four ways; `make permissions` asks a hundred thousand times.
"""

import os
import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from bot.conversation.address import ChannelId, PersonId
from bot.knowledge import audience_store, search_store
from bot.knowledge.reuse import Kept, KeptSearches, Key
from tests.permissions.world import MEMBERS, MODEL, WORKSPACE, World, forget_a_condition, let_everybody_read

ROUNDS = int(os.environ.get("PERMISSION_ROUNDS", "100"))
QUERY = "leave and travel"
SECRET = re.compile(r"\bq[b-z]{4}q\b", re.IGNORECASE)


async def leaks_and_denials(world: World, rounds: int, *, by_text: bool = True) -> tuple[int, int]:
    """Let people ask while everything changes; return the number of leaks and of wrongly withheld documents."""
    leaks = denials = 0
    remembered: dict[int, str] = {}
    for _ in range(rounds):
        if world.chance.random() < 0.5:
            await world.change()
        address = world.address()
        may = world.readable(address)
        search = world.search(address, exact_below=world.chance.choice((0, 5_000)))
        found = await search.search(QUERY, limit=60)
        told = {passage["title"] for passage in found}
        leaks += len(told - may)
        denials += len(may - told)
        remembered |= {passage["id"]: passage["title"] for passage in found}
        # Ids of an earlier search, as in a click on an old card or in a thread's memory.
        there = {remembered[id_] for id_ in await search.still_there([*remembered])}
        leaks += len(there - may)
        topics = SECRET.findall(" ".join((await search.topics()).names).lower())
        leaks += len({*topics} - may)
        if by_text:
            leaks += len(await _told_by_text(world, address, remembered) - may)
    return leaks, denials


async def _told_by_text(world: World, address: Any, remembered: dict[int, str]) -> set[str]:
    """Return the names that the unrestricted function returns when it is called directly."""
    names = await world.readers.names_of(address)
    sought = world.chance.choice([*world.documents.values()]).secret
    async with world.database.transaction(WORKSPACE) as connection:
        await audience_store.read_as(connection, names)
        cursor = await connection.execute("SELECT id FROM passages_by_text(%(query)s, 50)", {"query": sought})
        return {remembered.get(row["id"], sought) for row in await cursor.fetchall()}


async def test_search_tells_each_what_they_may_read_and_nothing_else(world: World) -> None:
    assert (0, 0) == await leaks_and_denials(world, ROUNDS)


async def test_reused_searches_tell_each_the_same(world: World) -> None:
    world.reuses = KeptSearches(size=100)

    assert (0, 0) == await leaks_and_denials(world, ROUNDS)
    assert world.reuses.hits > ROUNDS / 20


@pytest.mark.parametrize("loose", [{"audiences": ""}, {"version": UUID(int=0)}], ids=["audiences", "version"])
async def test_reused_without_a_part_of_their_key_they_would_tell_other_things(
    world: World, loose: dict[str, Any]
) -> None:
    class Careless(KeptSearches):
        def get(self, key: Key) -> Kept | None:
            return super().get(replace(key, view=replace(key.view, **loose)))

        def keep(self, key: Key, kept: Kept) -> None:
            super().keep(replace(key, view=replace(key.view, **loose)), kept)

    world.reuses = Careless(size=100)

    leaks, denials = await leaks_and_denials(world, 100)

    assert leaks > 0 < denials


async def test_without_the_policies_it_would_tell_more(world: World) -> None:
    # Without this check, the test above could pass for another reason.
    let_everybody_read(world.owner)

    leaks, _ = await leaks_and_denials(world, 60)

    assert leaks > 100


async def test_with_a_condition_missing_from_a_statement_the_policies_hold(world: World) -> None:
    forget_a_condition(world.owner)

    leaks, _ = await leaks_and_denials(world, 100, by_text=False)

    assert leaks == 0
    assert (await leaks_and_denials(world, 60))[0] > 0, "It is that condition which hides ids."


async def test_with_a_condition_missing_from_a_statement_what_is_hidden_moves_no_rank(world: World) -> None:
    before = [await _ranked(world, person) for person in MEMBERS]
    assert len({len(found) for found in before}) > 1, "All read the same."

    forget_a_condition(world.owner)

    assert before == [await _ranked(world, person) for person in MEMBERS]


async def _ranked(world: World, person: PersonId) -> list[tuple[int, float, float]]:
    """Return what somebody finds alone by a word that all documents hold: ids, scores, and how well words match."""
    names = await world.readers.names_of(replace(world.address(), person=person, channel=ChannelId(f"D{person}")))
    sought = search_store.SearchRequest(query="leave", vector=None, model=MODEL)
    async with world.database.transaction(WORKSPACE) as connection:
        await audience_store.read_as(connection, names)
        found = await search_store.search_passages(connection, sought, candidates=50, exact_below=1)
    return [(row.id, row.score, row.word_match) for row in found]
