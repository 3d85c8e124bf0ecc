"""Reviewers may be a user group: its people decide, whoever they are at the moment, and nobody else does."""

from collections.abc import AsyncGenerator

import pytest

from tests.journeys.desk import CHIARA, DEV, HOTEL, open_card, press, reviewed, said, unsure
from tests.journeys.town import Town
from tests.models.groq_server import GroqServer

GROUP = "S0REVIEW"


@pytest.fixture
async def groq() -> AsyncGenerator[GroqServer]:
    """A model whose drafts about hotels fall short."""
    async with GroqServer.serve(unsure) as server:
        yield server


async def test_the_people_of_a_user_group_decide_and_others_are_told_why_they_cannot(
    town: Town, groq: GroqServer
) -> None:
    town.playground.workspace.groups[GROUP] = [DEV]
    async with reviewed(town, groq, reviewers=GROUP):
        root = await town.ask(HOTEL)
        await press(town, "Approve", person=CHIARA)
        assert await town.whisper(CHIARA, "Only the reviewers")
        await press(town, "Approve", person=DEV)
        await said(town, root, f"Reviewed by <@{DEV}>")
        await town.settled()

    assert [{"usergroup": GROUP}] == [call.arguments for call in town.playground.calls("usergroups.users.list")]


async def test_while_slack_does_not_say_who_is_in_the_group_nobody_decides_and_everybody_is_told(
    town: Town, groq: GroqServer
) -> None:
    town.playground.workspace.groups[GROUP] = [DEV]
    async with reviewed(town, groq, reviewers=GROUP):
        root = await town.ask(HOTEL)
        await open_card(town)
        town.playground.faults.fail("usergroups.users.list")
        await press(town, "Approve", person=DEV)
        assert await town.whisper(DEV, "Please try again")
        assert await open_card(town)
        await press(town, "Approve", person=DEV)
        await said(town, root, f"Reviewed by <@{DEV}>")
        await town.settled()
