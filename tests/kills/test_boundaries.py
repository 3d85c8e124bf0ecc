"""Killed before and after everything that lasts: nothing is lost, said twice, or remembered other than once."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from subprocess import Popen

import psycopg
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row

from tests.journeys.test_changes import edit
from tests.journeys.town import ADA, SUPPORT, text_of
from tests.kills.boundaries import CALLS, COMMITS, Boundary, seen_in_call, seen_in_commit, written
from tests.kills.gauntlet import Gauntlet, Point, kind_of
from tests.village.mind import tags_in

CLEAR, AMBIGUOUS = "What is the limit for c1?", "Where do I find w2 a2?"
FLEETING = {
    Boundary.STREAM_OPENED, Boundary.STREAM_GROWN, Boundary.STREAM_CLOSED, Boundary.STATUS_SHOWN,
    Boundary.ATTEMPT_GIVEN_BACK,
}  # fmt: skip
"""Whether and how often they come depends on how fast the machine is: the first of them is enough, if it is met."""

ATTEMPTS = 4
"""On a slow machine an answer may be there before its stream is open, and then there is nothing to be killed at."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a thread must look like when all is over."""

    root: str
    shown: list[str]
    remembered: list[str]


async def a_clear_question(at: Gauntlet) -> Expected:
    at.begin()
    root = await at.town.ask(CLEAR)
    await at.answers(root)
    return Expected(root=root, shown=["answer"], remembered=["c1"])


async def a_question_that_is_asked_back_and_clicked(at: Gauntlet) -> Expected:
    at.begin()
    root = await at.town.ask(AMBIGUOUS)
    await at.click(root, "Pine")
    await at.answers(root)
    return Expected(root=root, shown=["answered card", "answer"], remembered=["a2"])


async def a_question_that_is_asked_back_and_answered_by_typing(at: Gauntlet) -> Expected:
    root = await at.town.ask(AMBIGUOUS)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.town.say("1", root)
    await at.answers(root)
    return Expected(root=root, shown=["answered card", "answer"], remembered=["a2"])


async def a_question_that_is_edited(at: Gauntlet) -> Expected:
    root = await at.town.ask(CLEAR)
    await at.answers(root)
    await at.settled()
    at.begin()
    await edit(at.town, root, "What is the limit for c3?")
    await at.answers(root, holding="c3")
    return Expected(root=root, shown=["answer"], remembered=["c3"])


async def a_question_that_is_deleted(at: Gauntlet) -> Expected:
    root = await at.town.ask(CLEAR)
    await at.answers(root)
    await at.settled()
    at.begin()
    await at.town.playground.person(ADA).delete(SUPPORT, root)
    await at.town.playground.until(lambda: not at.town.said(root), 90)
    return Expected(root=root, shown=[], remembered=[])


async def a_question_of_which_its_asker_is_reminded(at: Gauntlet) -> Expected:
    root = await at.town.ask(AMBIGUOUS)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.execute("UPDATE clarifications SET remind_at = now() WHERE status = 'open'")
    await at.town.playground.until(lambda: [one for one in at.town.said(root) if kind_of(one) == "reminder"], 90)
    await at.click(root, "Desk")
    await at.answers(root)
    return Expected(root=root, shown=["answered card", "reminder", "answer"], remembered=["a2"])


async def a_question_that_nobody_answers(at: Gauntlet) -> Expected:
    root = await at.town.ask(AMBIGUOUS)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.execute("UPDATE clarifications SET due_at = now() WHERE status = 'open'")
    await at.answers(root)
    return Expected(root=root, shown=["expired card", "answer"], remembered=["a2"])


SCENARIOS: tuple[Callable[[Gauntlet], Awaitable[Expected]], ...] = (
    a_clear_question,
    a_question_that_is_asked_back_and_clicked,
    a_question_that_is_asked_back_and_answered_by_typing,
    a_question_that_is_edited,
    a_question_that_is_deleted,
    a_question_of_which_its_asker_is_reminded,
    a_question_that_nobody_answers,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
async def test_killed_at_every_boundary_it_comes_to_the_same(
    scenario: Callable[[Gauntlet], Awaitable[Expected]], database_url: str, nursery: "Popen[str]"
) -> None:
    async with Gauntlet.open(database_url, nursery) as at:
        assert [] == await run(at, scenario)
        points = [point for point in at.met if point.boundary not in FLEETING or point.number == 1]
        results = {point: await killed(at, scenario, point) for point in points}

    sys.stdout.write(f"\n{scenario.__name__.replace('_', ' ')}\n")
    for point, (times, faults) in results.items():
        outcome = "broken" if faults else "whole" if times else "not met"
        sys.stdout.write(f"  killed {point.side:6} {point.boundary.value} ({point.number}): {outcome}\n")
    assert [] == at.unnamed
    assert {} == {point: faults for point, (_, faults) in results.items() if faults}
    assert [] == [one for one, (times, _) in results.items() if not times and one.boundary not in FLEETING]


def test_every_boundary_is_recognised() -> None:
    recognised = {boundary for _, boundary in COMMITS} | set(CALLS.values())

    assert set(Boundary) == recognised


def test_what_nobody_has_named_is_noticed() -> None:
    assert seen_in_commit(written(["INSERT INTO diaries VALUES (1)"])) is None
    with pytest.raises(LookupError):
        seen_in_call("reactions.add")


async def killed(
    at: Gauntlet, scenario: Callable[[Gauntlet], Awaitable[Expected]], point: Point
) -> tuple[int, list[str]]:
    """Kill at a point; return how often that happened, and what was broken then."""
    before, faults = at.kills, list[str]()
    for _ in range(ATTEMPTS):
        at.next_deadly = point
        faults += await run(at, scenario)
        if at.kills > before:
            break
    return at.kills - before, faults


async def run(at: Gauntlet, scenario: Callable[[Gauntlet], Awaitable[Expected]]) -> list[str]:
    """Live through a scenario; return what is not as it must be."""
    expected = await scenario(at)
    await at.settled()
    shown = [kind_of(one) for one in at.town.said(expected.root)]
    remembered = await memory(at, expected.root)
    texts = [text_of(one) for one in at.town.said(expected.root)]
    return [
        *([f"shown: {shown} {texts}"] if shown != expected.shown else []),
        *([f"remembered: {remembered}"] if remembered != expected.remembered else []),
    ]


async def memory(at: Gauntlet, root: str) -> list[str]:
    """Return the tags of what a thread remembers."""
    async with await psycopg.AsyncConnection.connect(
        at.town.database_url, autocommit=True, row_factory=dict_row
    ) as owner:
        thread = f"{at.town.playground.team_id}:{SUPPORT}:{root}"
        kept = await AsyncPostgresSaver(owner).aget_tuple({"configurable": {"thread_id": thread}})
    exchanges = kept.checkpoint["channel_values"].get("memory", {}).get("exchanges", []) if kept else []
    return [tag for exchange in exchanges for tag in tags_in(exchange["question"])]
