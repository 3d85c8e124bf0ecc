"""Optional calls are dropped if Slack is busy, and `Retry-After` is obeyed."""

import asyncio

import pytest

from bot.slack.api.budget import LocalBudget
from bot.slack.api.pace import CALLS_PER_MINUTE, STREAMS_PER_MINUTE, Pace
from playground.protocol.rate_limits import METHOD_TIERS, SPECIAL, TIERS


class CountingBudget(LocalBudget):
    """A budget that counts its requests."""

    asked = 0

    async def take(self, *args: object, **given: object) -> bool:
        self.asked += 1
        return await super().take(*args, **given)  # pyright: ignore[reportArgumentType]


def seconds() -> float:
    return asyncio.get_running_loop().time()


async def test_a_minute_has_room_for_so_many_live_answers() -> None:
    pace = Pace(now=lambda: 1.0)

    assert STREAMS_PER_MINUTE == sum([await pace.may_stream() for _ in range(40)])
    assert STREAMS_PER_MINUTE < TIERS[METHOD_TIERS["chat.startStream"]]


async def test_drafts_leave_room_for_final_answers() -> None:
    pace = Pace(now=lambda: 1.0)
    drafts = 0
    while await pace.may("chat.update"):
        drafts += 1
    began = seconds()
    for _ in range(CALLS_PER_MINUTE["chat.update"] - drafts):
        await pace.wait("chat.update", "C1")

    assert 30 < drafts < CALLS_PER_MINUTE["chat.update"] - 10
    assert seconds() - began < 10


async def test_the_budget_is_asked_once_for_several_calls_that_can_be_left_out() -> None:
    budget = CountingBudget()
    pace = Pace(budget=budget, now=lambda: 1.0)

    assert all([await pace.may("chat.appendStream") for _ in range(20)])
    assert 4 == budget.asked


async def test_calls_that_were_taken_and_not_made_soon_are_given_up() -> None:
    now = [1.0]
    budget = CountingBudget(lambda: now[0])
    pace = Pace(budget=budget, now=lambda: now[0])

    for _ in range(3):
        await pace.may("chat.appendStream")
        now[0] += 4

    assert 3 == budget.asked


async def test_a_channel_gets_one_post_a_second_and_others_do_not_wait() -> None:
    pace = Pace(now=lambda: 1.0)
    began = seconds()
    for number in range(1, 11):
        await pace.wait("chat.postMessage", f"C{number}")
    others = seconds() - began
    await pace.wait("chat.postMessage", "C1")

    # If they waited for each other, that would be 1 + 2 + … + 9 seconds.
    assert others < 20
    assert 0.8 < seconds() - began


async def test_a_closed_method_waits_and_has_no_room() -> None:
    pace = Pace(now=lambda: 1.0)
    await pace.close("chat.update", 0.3)
    began = seconds()
    had_room = await pace.may("chat.update")
    await pace.wait("chat.update", "C1")

    assert not had_room
    assert seconds() - began >= 0.29


async def test_methods_without_a_tier_hardly_wait() -> None:
    pace = Pace()
    began = seconds()
    for _ in range(500):
        await pace.wait("chat.getPermalink", "C1")

    assert seconds() - began < 30


@pytest.mark.parametrize("method", CALLS_PER_MINUTE)
def test_the_budgets_are_slacks(method: str) -> None:
    assert CALLS_PER_MINUTE[method] == (SPECIAL.get(method) or TIERS[METHOD_TIERS[method]])
