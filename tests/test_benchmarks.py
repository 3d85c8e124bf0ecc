"""The benchmark on a tiny scale: counts and ratios only, for times are nobody's promise on a machine that is shared."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import pytest

from benchmarks import plain
from benchmarks.arena import Arena, fill
from benchmarks.counting import count
from benchmarks.faults import THREADS, Outcome, events_come_four_times
from benchmarks.load import gaps, rush
from benchmarks.model import serving_model
from benchmarks.storage import sizes
from benchmarks.table import Results, markdown
from benchmarks.write_ahead import Written, tally
from bot.demo import HANDBOOK
from tests.conftest import cloned

TWICE = "each event comes four times"


@pytest.fixture(scope="module")
def arena(server_url: str, template_url: str) -> Generator[Arena]:
    """The test session's server, with the documents of the offices to clone."""
    with cloned(server_url, template_url) as url:
        asyncio.run(fill(url, HANDBOOK / "offices"))
        yield Arena(server_url=server_url, template=url.rsplit("/", 1)[1])


@pytest.fixture(scope="module")
def results(arena: Arena) -> Results:
    """What a tiny run measures of both bots."""
    return asyncio.run(_measured(arena))


async def _measured(arena: Arena) -> Results:
    async with serving_model() as model, arena.running("Askback", "plain", environment=model.environment) as bots:
        outcomes = await asyncio.gather(*(events_come_four_times(bot) for bot in bots))
        return Results(
            threads=4,
            costs=await count(arena, bots, model, rounds=2),
            rushes={"a model": await rush(bots, threads=4, rounds=1)},
            gaps=await gaps(bots[0], pairs=1),
            turns=(1, 4),
            sizes=await sizes(bots, turns=(1, 4)),
            faults={TWICE: {bot.name: outcome for bot, outcome in zip(bots, outcomes, strict=True)}},
        )


def test_both_ask_the_model_as_often(results: Results) -> None:
    assert results.costs["Askback"].model_calls == results.costs["plain"].model_calls > 0


def test_a_question_costs_the_database_less_than_the_plain_bots(results: Results) -> None:
    ours, theirs = (results.costs[name].written for name in ("Askback", "plain"))

    assert 0 < 2 * ours.commits < theirs.commits
    assert 0 < 2 * ours.rows < theirs.rows
    assert 0 < 2 * ours.size < theirs.size


def test_a_thread_takes_less_room_and_does_not_grow_faster_than_its_turns(results: Results) -> None:
    first, fourth = results.sizes["Askback"]

    assert 0 < 2 * fourth < results.sizes["plain"][1]
    assert fourth < 6 * first


def test_the_same_event_is_answered_once_by_ours_and_twice_by_the_plain_bot(results: Results) -> None:
    assert {
        "Askback": Outcome(right=THREADS, lost=0, doubled=0),
        "plain": Outcome(right=0, lost=0, doubled=THREADS),
    } == results.faults[TWICE]


def test_every_delivery_is_acknowledged(results: Results) -> None:
    acknowledged = [seconds for rush in results.rushes["a model"].values() for seconds in rush.acknowledged_seconds]

    assert 4 * 2 * 2 <= len(acknowledged)
    assert max(acknowledged) < float("inf")


def test_the_tables_show_every_measure(results: Results) -> None:
    shown = markdown(results)

    titles = ("One question, alone", "4 threads at once, a model", "A long thread", "The same mishaps", "median")
    assert all(title in shown for title in titles)
    assert f"| {TWICE} | {THREADS} / 0 / 0 | 0 / 0 / {THREADS} |" in shown


def test_what_was_not_measured_has_no_table() -> None:
    assert markdown(Results()) == ""


def test_the_plain_bot_is_plain() -> None:
    (folder,) = plain.__path__

    assert 300 >= sum(len(file.read_text("utf-8").splitlines()) for file in Path(folder).glob("*.py"))


def test_the_log_tells_commits_and_rows_from_the_servers_own_affairs() -> None:
    record = "rmgr: {}        len (rec/tot):     {}/   999, tx:        750, lsn: 0/01, prev 0/00, desc: {}"
    lines = [
        record.format("Heap", 54, "INSERT off: 3, flags: 0x00, blkref #0: rel 1663/5/16388 blk 0"),
        record.format("Heap2", 80, "MULTI_INSERT ntuples: 4, flags: 0x02"),
        record.format("Heap", 60, "HOT_UPDATE old_xmax: 750"),
        record.format("Heap", 50, "LOCK xmax: 750"),
        record.format("Btree", 64, "INSERT_LEAF off: 1"),
        record.format("Transaction", 46, "COMMIT 2026-01-01 00:00:00.000000 UTC"),
        record.format("Transaction", 34, "ABORT 2026-01-01 00:00:00.000000 UTC"),
        record.format("Standby", 50, "RUNNING_XACTS nextXid 751"),
    ]

    assert Written(commits=1, rows=6, size=54 + 80 + 60 + 50 + 64 + 46 + 34) == tally(lines)
