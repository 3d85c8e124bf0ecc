"""Account types: Slack is asked once a day for each person, and an unchecked person is not served."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.conversation.address import PersonId, TeamId
from bot.errors import SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.payloads.identity import Identity
from bot.slack.people.people import (
    COUNTS_SECONDS,
    FRESH_SECONDS,
    PATIENCE_SECONDS,
    Access,
    AccessPolicy,
    AccountType,
    Described,
    People,
    account_type_of,
    described_by,
)
from playground import Playground
from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.slack.payloads import US

ADA, BEN, EVE, GIL = PersonId("U0ADA"), PersonId("U0BEN"), PersonId("U0EVE"), PersonId("U0GIL")
OURS = Identity(team=TeamId("T0LUMENPINE"), bot_user=PersonId("U0ASKBACK"), bot="B0ASKBACK")
ACKNOWLEDGED_SECONDS = 3.0


@dataclass
class Watch:
    """Seconds that pass when the test says so."""

    now: float = field(default=0.0)

    def __call__(self) -> float:
        return self.now


def asked(playground: Playground) -> int:
    """Return how often Slack was asked for a person."""
    return len(playground.calls("users.info"))


@pytest.mark.parametrize(
    ("fields", "account_type"),
    [
        ({}, "member"),
        ({"is_restricted": True}, "guest"),
        ({"is_ultra_restricted": True}, "guest"),
        ({"deleted": True, "is_restricted": True}, "deactivated"),
        ({"is_bot": True}, "machine"),
        ({"is_workflow_bot": True}, "machine"),
        ({"id": "USLACKBOT"}, "machine"),
        ({"team_id": "T9"}, "foreign"),
        ({"team_id": None}, "foreign"),
        ({"is_stranger": True}, "foreign"),
        ({"team_id": "T9", "enterprise_user": {"enterprise_id": "E9"}}, "foreign"),
    ],
)
def test_who_somebody_is_is_read(fields: dict[str, Any], account_type: AccountType) -> None:
    assert account_type == account_type_of({"id": "UADA", "team_id": "T1", **fields}, US)


def test_of_others_nothing_but_that_is_kept() -> None:
    user = {"id": "UADA", "team_id": "T1", "tz": "Europe/Lisbon", "profile": {"title": "Lead"}}

    assert Described("member", zone="Europe/Lisbon", title="Lead") == described_by(user, US)
    assert Described("foreign") == described_by({**user, "team_id": "T9"}, US)
    assert Described("machine") == described_by({**user, "is_bot": True}, US)
    assert Described("member") == described_by({"id": "UADA", "team_id": "T1", "profile": None}, US)


def test_people_of_other_workspaces_of_our_organization_are_ours() -> None:
    me = Identity(team=US.team, bot_user=US.bot_user, bot=US.bot, enterprise="E1")
    user = {"id": "UADA", "team_id": "T2", "enterprise_user": {"enterprise_id": "E1"}}

    assert ("member", "foreign") == (account_type_of(user, me), account_type_of(user, US))
    assert "member" == account_type_of({**user, "is_stranger": True}, me)


@pytest.mark.parametrize(
    ("person", "policy", "access"),
    [
        (ADA, AccessPolicy(), "granted"),
        (EVE, AccessPolicy(answers_guests=True), "stranger"),
        (GIL, AccessPolicy(), "guest"),
        (GIL, AccessPolicy(answers_guests=True), "granted"),
        (PersonId("U0NOBODY"), AccessPolicy(), "stranger"),
        (PersonId("U0ASKBACK"), AccessPolicy(), "stranger"),
    ],
)
async def test_those_are_served_whom_the_settings_name(
    playground: Playground, messenger: Messenger, person: PersonId, policy: AccessPolicy, access: Access
) -> None:
    members = playground.workspace.members
    members[EVE] = Member(id=EVE, name="eve", real_name="Eve", team_id="T0ACME")
    members[GIL] = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)

    assert access == await People(messenger, OURS, policy).access(person)


async def test_slack_is_asked_once_by_many_at_once_and_again_after_an_hour(
    playground: Playground, messenger: Messenger, me: Identity
) -> None:
    watch = Watch()
    people = People(messenger, me, seconds=watch)

    assert {"granted"} == set(await asyncio.gather(*(people.access(ADA) for _ in range(20))))
    watch.now = FRESH_SECONDS - 1
    await people.access(ADA)
    assert 1 == asked(playground)
    watch.now = FRESH_SECONDS
    await people.access(ADA)
    assert 2 == asked(playground)


async def test_what_slack_said_counts_for_a_day_while_it_says_nothing_and_then_nobody_is_served(
    playground: Playground, messenger: Messenger, me: Identity
) -> None:
    watch = Watch()
    people = People(messenger, me, seconds=watch)
    await people.access(ADA)
    playground.faults.fail("users.info", times=FOREVER)

    watch.now = COUNTS_SECONDS - 1
    assert ("granted", "unchecked") == (await people.access(ADA), await people.access(BEN))
    watch.now = COUNTS_SECONDS
    assert "unchecked" == await people.access(ADA)
    assert set() == await people.of_ours([ADA, BEN])


async def test_who_is_checked_counts_as_soon_as_the_scope_is_granted(
    messenger: Messenger, playground: Playground
) -> None:
    people = People(messenger, OURS)
    playground.faults.fail("users.info", "missing_scope")

    assert ("unchecked", "granted") == (await people.access(ADA), await people.access(ADA))


async def test_a_slow_slack_is_not_waited_for_longer_than_a_payload_may_and_what_it_says_late_counts(
    playground: Playground, messenger: Messenger, me: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.people.people.PATIENCE_SECONDS", PATIENCE_SECONDS)
    people = People(messenger, me)
    playground.faults.delay("users.info", 600)

    assert "unchecked" == await people.access(ADA)
    assert PATIENCE_SECONDS < ACKNOWLEDGED_SECONDS
    playground.clock.advance(600)
    assert await playground.until(lambda: people._known.fresh(ADA))
    assert "granted" == await people.access(ADA)
    assert 1 == asked(playground)


def many(playground: Playground, *others: Member) -> list[PersonId]:
    """Let a hundred members and some others be in the workspace; return them."""
    members = [*(Member(id=f"U{number}", name=f"p{number}", real_name="P") for number in range(100)), *others]
    playground.workspace.members |= {one.id: one for one in members}
    return [PersonId(one.id) for one in members]


async def test_of_many_people_slack_is_asked_with_one_list(
    playground: Playground, messenger: Messenger, me: Identity
) -> None:
    everybody = many(playground)
    guest = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)
    people = People(messenger, me)

    assert not await people.include_outsiders(everybody)
    assert (1, 0) == (len(playground.calls("users.list")), asked(playground))
    assert await people.include_outsiders([*everybody, *many(playground, guest)])
    assert (1, 1) == (len(playground.calls("users.list")), asked(playground))


async def test_a_list_of_many_people_is_read_again_after_an_hour_while_the_old_one_counts(
    playground: Playground, messenger: Messenger, me: Identity
) -> None:
    watch = Watch()
    people = People(messenger, me, seconds=watch)
    everybody = many(playground)
    await people.include_outsiders(everybody)
    watch.now = FRESH_SECONDS
    playground.workspace.members["U7"] = Member(id="U7", name="p7", real_name="P", is_guest=True)

    assert not await people.include_outsiders(everybody)
    assert await playground.until(lambda: all(map(people._known.fresh, everybody)))
    assert await people.include_outsiders(everybody)


@pytest.mark.parametrize("method", ["users.list", "users.info"])
async def test_whose_account_slack_does_not_tell_may_be_an_outsider(
    playground: Playground, messenger: Messenger, me: Identity, method: str
) -> None:
    playground.faults.fail(method, times=FOREVER)
    everybody = many(playground) if method == "users.list" else [ADA, BEN]

    with pytest.raises(SlackError):
        await People(messenger, me).include_outsiders(everybody)
