"""Answers are used while they are fresh, count while nobody gives a newer one, and the oldest one makes room."""

import asyncio

from bot.conversation.workers import permit
from bot.slack.people.fresh_cache import FreshCache, SingleFlight


class Watch:
    """Seconds that pass only by hand."""

    now = 0.0

    def seconds(self) -> float:
        return self.now


async def ask(group: str) -> frozenset[str]:
    """Return the people of a group."""
    await asyncio.sleep(0)
    return frozenset({group})


def cache(watch: Watch, most: int = 10) -> FreshCache[str, frozenset[str]]:
    """Return a cache whose answers are fresh for ten seconds and count for a hundred."""
    return FreshCache(ask, fresh_seconds=10, counts_seconds=100, most=most, seconds=watch.seconds)


def test_an_answer_is_fresh_then_counts_and_then_is_forgotten() -> None:
    watch = Watch()
    known = cache(watch)
    known.keep("S1", frozenset({"U1"}))
    found = list[tuple[frozenset[str] | None, frozenset[str] | None]]()
    for watch.now in (9.0, 10.0, 99.0, 100.0):
        found.append((known.fresh("S1"), known.counting("S1")))

    people = frozenset({"U1"})
    assert [(people, people), (None, people), (None, people), (None, None)] == found


def test_an_empty_answer_is_an_answer() -> None:
    known = cache(Watch())
    known.keep("S1", frozenset())

    assert (frozenset(), None) == (known.fresh("S1"), known.fresh("S2"))


async def test_only_what_is_not_fresh_is_asked_for() -> None:
    known = cache(Watch())
    known.keep("S1", frozenset())

    assert [frozenset(), {"S2"}] == [await known.get("S1"), await known.get("S2")]
    assert {"S2"} == known.fresh("S2")


async def test_what_nobody_waits_for_any_more_is_known_to_the_next_one_who_asks() -> None:
    known = cache(Watch())
    waiting = asyncio.create_task(known.get("S1"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.sleep(0)

    assert {"S1"} == known.fresh("S1")


def test_the_answer_that_was_given_first_makes_room() -> None:
    known = cache(Watch(), most=2)
    for group in ("S1", "S2", "S1", "S3"):
        known.keep(group, frozenset({group}))

    assert [True, False, True] == [known.fresh(group) is not None for group in ("S1", "S2", "S3")]


async def test_what_many_want_at_once_is_asked_for_once_and_may_be_asked_for_again() -> None:
    flight, asked = SingleFlight[str, int](), list[str]()

    async def ask() -> int:
        asked.append("U1")
        await asyncio.sleep(0)
        return len(asked)

    assert [1, 1] == await asyncio.gather(flight.start("U1", ask), flight.start("U1", ask))
    assert 2 == await flight.start("U1", ask)


async def test_a_run_that_loses_its_permit_spoils_no_request_for_others() -> None:
    flight = SingleFlight[str, str]()

    async def ask() -> str:
        await permit.require()
        return "a member"

    with permit.taken() as taken:
        asked = flight.start("U1", ask)
        taken.lose()

    assert ["a member", "a member"] == await asyncio.gather(asked, flight.start("U1", ask))
