"""What is shared with a user group is told to its people in direct messages, and to nobody else."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from playground.protocol.events import envelope
from playground.protocol.faults import FOREVER
from tests.journeys.harness import ADA, BEN, Harness
from tests.journeys.people.test_audiences import PEOPLE, SECRET, answer_to, folder, share

__all__ = ["folder"]
GROUP = "S0TEAM"
ASKED = "usergroups.users.list"


@pytest.fixture
async def group(harness: Harness, folder: Path) -> AsyncGenerator[list[str]]:
    """A user group with Ada, which alone may read the folder."""
    await share(harness, folder, GROUP)
    people = harness.playground.workspace.groups.setdefault(GROUP, [ADA])
    async with harness.bot():
        yield people


async def told(harness: Harness, person: str = ADA) -> bool:
    """Tell whether a person gets the secret in a direct message."""
    return SECRET in await answer_to(harness, channel=f"D0{person.removeprefix('U0')}", person=person)


async def test_its_people_alone_are_told_and_alone(harness: Harness, group: list[str]) -> None:
    assert [True, False] == [await told(harness, person) for person in (ADA, BEN)]
    assert SECRET not in await answer_to(harness, channel=PEOPLE)
    assert 1 == len(harness.playground.calls(ASKED))


async def test_who_leaves_it_is_told_no_more_as_soon_as_slack_says_so(harness: Harness, group: list[str]) -> None:
    before = await told(harness)
    group[:] = [BEN]
    event = {"type": "subteam_members_changed", "subteam_id": GROUP, "team_id": harness.playground.team_id}
    harness.playground.deliver(envelope(harness.playground.workspace, event, harness.playground.clock.now()))
    await harness.settled()

    assert (True, False, True) == (before, await told(harness), await told(harness, BEN))


async def test_after_five_minutes_slack_is_asked_again(harness: Harness, group: list[str]) -> None:
    before = await told(harness)
    group.clear()
    async with harness.owning() as owner:
        await owner.execute("UPDATE memberships SET asked_at = asked_at - interval '5 minutes'")

    assert (True, False) == (before, await told(harness))


async def test_while_slack_does_not_say_who_is_in_it_nobody_is(harness: Harness, group: list[str]) -> None:
    harness.playground.faults.fail(ASKED, "missing_scope", times=FOREVER)

    assert not await told(harness)
