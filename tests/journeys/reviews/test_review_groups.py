"""If the reviewers are a user group, its current members decide, and nobody else."""

from collections.abc import AsyncGenerator

import pytest

from tests.journeys.harness import Harness
from tests.journeys.reviewing import CHIARA, DEV, HOTEL, form, open_card, press, reviewed, said, unsure
from tests.models.groq_server import GroqServer

GROUP = "S0REVIEW"


@pytest.fixture
async def groq() -> AsyncGenerator[GroqServer]:
    """A model whose drafts about hotels are unsure."""
    async with GroqServer.serve(unsure) as server:
        yield server


async def test_the_people_of_a_user_group_decide_and_others_are_told_why_they_cannot(
    harness: Harness, groq: GroqServer
) -> None:
    harness.playground.workspace.groups[GROUP] = [DEV]
    async with reviewed(harness, groq, reviewers=GROUP):
        root = await harness.ask(HOTEL)
        await press(harness, "Approve", person=CHIARA)
        assert await harness.ephemeral(CHIARA, "Only the reviewers")
        await press(harness, "Approve", person=DEV)
        await said(harness, root, f"Reviewed by <@{DEV}>")
        await harness.settled()

    assert [{"usergroup": GROUP}] == [call.arguments for call in harness.playground.calls("usergroups.users.list")]


async def test_while_slack_does_not_say_who_is_in_the_group_nobody_decides_and_everybody_is_told(
    harness: Harness, groq: GroqServer
) -> None:
    harness.playground.workspace.groups[GROUP] = [DEV]
    async with reviewed(harness, groq, reviewers=GROUP):
        root = await harness.ask(HOTEL)
        await open_card(harness)
        harness.playground.faults.fail("usergroups.users.list")
        await press(harness, "Approve", person=DEV)
        assert await harness.ephemeral(DEV, "Slack does not tell me who the reviewers are")
        assert await open_card(harness)
        await press(harness, "Approve", person=DEV)
        await said(harness, root, f"Reviewed by <@{DEV}>")
        await harness.settled()


async def test_what_a_reviewer_has_written_is_kept_while_slack_does_not_say_who_they_are(
    harness: Harness, groq: GroqServer
) -> None:
    harness.playground.workspace.groups[GROUP] = [DEV]
    dev = harness.playground.person(DEV)
    async with reviewed(harness, groq, reviewers=GROUP):
        root = await harness.ask(HOTEL)
        view = await form(harness, "Reject…", person=DEV)
    # Another process has not cached the group.
    async with reviewed(harness, groq, reviewers=GROUP):
        harness.playground.faults.fail("usergroups.users.list")
        answer = await dev.submit(view, {"review_rejected": "Ask the travel desk."})
        assert "Please try again" in answer["errors"]["review_rejected"]
        assert dev.open_view

        await dev.submit(view, {"review_rejected": "Ask the travel desk."})
        await said(harness, root, "Ask the travel desk.")
        await harness.settled()
