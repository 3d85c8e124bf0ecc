"""Answers from what people wrote in Slack, by Slack's own search, from a Slack payload to the Slack calls."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, text_of
from tests.journeys.people.test_forget_on_request import forgetter, tables_that_hold
from tests.journeys.tools.test_tool_servers import planning
from tests.models.groq_server import GroqServer

RANDOM = "C0RANDOM"
METHOD = "assistant.search.context"
QUESTION = "What happens to the old badge printer?"
SAID = "Heads-up: the old badge printer goes to the zanzibar depot on Friday."
HEARD = "The old badge printer goes to the depot,"
ANSWER = "EVIDENCE: full\nIt leaves on Friday [1]."
EVE, GIL = "U0EVE", "U0GIL"


@asynccontextmanager
async def searching(harness: Harness, written: str = ANSWER, **given: Any) -> AsyncGenerator[GroqServer]:
    """Run the bot with a model that searches the messages as soon as it may."""
    script = planning("messages", written, query="old badge printer")
    async with (
        GroqServer.serve(script) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url, **given),
    ):
        yield groq


def seen_by(groq: GroqServer) -> str:
    return json.dumps(groq.requests)


async def test_a_message_of_a_channel_without_the_bot_is_a_source_of_the_answer(harness: Harness) -> None:
    posted = await harness.say(SAID, "", person=BEN, channel=RANDOM)
    async with searching(harness) as groq:
        root = await harness.ask(QUESTION)
        (answer,) = await harness.answers(root)
        await harness.settled()

    (call,) = harness.playground.calls(METHOD)
    assert "ben wrote on" in seen_by(groq)
    assert "zanzibar" in seen_by(groq)
    assert "|ben in #random>" in text_of(answer)
    assert f"archives/{RANDOM}/p{posted.replace('.', '')}" in json.dumps(answer)
    assert "public_channel" == call.arguments["channel_types"]
    assert 3 == len(groq.requests)


@pytest.mark.parametrize("written", [ANSWER, "EVIDENCE: none\n"], ids=["answered", "not answered"])
async def test_what_was_found_is_stored_nowhere(harness: Harness, written: str) -> None:
    await harness.say(SAID, "", person=BEN, channel=RANDOM)
    async with searching(harness, written):
        root = await harness.ask(QUESTION)
        await harness.playground.until(lambda: harness.said(root), timeout=PATIENCE)
        await harness.settled()

    assert 1 == len(harness.playground.calls(METHOD))
    assert [] == tables_that_hold(harness.database_url, "zanzibar")


async def test_what_bots_others_and_the_forgotten_wrote_reaches_no_model(harness: Harness) -> None:
    workspace = harness.playground.workspace
    workspace.members[EVE] = Member(id=EVE, name="eve", real_name="Eve", team_id="T0ACME")
    random = workspace.channels[RANDOM]
    random.members.append(EVE)
    workspace.members["U0ROBOT"] = Member(id="U0ROBOT", name="robot", real_name="Robot", is_bot=True)
    random.members.append("U0ROBOT")
    await harness.say(f"{HEARD} said a robot", "", person="U0ROBOT", channel=RANDOM)
    await harness.say(f"{HEARD} said acme", "", person=EVE, channel=RANDOM)
    await harness.say(f"{HEARD} said the forgotten", "", person=BEN, channel=RANDOM)
    async with forgetter(harness.database_url) as forgetting:
        await forgetting.person(BEN)
    await harness.say(f"{HEARD} said ada", "", person=ADA, channel=RANDOM)
    async with searching(harness) as groq:
        root = await harness.ask(QUESTION)
        await harness.answers(root)

    assert "said ada" in seen_by(groq)
    for others in ("said a robot", "said acme", "said the forgotten"):
        assert others not in seen_by(groq)


async def test_a_guest_gets_no_messages(harness: Harness) -> None:
    await harness.say(SAID, "", person=BEN, channel=RANDOM)
    members = harness.playground.workspace.members
    members[ADA] = replace(members[ADA], is_guest=True)
    async with searching(harness, answer_guests=True):
        root = await harness.ask(QUESTION)
        await harness.answers(root)

    assert [] == harness.playground.calls(METHOD)


async def test_no_messages_are_searched_for_an_answer_that_a_guest_reads(harness: Harness) -> None:
    await harness.say(SAID, "", person=BEN, channel=RANDOM)
    workspace = harness.playground.workspace
    workspace.members[GIL] = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)
    workspace.channels[SUPPORT].members.append(GIL)
    async with searching(harness):
        root = await harness.ask(QUESTION)
        await harness.playground.until(lambda: harness.said(root), timeout=PATIENCE)
        await harness.settled()

    assert [] == harness.playground.calls(METHOD)


@pytest.mark.parametrize("refusal", ["missing_scope", "ratelimited", "invalid_action_token", "another shape"])
async def test_a_search_that_fails_costs_only_its_messages(harness: Harness, refusal: str) -> None:
    await harness.say(SAID, "", person=BEN, channel=RANDOM)
    if refusal == "another shape":
        harness.playground.faults.answer(METHOD, {"results": {"messages": [{"text": SAID}]}}, times=FOREVER)
    else:
        harness.playground.faults.fail(METHOD, refusal, times=FOREVER)
    async with searching(harness) as groq:
        root = await harness.ask(QUESTION)
        await harness.playground.until(lambda: harness.said(root), timeout=PATIENCE)
        await harness.settled()

    assert harness.playground.calls(METHOD)
    assert "zanzibar" not in seen_by(groq)
    assert "went wrong" not in str(harness.said(root))


async def test_a_setting_turns_it_off(harness: Harness) -> None:
    await harness.say(SAID, "", person=BEN, channel=RANDOM)
    async with searching(harness, search_messages=False) as groq:
        root = await harness.ask(QUESTION)
        await harness.answers(root)

    assert [] == harness.playground.calls(METHOD)
    assert "messages(" not in seen_by(groq)
