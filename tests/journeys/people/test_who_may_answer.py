"""The setting of who may answer and change a choice: anyone or the asker, and never somebody of another company."""

import copy

import pytest

from bot.cli.demo import HANDBOOK
from bot.conversation.asks import channel_store
from bot.conversation.asks.channel_store import ChannelRules
from bot.postgres.pool import Database
from playground.state.workspace import Member
from tests.journeys.changes.test_revisions import AMBIGUOUS, change, kinds, settled_card
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, is_open_card, text_of
from tests.journeys.people.test_audiences import share

EVE = "U0EVE"


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def test_in_a_channel_for_askers_only_the_asker_chooses_and_changes(harness: Harness) -> None:
    async with (
        Database.open(harness.app_url, size=1, workspace="default") as database,
        database.transaction("default") as connection,
    ):
        await channel_store.set_rules(connection, "default", ChannelRules(channel=SUPPORT, may_answer="asker"))
    root = await harness.ask(AMBIGUOUS)

    await harness.click(root, "Porto", person=BEN)
    await harness.ephemeral(BEN, "Only the person who asked")
    await harness.say("Porto", root, person=BEN)
    await harness.settled()
    assert is_open_card(await harness.card(root))
    await harness.click(root, "Hamburg")
    await harness.answers(root)
    await harness.settled()
    await change(harness, await settled_card(harness, root, "chose *Hamburg*"), "Porto", person=BEN)

    await harness.playground.until(lambda: 2 == len(harness.playground.person(BEN).ephemerals()))
    await harness.settled()
    assert 0 == kinds(harness, "revision")


async def test_a_click_from_another_conversation_is_told_nothing_and_changes_nothing(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Just answer")
    await harness.answers(root)
    await harness.settled()
    pressed = harness.playground.deliveries("block_actions")[0].payload
    ben = harness.playground.person(BEN)
    for channel in ("C0GENERAL", "C0PEOPLE"):
        forged = copy.deepcopy(pressed)
        forged["user"]["id"], forged["channel"]["id"] = BEN, channel
        forged["container"]["channel_id"] = channel
        forged["message"]["thread_ts"] = await ben.post(channel, "Lunch?")
        harness.playground.deliver(forged)

    await harness.playground.until(lambda: 2 == len(ben.ephemerals()))
    assert all("belongs to another conversation" in text_of(one) for one in ben.ephemerals())
    await harness.settled()
    assert 1 == kinds(harness, "reply")


async def test_clicks_of_another_company_are_explained_and_consume_nothing(harness: Harness) -> None:
    workspace = harness.playground.workspace
    workspace.members[EVE] = Member(id=EVE, name="eve", real_name="Eve", team_id="T9ACME")
    workspace.channels[SUPPORT].members.append(EVE)
    await share(harness, HANDBOOK, "everyone", "guests")
    root = await harness.ask(AMBIGUOUS)

    for label in ("Hamburg", "Something else…", "Just answer"):
        await harness.click(root, label, person=EVE)
    await harness.say("Hamburg", root, person=EVE)
    eve = harness.playground.person(EVE)
    await harness.playground.until(lambda: 3 == len(eve.ephemerals()))
    await harness.settled()

    assert all("people of the company that I work for" in text_of(one) for one in eve.ephemerals())
    assert eve.open_view is None
    await harness.click(root, "Porto", person=ADA)
    assert "25" in text_of((await harness.answers(root))[0])
