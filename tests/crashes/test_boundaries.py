"""After a kill before or after each lasting effect, nothing is lost, shown twice, or remembered twice."""

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from bot.postgres.checkpoints import saver_on
from tests.crashes.boundaries import CALLS, COMMITS, Boundary, seen_in_call, seen_in_commit, written
from tests.crashes.runner import Point, Runner, kind_of
from tests.crashes.stories import STORIES, Expected, Story, a_clear_question
from tests.journeys.harness import SUPPORT, text_of
from tests.journeys.reviewing import cards
from tests.simulation.models import tags_in
from tests.support.fork_server import ForkServer

FLEETING = {
    Boundary.STREAM_OPENED: 1,
    Boundary.STREAM_GROWN: 1,
    Boundary.STREAM_CLOSED: 1,
    Boundary.STATUS_SHOWN: 1,
    Boundary.REWRITTEN: 4,
    Boundary.ATTEMPT_GIVEN_BACK: 1,
    Boundary.SAID_KEPT: 1,
    Boundary.OLD_FORGOTTEN: 1,
}
"""Boundaries whose number depends on the machine's speed: this many are enough, if they occur at all."""

OPENING = {
    Boundary.EVENT_STORED,
    Boundary.CLAIMED,
    Boundary.STATUS_SHOWN,
    Boundary.STREAM_OPENED,
    Boundary.MESSAGE_RECORDED,
}
"""The boundaries of a clear question before it has said anything. Stories that begin alike are not killed there."""

PRIVATELY = ("D0CHIARA", "D0BEN")
BOTH_SIDES = "BOTH_SIDES" in os.environ
"""Just before an effect, the state is the same as just after the previous one. `make soak` kills at both."""
MANY = 1_000
ATTEMPTS = 4
"""On a slow machine the answer may be complete before its stream is open, so that this point never comes."""


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.live.__name__)
async def test_killed_at_every_boundary_it_comes_to_the_same(
    story: Story, database_urls: list[str], fork_server: ForkServer, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        lanes = [
            await stack.enter_async_context(Runner.open(url, fork_server, tmp_path / str(number), story.given))
            for number, url in enumerate(database_urls)
        ]
        assert [[]] * len(lanes) == await asyncio.gather(*(run(lane, story) for lane in lanes))
        every = [one for one in lanes[0].met if is_tried(one, story, lanes)]
        new = own(every, lanes[0].met, story.alike_until)
        assert {one.boundary for one in every if one not in new} <= OPENING
        points = every if BOTH_SIDES else chosen(new, lanes[0].met)
        results = await tried(lanes, story, points)

    sys.stdout.write(f"\n{story.name}\n")
    for point, (times, faults) in results.items():
        outcome = "broken" if faults else "whole" if times else "not met"
        sys.stdout.write(f"  killed {point.side:6} {point.boundary.value} ({point.number}): {outcome}\n")
    assert story.meets <= {point.boundary for point in points}
    assert [] == [unnamed for lane in lanes for unnamed in lane.unnamed]
    assert {} == {point: faults for point, (_, faults) in results.items() if faults}
    assert [] == [one for one, (times, _) in results.items() if not times and one.boundary not in FLEETING]
    if story.live is a_clear_question:
        assert OPENING - FLEETING.keys() <= {one.boundary for one in points}, "Other stories rely on it."


def test_every_boundary_is_recognised() -> None:
    recognised = {boundary for _, boundary in COMMITS} | set(CALLS.values())

    assert set(Boundary) == recognised


def test_what_nobody_has_named_is_noticed() -> None:
    assert seen_in_commit(written(["INSERT INTO diaries VALUES (1)"])) is None
    with pytest.raises(LookupError):
        seen_in_call("reactions.add")


def test_of_two_points_between_which_nothing_lasts_one_is_chosen() -> None:
    stored, opened, shown = (
        [Point(boundary=boundary, number=1, side=side) for side in ("before", "after")]
        for boundary in (Boundary.EVENT_STORED, Boundary.STREAM_OPENED, Boundary.STATUS_SHOWN)
    )
    met = [*stored, *shown, *opened]

    assert [*stored, shown[1], opened[1]] == chosen(met, met)
    assert [*stored, *opened] == chosen([*stored, *opened], met), "What a status leaves is tried at no other point."


def test_until_a_story_differs_from_a_clear_question_it_is_not_killed() -> None:
    stored, shown, asked, opened = (
        [Point(boundary=boundary, number=1, side=side) for side in ("before", "after")]
        for boundary in (Boundary.EVENT_STORED, Boundary.STATUS_SHOWN, Boundary.ASKED, Boundary.STREAM_OPENED)
    )
    met = [*stored, *shown, *asked, *opened]
    tried = [*stored, *asked, *opened]

    assert [*asked, *opened] == own(tried, met, Boundary.ASKED)
    assert asked[0] in chosen(own(tried, met, Boundary.ASKED), met), "It is killed just before it differs."
    assert tried == own(tried, met, None) == own(tried, met, Boundary.EXPIRED)


def is_tried(point: Point, story: Story, lanes: list[Runner]) -> bool:
    """Tell whether to kill at a point: it occurs in every undisturbed run, or is one of the first varying ones."""
    most = max(story.parts, FLEETING.get(point.boundary, MANY))
    return point.number <= most and (point.boundary in FLEETING or all(point in lane.met for lane in lanes))


def own(points: list[Point], met: list[Point], alike_until: Boundary | None) -> list[Point]:
    """Leave out points before the first one of a boundary: their states are those of another story."""
    begins = next((at for at, one in enumerate(met) if one.boundary is alike_until), 0)
    return [one for one in points if met.index(one) >= begins]


def chosen(points: list[Point], met: list[Point]) -> list[Point]:
    """Leave out points whose state equals that of the point before, where the process is killed anyway."""
    after = {one for one in points if one.side == "after"}
    repeated = {later for sooner, later in pairwise(met) if later.side == "before" and sooner in after}
    return [one for one in points if one not in repeated]


async def tried(lanes: list[Runner], story: Story, points: list[Point]) -> dict[Point, tuple[int, list[str]]]:
    """Kill at each point, at several at a time; return how often each occurred, and the broken promises."""
    results = {point: (0, list[str]()) for point in points}
    left = iter(points)

    async def follow(lane: Runner) -> None:
        for point in left:
            results[point] = await killed(lane, story, point)

    async with asyncio.TaskGroup() as group:
        for lane in lanes:
            group.create_task(follow(lane))
    return results


async def killed(at: Runner, story: Story, point: Point) -> tuple[int, list[str]]:
    """Kill at a point; return how often it occurred, and the broken promises."""
    before, faults = at.kills, list[str]()
    for _ in range(ATTEMPTS):
        at.next_deadly = point
        faults += await run(at, story)
        if at.kills > before:
            break
    return at.kills - before, faults


async def run(at: Runner, story: Story) -> list[str]:
    """Run a story; return the broken promises."""
    earlier = len(cards(at.harness))
    heard = {channel: len(at.harness.playground.messages(channel)) for channel in PRIVATELY}
    expected = await story.live(at)
    await at.settled()
    said = at.harness.said(expected.root)
    shown, texts = [kind_of(one) for one in said], [text_of(one) for one in said]
    remembered = await memory(at, expected.root)
    reviewed = [text_of(card) for card in cards(at.harness)[earlier:]]
    told = [channel for channel in PRIVATELY for _ in at.harness.playground.messages(channel)[heard[channel] :]]
    session = at.harness.playground.session(SUPPORT, expected.root)
    return [
        *([f"shown: {shown} {texts}"] if shown != expected.shown else []),
        *([f"not said: {texts}"] if expected.holding not in "".join(texts[-1:]) else []),
        *([f"remembered: {remembered}"] if remembered != expected.remembered else []),
        *([f"reviewed: {reviewed}"] if not _are(reviewed, expected) else []),
        *expected.faults,
        *([f"told in: {told}"] if told != list(expected.told) else []),
        *([f"the session is still {session}"] if session not in ("", "active") else []),
    ]


def _are(reviewed: list[str], expected: Expected) -> bool:
    return len(reviewed) == len(expected.reviewed) and all(map(str.__contains__, reviewed, expected.reviewed))


async def memory(at: Runner, root: str) -> list[str]:
    """Return the tags in a thread's memory."""
    thread = f"{at.harness.playground.team_id}:{SUPPORT}:{root}"
    kept = await saver_on(at.owner).aget_tuple({"configurable": {"thread_id": thread}})
    exchanges = kept.checkpoint["channel_values"].get("memory", {}).get("exchanges", []) if kept else []
    return [tag for exchange in exchanges for tag in tags_in(exchange["question"])]
