"""A channel that a guest reads: answers rest on what guests may read, and more is offered to the asker alone."""

from pathlib import Path

import pytest

from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, text_of
from tests.journeys.people.test_audiences import PEOPLE, QUESTION, SECRET, answer_to, folder, share

__all__ = ["folder"]
GIL, EVE = "U0GIL", "U0EVE"


@pytest.fixture
async def open_folder(harness: Harness, folder: Path) -> Path:
    """A folder for everyone, in a workspace with a guest who is in no channel."""
    workspace = harness.playground.workspace
    workspace.members[GIL] = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)
    await share(harness, folder, "everyone")
    return folder


async def test_what_guests_may_not_read_is_told_in_a_channel_only_while_no_guest_is_in_it(
    harness: Harness, open_folder: Path
) -> None:
    ben, gil = harness.playground.person(BEN), harness.playground.person(GIL)
    async with harness.bot():
        before = await answer_to(harness, channel=SUPPORT)
        await ben.invite(SUPPORT, GIL)
        await harness.settled()
        beside = await answer_to(harness, channel=SUPPORT)
        hint = await harness.ephemeral(ADA, "Only you see this")
        alone = await answer_to(harness, channel="D0ADA")
        await gil.leave(SUPPORT)
        await harness.settled()
        after = await answer_to(harness, channel=SUPPORT)

    assert [True, False, False, True, True] == [SECRET in one for one in (before, beside, text_of(hint), alone, after)]
    assert "Retention" not in beside + text_of(hint)


@pytest.mark.parametrize(
    ("names", "is_told"), [(("everyone", "guests"), True), (("guests",), False), ((SUPPORT,), False)]
)
async def test_beside_a_guest_what_both_members_and_guests_may_read_is_told(
    harness: Harness, open_folder: Path, names: tuple[str, ...], is_told: bool
) -> None:
    harness.playground.workspace.channels[SUPPORT].members.append(GIL)
    await share(harness, open_folder, *names)
    async with harness.bot():
        assert is_told == (SECRET in await answer_to(harness, channel=SUPPORT))


@pytest.mark.parametrize("method", ["conversations.members", "users.info"])
async def test_nothing_but_what_guests_may_read_is_told_if_slack_does_not_say_who_is_there(
    harness: Harness, open_folder: Path, method: str
) -> None:
    workspace = harness.playground.workspace
    workspace.members["U0NEW"] = Member(id="U0NEW", name="nils", real_name="Nils")
    workspace.channels[SUPPORT].members.append("U0NEW")
    async with harness.bot():
        assert SECRET in await answer_to(harness, channel=PEOPLE)
        harness.playground.faults.fail(method, times=FOREVER)
        assert SECRET not in await answer_to(harness, channel=SUPPORT)
        # What Slack said lately still counts.
        assert SECRET in await answer_to(harness, channel=PEOPLE)


async def test_who_is_of_another_company_counts_as_a_guest(harness: Harness, open_folder: Path) -> None:
    workspace = harness.playground.workspace
    workspace.members[EVE] = Member(id=EVE, name="eve", real_name="Eve", team_id="T0ACME")
    workspace.channels[SUPPORT].members.append(EVE)
    async with harness.bot():
        assert SECRET not in await answer_to(harness, channel=SUPPORT)


async def test_a_channels_people_are_asked_for_once_in_five_minutes(harness: Harness, open_folder: Path) -> None:
    async with harness.bot():
        for _ in range(3):
            await answer_to(harness, channel=SUPPORT)

    assert 1 == len(harness.playground.calls("conversations.members"))


async def test_an_answer_from_memory_is_not_repeated_to_a_guest_who_joined(harness: Harness, open_folder: Path) -> None:
    async with harness.bot():
        root = await harness.ask(QUESTION)
        (first,) = await harness.answers(root)
        await harness.settled()
        await harness.playground.person(BEN).invite(SUPPORT, GIL)
        await harness.settled()
        await harness.say("What did you answer?", root)
        *_, recalled = await harness.answers(root, 2)
        await harness.settled()

    assert (True, False) == (SECRET in text_of(first), SECRET in text_of(recalled))
