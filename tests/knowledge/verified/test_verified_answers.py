"""A verified answer is found while it is valid, by people who may read everything that it rests on."""

import psycopg
import pytest

from bot.audience import ALL, EVERYONE
from bot.knowledge import audience_store
from bot.knowledge.verified import store
from tests.knowledge.verified.conftest import LIMIT, PAY, TRAVEL, WORKSPACE, Shelf

HOTEL = "What is the limit for a hotel night?"


async def test_what_was_kept_is_told_with_its_sources(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL)

    assert [{"id": kept, "phrasings": [HOTEL]}] == await shelf.candidates("What is the hotel limit?", EVERYONE)
    told = await shelf.use(kept, EVERYONE)
    assert told
    assert (LIMIT, "Ada", "2026-11-21", [], []) == (
        told["text"],
        told["writer_name"],
        told["kept_on"],
        told["changed"],
        told["gone"],
    )
    assert [(TRAVEL, LIMIT)] == [(source["path"], source["text"]) for source in told["sources"]]
    assert told["sources"][0]["id"] > 0
    assert "restricted" not in told


async def test_nothing_is_kept_twice_from_one_answer(shelf: Shelf) -> None:
    assert await shelf.keep(HOTEL, TRAVEL, origin="review:1")

    assert await shelf.keep(HOTEL, TRAVEL, origin="review:1") is None


async def test_the_same_question_is_the_first_of_five_candidates(shelf: Shelf) -> None:
    wanted = await shelf.keep(HOTEL, TRAVEL)
    for number in range(8):
        await shelf.keep(f"What is the limit for a hotel night in week {number}?", TRAVEL)

    found = await shelf.candidates(HOTEL, EVERYONE)

    assert (5, wanted) == (len(found), found[0]["id"])


async def test_another_phrasing_finds_it_too(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL)
    assert kept
    async with shelf.database.transaction(WORKSPACE) as connection:
        await audience_store.read_as(connection, frozenset({EVERYONE}))
        await store.add_phrasing(connection, kept, "How much may a room cost?", asked_as="C0:2.0", by="UBEN")

    (found,) = await shelf.candidates("How much may a room cost?", EVERYONE)

    assert [HOTEL, "How much may a room cost?"] == found["phrasings"]


async def test_what_has_expired_or_was_retired_is_told_no_more(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL, days=90)
    other = await shelf.keep("Who pays for hotels?", TRAVEL, days=200)
    assert kept
    assert other
    shelf.clock.turn(days=91)

    assert [other] == [one["id"] for one in await shelf.candidates(HOTEL, EVERYONE)]
    assert await shelf.use(kept, EVERYONE) is None
    async with shelf.database.transaction(WORKSPACE) as connection:
        await audience_store.read_as(connection, ALL)
        assert await store.retire(connection, other, by="UADA", now=shelf.clock.now())
        assert not await store.retire(connection, other, by="UBEN", now=shelf.clock.now())
    assert [] == await shelf.candidates(HOTEL, EVERYONE)
    assert await shelf.use(other, EVERYONE) is None


@pytest.mark.parametrize(
    ("names", "may"),
    [
        ((EVERYONE, "channel:C1"), True),
        ((EVERYONE, "person:UADA", "channel:C1", "channel:C2"), True),
        ((EVERYONE,), False),
        (("channel:C1",), False),
        ((EVERYONE, "channel:C2"), False),
        (("guests",), False),
        ((), False),
    ],
)
async def test_only_who_may_read_all_sources_where_it_was_written_gets_it(
    shelf: Shelf, names: tuple[str, ...], may: bool
) -> None:
    await shelf.share("office", "hr", "channel:C1")
    kept = await shelf.keep(HOTEL, TRAVEL, PAY)

    found = await shelf.candidates(HOTEL, *names)
    told = await shelf.use(kept, *names)

    assert (may, may) == (bool(found), told is not None)
    assert told is None or told.get("restricted")


async def test_what_was_written_in_a_channel_stays_with_its_people(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL, place="channel:C1")

    assert [] == await shelf.candidates(HOTEL, EVERYONE, "channel:C2")
    assert await shelf.use(kept, EVERYONE, "channel:C2") is None
    told = await shelf.use(kept, EVERYONE, "channel:C1")
    assert told
    assert told.get("restricted")


async def test_a_document_that_is_shared_differently_takes_its_answers_along_also_when_it_is_gone(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL)
    await shelf.share("wiki", TRAVEL, "channel:C1")

    assert [] == await shelf.candidates(HOTEL, EVERYONE)
    await shelf.remove("wiki", TRAVEL)
    assert [] == await shelf.candidates(HOTEL, EVERYONE)
    assert await shelf.use(kept, EVERYONE) is None
    assert await shelf.use(kept, EVERYONE, "channel:C1")


async def test_without_a_source_there_is_nobody_to_read_it(shelf: Shelf, database_url: str) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL)
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("DELETE FROM sources WHERE location = '/wiki'")

    assert await shelf.use(kept, EVERYONE) is None


async def test_without_its_policy_it_would_be_told_to_others(shelf: Shelf, database_url: str) -> None:
    # What keeps the tests above from passing for another reason.
    await shelf.share("office", "hr", "channel:C1")
    kept = await shelf.keep(HOTEL, TRAVEL, PAY, place="channel:C1")
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(
            "ALTER POLICY of_the_workspace ON verified_answers"
            " USING (workspace = current_setting('askback.workspace', true))"
        )

    assert await shelf.candidates(HOTEL, EVERYONE)
    assert await shelf.use(kept, EVERYONE)


async def test_a_source_that_has_changed_or_is_gone_is_named(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL, PAY)
    await shelf.write("wiki", TRAVEL, "The limit for a hotel night is 160 EUR.")
    await shelf.remove("office", PAY)

    told = await shelf.use(kept, EVERYONE)

    assert told
    assert ([1], [2]) == (told["changed"], told["gone"])
    assert [("Travel.Md", "", 0), ("Hr/Pay.Md", "", 0)] == [
        (source["title"], source["text"], source["id"]) for source in told["sources"]
    ]


async def test_a_document_that_was_read_again_as_it_was_has_not_changed(shelf: Shelf) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL)
    await shelf.write("wiki", TRAVEL, LIMIT)

    told = await shelf.use(kept, EVERYONE)

    assert told
    assert [] == told["changed"]


async def test_a_question_that_is_deleted_takes_what_was_kept_of_it_along(shelf: Shelf, database_url: str) -> None:
    kept = await shelf.keep(HOTEL, TRAVEL)
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(
            "INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, message_key, address,"
            " content, due_at, reference, received_at)"
            " VALUES ('s', %s, 't', 1, 'turn', 'e', 'C0:1.0', '{}', '{}', now(), 'r', now())",
            (WORKSPACE,),
        )
    async with shelf.database.transaction(WORKSPACE) as connection:
        await connection.execute("UPDATE inbox SET status = 'removed' WHERE message_key = 'C0:1.0'")

    assert await shelf.use(kept, EVERYONE) is None
    with psycopg.connect(database_url) as owner:
        assert (0,) == owner.execute("SELECT count(*) FROM phrasings").fetchone()
