"""The setting names the reviewers: people, or a user group whose members Slack returns."""

import asyncio
from dataclasses import dataclass, field
from itertools import repeat

import pytest

from bot.conversation.address import PersonId
from bot.errors import GroupUnknownError
from bot.slack.api.messenger import Messenger
from bot.slack.people.reviewers import CHANNELS_SECONDS, KEPT_SECONDS, PATIENCE_SECONDS, REMEMBERED_SECONDS, Reviewers
from playground import Playground
from playground.protocol.faults import FOREVER

ADA, CHIARA, DEV = PersonId("U0ADA"), PersonId("U0CHIARA"), PersonId("U0DEV")
ACKNOWLEDGED_SECONDS = 3.0
"""Slack expects the acknowledgement of a click within this time."""


@dataclass
class Watch:
    """Seconds that pass when the test says so."""

    now: float = field(default=0.0)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def group(playground: Playground) -> list[str]:
    """The members of a user group."""
    return playground.workspace.groups.setdefault("S0PEOPLE", [CHIARA])


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a click wait no longer than in production."""
    monkeypatch.setattr("bot.slack.people.reviewers.PATIENCE_SECONDS", PATIENCE_SECONDS)


def asked(playground: Playground) -> int:
    """Return how often Slack was asked for the members of a group."""
    return len(playground.calls("usergroups.users.list"))


async def test_where_nobody_is_named_everybody_decides(messenger: Messenger, playground: Playground) -> None:
    assert await Reviewers("", messenger).include(ADA)
    assert 0 == asked(playground)


async def test_a_person_who_is_named_needs_no_group(messenger: Messenger, playground: Playground) -> None:
    reviewers = Reviewers("U0DEV, S0UNKNOWN", messenger)

    assert await reviewers.include(DEV)
    assert 0 == asked(playground)


async def test_the_people_of_a_group_decide_and_nobody_else(messenger: Messenger, group: list[str]) -> None:
    reviewers = Reviewers("U0DEV,S0PEOPLE", messenger)

    assert [True, True, False] == [await reviewers.include(person) for person in (DEV, CHIARA, ADA)]


async def test_of_many_who_click_at_once_one_asks(
    messenger: Messenger, group: list[str], playground: Playground
) -> None:
    reviewers = Reviewers("S0PEOPLE", messenger)

    assert [*repeat(True, 20)] == await asyncio.gather(*(reviewers.include(CHIARA) for _ in range(20)))
    assert 1 == asked(playground)


async def test_who_leaves_a_group_decides_no_more_once_it_is_asked_again(
    messenger: Messenger, group: list[str], playground: Playground
) -> None:
    watch = Watch()
    reviewers = Reviewers("S0PEOPLE", messenger, seconds=watch)
    assert await reviewers.include(CHIARA)

    group[:] = [DEV]
    watch.now = KEPT_SECONDS

    assert [False, True] == [await reviewers.include(person) for person in (CHIARA, DEV)]
    assert 2 == asked(playground)


async def test_a_group_is_remembered_for_an_hour_while_slack_refuses(
    messenger: Messenger, group: list[str], playground: Playground
) -> None:
    watch = Watch()
    reviewers = Reviewers("S0PEOPLE", messenger, seconds=watch)
    await reviewers.include(CHIARA)

    playground.faults.fail("usergroups.users.list", times=FOREVER)
    watch.now = REMEMBERED_SECONDS - 1
    assert [True, False] == [await reviewers.include(person) for person in (CHIARA, ADA)]

    watch.now = REMEMBERED_SECONDS
    with pytest.raises(GroupUnknownError):
        await reviewers.include(CHIARA)


@pytest.mark.usefixtures("hasty")
async def test_where_slack_is_slow_what_is_remembered_counts_before_a_click_must_be_acknowledged(
    messenger: Messenger, group: list[str], playground: Playground
) -> None:
    watch = Watch()
    reviewers = Reviewers("S0PEOPLE", messenger, seconds=watch)
    await reviewers.include(CHIARA)
    watch.now = KEPT_SECONDS
    playground.faults.delay("usergroups.users.list", 600, times=20)

    # If they waited one after another, that would be half a minute.
    async with asyncio.timeout(20 * PATIENCE_SECONDS / 2):
        assert [*repeat(True, 20)] == await asyncio.gather(*(reviewers.include(CHIARA) for _ in range(20)))
    playground.clock.advance(600)
    assert PATIENCE_SECONDS + CHANNELS_SECONDS < ACKNOWLEDGED_SECONDS


@pytest.mark.usefixtures("hasty")
async def test_where_slack_is_slow_and_nothing_is_remembered_it_is_said_in_time(
    messenger: Messenger, group: list[str], playground: Playground
) -> None:
    playground.faults.delay("usergroups.users.list", 600)

    with pytest.raises(GroupUnknownError):
        await Reviewers("S0PEOPLE", messenger).include(CHIARA)
    playground.clock.advance(600)


async def test_a_group_that_nobody_knows_lets_nobody_in(messenger: Messenger) -> None:
    with pytest.raises(GroupUnknownError):
        await Reviewers("S0UNKNOWN", messenger).include(ADA)
