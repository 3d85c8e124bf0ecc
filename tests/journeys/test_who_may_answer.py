"""Who may answer, and change what was chosen: anyone, the asker only, and nobody of another company."""

import copy

import pytest

from bot.conversation.asks import channel_store
from bot.postgres.pool import Database
from playground.state.workspace import Member
from tests.journeys.test_revisions import AMBIGUOUS, change, kinds, settled_card
from tests.journeys.town import ADA, BEN, SUPPORT, Town, is_open_card, text_of

EVE = "U0EVE"


@pytest.fixture(autouse=True)
async def bot(town: Town):  # noqa: ANN201
    """The bot, in this process."""
    async with town.bot():
        yield


async def test_in_a_channel_for_askers_only_the_asker_chooses_and_changes(town: Town) -> None:
    async with (
        Database.open(town.app_url, size=1, workspace="default") as database,
        database.transaction("default") as connection,
    ):
        await channel_store.let_answer(connection, "default", SUPPORT, "asker")
    root = await town.ask(AMBIGUOUS)

    await town.click(root, "Porto", person=BEN)
    await town.whisper(BEN, "Only the person who asked")
    await town.say("Porto", root, person=BEN)
    await town.settled()
    assert is_open_card(await town.card(root))
    await town.click(root, "Hamburg")
    await town.answers(root)
    await town.settled()
    await change(town, await settled_card(town, root, "chose *Hamburg*"), "Porto", person=BEN)

    await town.playground.until(lambda: 2 == len(town.playground.person(BEN).ephemerals()))
    await town.settled()
    assert 0 == kinds(town, "revision")


async def test_a_click_from_another_conversation_is_told_nothing_and_changes_nothing(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.click(root, "Just answer")
    await town.answers(root)
    await town.settled()
    pressed = town.playground.deliveries("block_actions")[0].payload
    ben = town.playground.person(BEN)
    for channel in ("C0GENERAL", "C0PEOPLE"):
        forged = copy.deepcopy(pressed)
        forged["user"]["id"], forged["channel"]["id"] = BEN, channel
        forged["container"]["channel_id"] = channel
        forged["message"]["thread_ts"] = await ben.post(channel, "Lunch?")
        town.playground.deliver(forged)

    await town.playground.until(lambda: 2 == len(ben.ephemerals()))
    assert all("belongs to another conversation" in text_of(one) for one in ben.ephemerals())
    await town.settled()
    assert 1 == kinds(town, "reply")


async def test_clicks_of_another_company_are_explained_and_consume_nothing(town: Town) -> None:
    workspace = town.playground.workspace
    workspace.members[EVE] = Member(id=EVE, name="eve", real_name="Eve", team_id="T9ACME")
    workspace.channels[SUPPORT].members.append(EVE)
    root = await town.ask(AMBIGUOUS)

    for label in ("Hamburg", "Something else…", "Just answer"):
        await town.click(root, label, person=EVE)
    await town.say("Hamburg", root, person=EVE)
    eve = town.playground.person(EVE)
    await town.playground.until(lambda: 3 == len(eve.ephemerals()))
    await town.settled()

    assert all("people of the company that I work for" in text_of(one) for one in eve.ephemerals())
    assert eve.open_view is None
    await town.click(root, "Porto", person=ADA)
    assert "25" in text_of((await town.answers(root))[0])
