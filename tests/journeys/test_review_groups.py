"""Reviewers may be a user group: its people decide, whoever they are at the moment, and nobody else does."""

from collections.abc import AsyncGenerator

import pytest

from tests.journeys.desk import CHIARA, DEV, HOTEL, form, open_card, press, reviewed, said, unsure
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
        assert await town.whisper(DEV, "Slack does not tell me who the reviewers are")
        assert await open_card(town)
        await press(town, "Approve", person=DEV)
        await said(town, root, f"Reviewed by <@{DEV}>")
        await town.settled()


async def test_what_a_reviewer_has_written_is_kept_while_slack_does_not_say_who_they_are(
    town: Town, groq: GroqServer
) -> None:
    town.playground.workspace.groups[GROUP] = [DEV]
    dev = town.playground.person(DEV)
    async with reviewed(town, groq, reviewers=GROUP):
        root = await town.ask(HOTEL)
        view = await form(town, "Reject…", person=DEV)
    # Another process knows nothing of the group.
    async with reviewed(town, groq, reviewers=GROUP):
        town.playground.faults.fail("usergroups.users.list")
        answer = await dev.submit(view, {"review_rejected": "Ask the travel desk."})
        assert "Please try again" in answer["errors"]["review_rejected"]
        assert dev.open_view

        await dev.submit(view, {"review_rejected": "Ask the travel desk."})
        await said(town, root, "Ask the travel desk.")
        await town.settled()
