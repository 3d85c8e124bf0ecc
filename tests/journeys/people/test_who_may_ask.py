"""Members of the workspace may ask. Nobody else gets an answer, and none of their words are stored."""

import copy

import psycopg
import pytest

from bot.cli.demo import HANDBOOK
from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, labels_of, text_of
from tests.journeys.people.test_audiences import share
from tests.models.groq_server import GroqServer
from tests.models.obliging import oblige

EVE, GIL, OLD, ROBOT = "U0EVE", "U0GIL", "U0OLD", "U0ROBOT"
QUESTION = "What is the limit for a hotel night?"
LIMIT = "145 EUR"


@pytest.fixture
def company(harness: Harness) -> Harness:
    """The harness with a person of each account type."""
    workspace = harness.playground.workspace
    for member in (
        Member(id=EVE, name="eve", real_name="Eve", team_id="T0ACME"),
        Member(id=GIL, name="gil", real_name="Gil", is_guest=True),
        Member(id=OLD, name="old", real_name="Old", is_deactivated=True),
        Member(id=ROBOT, name="robot", real_name="Robot", is_bot=True),
    ):
        workspace.members[member.id] = member
        workspace.channels[SUPPORT].members.append(member.id)
    return harness


def stored(harness: Harness) -> str:
    """Return all rows of the inbox."""
    with psycopg.connect(harness.database_url) as connection:
        return repr(connection.execute("SELECT kind, address, content FROM inbox").fetchall())


async def test_nobody_but_people_of_ours_is_answered_and_nothing_of_theirs_is_kept(company: Harness) -> None:
    async with company.bot():
        theirs = [await company.ask(f"The limit of {who}?", person=who) for who in (EVE, OLD, ROBOT, GIL)]
        await company.ephemeral(GIL, "full members")
        ours = await company.ask(QUESTION)
        await company.answers(ours)
        followed_up = await company.say("And for Eve?", ours, person=EVE)
        await company.settled()

        assert [[], [], [], []] == [company.said(root) for root in theirs]
        assert 1 == len(company.said(ours))
        assert followed_up
    # The guest's notice has no words, and of the others nothing is stored.
    assert not [who for who in (EVE, OLD, ROBOT) if who in stored(company)]
    assert "The limit of" not in stored(company)
    assert 1 == len(company.playground.person(GIL).ephemerals())
    assert [] == [one for who in (EVE, OLD, ROBOT) for one in company.playground.person(who).ephemerals()]


async def test_guests_are_answered_where_a_setting_lets_them_from_what_is_shared_with_them(company: Harness) -> None:
    async with company.bot(answer_guests=True):
        (unshared,) = await company.answers(await company.ask(QUESTION, person=GIL))
        await share(company, HANDBOOK, "everyone", "guests")
        (answer,) = await company.answers(await company.ask(QUESTION, person=GIL))

    assert (False, True) == (LIMIT in text_of(unshared), LIMIT in text_of(answer))


async def test_who_cannot_be_checked_is_told_and_tries_again(company: Harness) -> None:
    await share(company, HANDBOOK, "everyone", "guests")
    company.playground.faults.fail("users.info", times=FOREVER)
    async with company.bot():
        root = await company.ask(QUESTION)
        told = await company.ephemeral(ADA, "could not check who you are")
        await company.settled()
        assert (["Retry"], []) == (labels_of(told), company.said(root))
        assert QUESTION not in stored(company)

        ada, ben = company.playground.person(ADA), company.playground.person(BEN)
        await ada.click(SUPPORT, told["ts"], label="Retry")
        await company.playground.until(lambda: 2 == len(ada.ephemerals()), timeout=PATIENCE)
        assert 1 == len([one for one in ada.ephemerals() if labels_of(one)])
        company.playground.faults.clear()

        forged = copy.deepcopy(company.playground.deliveries("block_actions")[0].payload)
        forged["user"]["id"] = BEN
        company.playground.deliver(forged)
        await company.playground.until(ben.ephemerals, timeout=PATIENCE)
        assert "another conversation" in text_of(ben.ephemerals()[0])
        assert [] == company.said(root)

        for _ in range(2):
            await ada.click(SUPPORT, told["ts"], label="Retry")
        (answer,) = await company.answers(root)
        await company.settled()
    assert LIMIT in text_of(answer)
    assert 1 == len(company.said(root))


async def test_an_edit_counts_once_its_writer_is_checked_and_only_if_it_is_theirs(company: Harness) -> None:
    await share(company, HANDBOOK, "everyone", "guests")
    async with company.bot():
        root = await company.ask(QUESTION)
        (before,) = await company.answers(root)
        await company.settled()
    company.playground.faults.fail("users.info", times=FOREVER)
    async with company.bot():
        ada = company.playground.person(ADA)
        mention = f"<@{company.playground.bot_user_id}>"
        await ada.edit(SUPPORT, root, f"{mention} How much does parking in Porto cost?")
        told = await company.ephemeral(ADA, "could not check who you are")
        await company.settled()
        assert text_of(before) == text_of(company.said(root)[0])

        company.playground.faults.clear()
        await ada.click(SUPPORT, told["ts"], label="Retry")
        await company.playground.until(lambda: "Porto" in text_of(company.said(root)[0]), timeout=PATIENCE)
        await company.settled()

        told_of = [one.payload for one in company.playground.deliveries("message")]
        forged = copy.deepcopy(next(one for one in told_of if one["event"].get("message", {}).get("user") == ADA))
        forged["event_id"] = "Ev0FORGED"
        forged["event"]["message"] |= {
            "text": f"{mention} {QUESTION}",
            "edited": {"user": EVE, "ts": "1900000000.000100"},
        }
        forged["event"] |= {"ts": "1900000000.000100"}
        company.playground.deliver(forged)
        await company.settled()
        assert "Porto" in text_of(company.said(root)[0])


@pytest.mark.parametrize("reads_others", [False, True])
async def test_what_other_companies_said_goes_to_a_model_only_where_a_setting_lets_it(
    company: Harness, *, reads_others: bool
) -> None:
    async with (
        GroqServer.serve(oblige) as groq,
        company.bot(read_other_companies=reads_others, groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        root = await company.playground.person(EVE).post(SUPPORT, "We at Acme wonder about parking.")
        await company.say("Ben here, I wonder, too.", root, person=BEN)
        await company.ask(QUESTION, root=root)
        await company.answers(root)
        await company.settled()

    assert (True, reads_others) == ("Ben here" in repr(groq.requests), "Acme wonder" in repr(groq.requests))


async def test_what_is_for_another_installation_is_dropped(company: Harness) -> None:
    async with company.bot():
        await company.answers(await company.ask(QUESTION))
        await company.settled()
        heard = next(one.payload for one in company.playground.deliveries("message"))
        for field, other in (("team_id", "T0OTHER"), ("api_app_id", "A0OTHER"), ("enterprise_id", "E0OTHER")):
            payload = copy.deepcopy(heard)
            payload |= {"event_id": f"Ev0{field}", "context_team_id": None, "authorizations": [], field: other}
            payload["event"] |= {"ts": f"1900000000.{len(field):06}", "text": f"{payload['event']['text']} {field}"}
            company.playground.deliver(payload)
        await company.settled()
        told = company.playground.deliveries()
        assert {("acknowledged", 1)} == {(one.state, len(one.attempts)) for one in told}

    assert 1 == stored(company).count("'turn'")
