"""The benchmark on a tiny scale: counts and ratios only, because times mean nothing on a shared machine."""

import asyncio
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.arena.arena import Arena, fill
from benchmarks.arena.contestants import Name
from benchmarks.arena.model import serving_model
from benchmarks.arena.write_ahead import Written, tally
from benchmarks.comparison.beside import Rates, change, change_beside, rates_of
from benchmarks.comparison.counting import count
from benchmarks.comparison.faults import THREADS, events_come_four_times
from benchmarks.comparison.load import gaps, rush
from benchmarks.comparison.outcome import Outcome, counted
from benchmarks.comparison.people import question_is_deleted
from benchmarks.comparison.storage import rooms
from benchmarks.comparison.table import Results, markdown
from benchmarks.throughput.scaling import BAR, Machines, Rate, chart
from bot.cli.demo import HANDBOOK, remember_sample
from bot.models.choice import load_embedding
from tests.conftest import cloned
from tests.support.fork_server import WARM

TWICE = "each event comes four times"
DELETED = "the question is deleted while it is answered"


@pytest.fixture(scope="module")
def arena(server_url: str, template_url: str) -> Generator[Arena]:
    """The test session's server, with the sample documents to clone."""
    with cloned(server_url, template_url) as url:
        remember_sample(embedder := load_embedding("english"))
        asyncio.run(fill(url, HANDBOOK, embedder))
        yield Arena(server_url=server_url, template=url.rsplit("/", 1)[1])


@pytest.fixture(scope="module")
def results(arena: Arena) -> Results:
    """The results of a tiny run of both bots."""
    return asyncio.run(_measured(arena))


@pytest.fixture(autouse=True, scope="module")
def forked_bots() -> Generator[None]:
    """Let the fork server fork the bots, because loading takes most of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.arena.contestants.RUN", WARM)
        yield


async def _measured(arena: Arena) -> Results:
    async with (
        serving_model() as model,
        arena.running("Askback", "plain", environment=model.environment, ack_seconds=60.0) as bots,
    ):
        scripts = {TWICE: events_come_four_times, DELETED: question_is_deleted}
        outcomes = {title: await asyncio.gather(*map(script, bots)) for title, script in scripts.items()}
        return Results(
            threads=4,
            costs=await count(arena, bots, model, rounds=2),
            rushes={"a model": await rush(bots, threads=4, rounds=1)},
            gaps=await gaps(bots[0], pairs=1),
            turns=(1, 4),
            rooms=await rooms(bots, turns=(1, 4)),
            faults={title: dict(zip(("Askback", "plain"), both, strict=True)) for title, both in outcomes.items()},
        )


def test_arenas_of_one_server_have_databases_of_their_own(arena: Arena) -> None:
    assert arena.clone() != replace(arena).clone()


def test_ours_asks_the_model_no_more_often_than_the_plain_bot(results: Results) -> None:
    assert 0 < results.costs["Askback"].model_calls <= results.costs["plain"].model_calls


def test_a_question_costs_the_database_less_than_the_plain_bots(results: Results) -> None:
    ours, theirs = (results.costs[name].written for name in ("Askback", "plain"))

    assert 0 < 2 * ours.commits < theirs.commits
    assert 0 < 2 * ours.rows < theirs.rows
    assert 0 < 2 * ours.size < theirs.size


def test_a_thread_takes_less_room_and_grows_with_its_turns(results: Results) -> None:
    ours, theirs = (results.rooms[name] for name in ("Askback", "plain"))

    assert 0 < 2 * ours.after[1] < theirs.after[1]
    assert ours.after[1] < 6 * ours.after[0]
    assert 0 < ours.pruned < ours.after[1]


def test_the_same_event_is_answered_once_by_ours_and_twice_by_the_plain_bot(results: Results) -> None:
    assert {
        "Askback": Outcome(right=THREADS, lost=0, doubled=0),
        "plain": Outcome(right=0, lost=0, doubled=THREADS),
    } == results.faults[TWICE]


def test_a_deleted_question_is_left_alone_by_ours_and_answered_by_the_plain_bot(results: Results) -> None:
    assert {
        "Askback": Outcome(right=THREADS, lost=0, doubled=0),
        "plain": Outcome(right=0, lost=0, doubled=THREADS),
    } == results.faults[DELETED]


def test_a_thread_is_right_where_nothing_is_missing_and_nothing_too_many() -> None:
    assert Outcome(right=1, lost=3, doubled=2) == counted(fewer=[0, 1, 2, 0], more=[0, 0, 1, 1])


def test_every_delivery_is_acknowledged(results: Results) -> None:
    acknowledged = [seconds for rush in results.rushes["a model"].values() for seconds in rush.acknowledged_seconds]

    assert 4 * 2 * 2 <= len(acknowledged)
    assert max(acknowledged) < float("inf")


def test_the_tables_show_every_measure(results: Results) -> None:
    shown = markdown(results)

    titles = ("One question, alone", "4 threads at once, a model", "A long thread", "The same faults", "median")
    assert all(title in shown for title in titles)
    assert f"| {TWICE} | {THREADS} / 0 / 0 | 0 / 0 / {THREADS} |" in shown


def test_what_was_not_measured_has_no_table() -> None:
    assert markdown(Results()) == ""


def test_the_curve_shows_what_more_machines_bring_and_which_came_to_no_end() -> None:
    one, two, three = (Machines(workers=workers, receivers=1) for workers in (1, 2, 3))

    *_, first, second, third = chart(
        "a model", [Rate(machines=one, answers=4.0), Rate(machines=two, answers=8.0), Rate(machines=three)]
    ).splitlines()
    assert "×1.00" in first
    assert "×2.00" in second
    assert "came to no end" in third
    assert [BAR // 2, BAR, 0] == [line.count("█") for line in (first, second, third)]
    assert first.count("|") == second.count("|") == third.count("|")


def test_what_slows_the_machine_is_not_held_against_a_bot_beside_an_undisturbed_one() -> None:
    before: Rates = {"Askback": [20, 10, 20], "plain": [10, 5, 10], "Askback, undisturbed": [20, 10, 20]}
    after: Rates = {"Askback": [10, 20, 10], "plain": [2.5, 5, 2.5], "Askback, undisturbed": [10, 20, 10]}

    assert 0.5 == change("Askback", before, after)
    assert 1.0 == change_beside("Askback", "Askback, undisturbed", before, after)
    assert 0.5 == change_beside("plain", "Askback, undisturbed", before, after)


@pytest.mark.parametrize("missing", ["Askback", "Askback, undisturbed"])
def test_a_bot_that_comes_to_no_end_is_compared_with_none(missing: Name) -> None:
    whole: Rates = {"Askback": [20.0, 20.0], "Askback, undisturbed": [20.0, 20.0]}
    broken: Rates = {**whole, missing: [0.0]}

    assert 0.0 == change_beside("Askback", "Askback, undisturbed", whole, broken)
    assert 0.0 == change_beside("Askback", "Askback, undisturbed", broken, whole)


async def test_bots_are_asked_by_turns(arena: Arena) -> None:
    async with arena.running("Askback", "Askback, undisturbed", environment={}) as bots:
        rates = await rates_of(bots, threads=2, rounds=2)

    assert {"Askback": 2, "Askback, undisturbed": 2} == {name: len(found) for name, found in rates.items()}
    assert all(rate > 0 for found in rates.values() for rate in found)


def test_the_plain_bot_is_plain() -> None:
    files = (Path(__file__).parents[2] / "benchmarks" / "plain").glob("*.py")

    assert 0 < sum(len(file.read_text("utf-8").splitlines()) for file in files) <= 300


def test_the_log_tells_a_databases_commits_and_rows_from_others_and_from_the_servers_own_affairs() -> None:
    lines = [
        _record("Heap", 54, 750, "INSERT off: 3, flags: 0x00, blkref #0: rel 1663/5/16388 blk 0"),
        _record("Heap2", 80, 751, "MULTI_INSERT ntuples: 4, flags: 0x02, blkref #0: rel 1663/5/16388 blk 0"),
        _record("Heap", 60, 750, "HOT_UPDATE old_xmax: 750, blkref #0: rel 1663/5/16388 blk 0"),
        _record("Heap", 50, 750, "LOCK xmax: 750, blkref #0: rel 1663/5/16388 blk 0"),
        _record("Btree", 64, 750, "INSERT_LEAF off: 1, blkref #0: rel 1663/5/16390 blk 1"),
        _record("Transaction", 46, 749, "COMMIT 2026-01-01 00:00:00.000000 UTC; subxacts: 750"),
        _record("Transaction", 34, 751, "ABORT 2026-01-01 00:00:00.000000 UTC"),
        _record("Heap", 54, 752, "INSERT off: 3, flags: 0x00, blkref #0: rel 1663/6/16388 blk 0"),
        _record("Transaction", 46, 752, "COMMIT 2026-01-01 00:00:00.000000 UTC"),
        _record("Heap2", 50, 0, "PRUNE_ON_ACCESS isCatalogRel: F, blkref #0: rel 1663/5/16388 blk 0"),
        _record("Standby", 50, 0, "RUNNING_XACTS nextXid 753"),
        "pg_waldump: first record is after 0/01",
    ]

    assert Written(commits=1, rows=6, size=54 + 80 + 60 + 50 + 64 + 46 + 34) == tally(lines, "5")


def _record(manager: str, size: int, transaction: int, said: str) -> str:
    return f"rmgr: {manager}   len (rec/tot):   {size}/   999, tx:   {transaction}, lsn: 0/01, prev 0/00, desc: {said}"
