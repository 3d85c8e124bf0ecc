"""One process, and several that share a budget, keep within it."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.postgres.pool import Database
from bot.slack.api.budget import Allowance, Budget, LocalBudget
from bot.slack.api.shared_budget import SharedBudget
from tests.support.fakes import TurnedClock

TEN = Allowance(calls=10)


class Time:
    """One clock for both kinds of budgets."""

    def __init__(self) -> None:
        self.clock = TurnedClock()

    def seconds(self) -> float:
        return (self.clock.now() - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture(params=["local", "shared"])
def budget(request: pytest.FixtureRequest, time: Time) -> Budget:
    if request.param == "local":
        return LocalBudget(time.seconds)
    return SharedBudget(request.getfixturevalue("database"), time.clock, surface="slack:T0")


async def test_a_minute_has_so_many_calls_and_the_next_ones_wait_one_after_another(budget: Budget) -> None:
    waits = [await budget.reserve("update", TEN) for _ in range(13)]

    assert [0.0] * 10 + [6.0, 12.0, 18.0] == pytest.approx(waits)


async def test_room_comes_back_with_time(budget: Budget, time: Time) -> None:
    for _ in range(10):
        await budget.reserve("update", TEN)
    time.clock.turn(seconds=12)

    assert [0.0, 0.0, 6.0] == pytest.approx([await budget.reserve("update", TEN) for _ in range(3)])


async def test_what_can_be_left_out_leaves_a_share_to_what_cannot(budget: Budget) -> None:
    taken = [await budget.take("update", TEN, count=2, kept_free=0.3) for _ in range(5)]
    waits = [await budget.reserve("update", TEN) for _ in range(5)]

    assert [True, True, True, False, False] == taken
    assert [0.0] * 4 + [6.0] == pytest.approx(waits)


async def test_buckets_do_not_know_each_other(budget: Budget) -> None:
    for _ in range(10):
        await budget.reserve("update", TEN)

    assert 0.0 == await budget.reserve("append", TEN)


async def test_what_slack_has_closed_waits_as_long_as_it_asks(budget: Budget, time: Time) -> None:
    await budget.close("update", seconds=30)
    is_open = await budget.take("update", TEN, count=1, kept_free=0.0)
    wait = await budget.reserve("update", TEN)
    time.clock.turn(seconds=30)

    assert (False, 30.0) == (is_open, pytest.approx(wait))
    assert await budget.take("update", TEN, count=1, kept_free=0.0)


async def test_two_processes_have_one_budget_together(database: Database, time: Time) -> None:
    both = [SharedBudget(database, time.clock, surface="slack:T0") for _ in range(2)]
    waits = await asyncio.gather(*(one.reserve("update", TEN) for one in both * 6))

    assert [0.0] * 10 + [6.0, 12.0] == pytest.approx(sorted(waits))


async def test_two_workspaces_have_one_each(database: Database, time: Time) -> None:
    for team in ("T0", "T1"):
        budget = SharedBudget(database, time.clock, surface=f"slack:{team}")
        assert await budget.take("update", TEN, count=10, kept_free=0.0)


async def test_without_its_database_a_process_minds_its_own_budget(database: Database, time: Time) -> None:
    budget = SharedBudget(database, time.clock, surface="slack:T0")
    await database._pool.close()

    waits = [await budget.reserve("update", TEN) for _ in range(11)]
    assert waits[-1] > 0
    assert not await budget.take("update", TEN, count=1, kept_free=0.0)
    await budget.close("append", seconds=30)
    assert not await budget.take("append", TEN, count=1, kept_free=0.0)
