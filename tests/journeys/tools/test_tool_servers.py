"""Answers from a real MCP server's tools, from a Slack payload to the Slack calls."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.journeys.conversations.test_groq import PLAIN, Request, form_of
from tests.journeys.harness import PATIENCE, Harness, text_of
from tests.models.groq_server import Fails, GroqServer, Reply, Says
from tests.models.obliging import oblige, reading
from tests.tools.test_mcp_servers import noted, tracker

QUESTION = "Which issues are open about the printer?"


def planning(tool: str, written: str, **arguments: str) -> Callable[[Request], Reply]:
    """Return a model that plans a call as soon as the tool is offered, and writes."""

    def script(request: Request) -> Reply:
        if form_of(request) == "understand":
            given = [{"name": name, "value": value} for name, value in arguments.items()]
            is_offered = f"{tool}(" in request["messages"][1]["content"]
            return reading(tools=[{"tool": tool, "arguments": given}] if is_offered else [])
        return oblige(request) if form_of(request) else Says(written)

    return script


@asynccontextmanager
async def serving(
    harness: Harness, groq: GroqServer, calls: Path, *, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()
) -> AsyncGenerator[None]:
    """Run the bot with a model and a server; wait until the server has started."""
    file = calls.with_suffix(".json")
    one = tracker(calls, reads=list(reads), writes=list(writes))
    file.write_text(json.dumps({"mcpServers": {"tracker": one.model_dump()}}))
    async with harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url, mcp_servers=file) as bot:
        await bot.tool_servers.servers["tracker"].wait_until_tried()
        yield


async def test_a_tool_of_a_server_is_a_source_of_the_answer(harness: Harness, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    script = planning(
        "tracker.search_issues", "EVIDENCE: full\nTR-12: the printer on floor 2 is broken [1].", query="printer"
    )
    async with GroqServer.serve(script) as groq, serving(harness, groq, calls, reads=("search_issues",)):
        root = await harness.ask(QUESTION)
        (answer,) = await harness.answers(root)

    assert "the printer on floor 2 is broken" in text_of(answer)
    assert "[1] Tracker: search_issues(query: printer)" in text_of(answer)
    assert ["search_issues printer 3"] == noted(calls, "search_issues")
    assert 3 == len(groq.requests)


async def test_instructions_in_a_result_never_reach_the_model_nor_do_keys(harness: Harness, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    script = planning("tracker.orders", "EVIDENCE: full\nThe printer is on floor 2 [1].", query="printer")
    async with GroqServer.serve(script) as groq, serving(harness, groq, calls, reads=("orders",)):
        root = await harness.ask(QUESTION)
        (answer,) = await harness.answers(root)

    sent = json.dumps(groq.requests)
    assert noted(calls, "orders")
    assert "The printer is on floor 2" in text_of(answer)
    assert "PWNED" not in sent + text_of(answer)
    assert "Ab1Cd2" not in sent + text_of(answer)


async def test_a_question_asked_before_a_server_has_started_finds_its_tool(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    one = tracker(tmp_path / "calls", reads=["search_issues"])
    file.write_text(json.dumps({"mcpServers": {"tracker": one.model_dump()}}))
    script = planning("tracker.search_issues", "EVIDENCE: full\nTR-12: it is broken [1].", query="printer")
    root = await harness.ask(QUESTION)
    async with (
        GroqServer.serve(script) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url, mcp_servers=file) as bot,
    ):
        bot.tool_servers.until += PATIENCE
        (answer,) = await harness.answers(root)

    assert "TR-12: it is broken" in text_of(answer)


@pytest.mark.parametrize("tool", ["hang", "crash", "flood"])
async def test_a_server_that_fails_costs_only_its_own_results(harness: Harness, tmp_path: Path, tool: str) -> None:
    calls = tmp_path / "calls"
    script = planning(
        f"tracker.{tool}", "EVIDENCE: full\nA hotel night in Porto costs at most 145 EUR [1].", query="night"
    )
    async with GroqServer.serve(script) as groq, serving(harness, groq, calls, reads=(tool,)):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    assert noted(calls, tool)
    assert "145 EUR" in text_of(answer)
    assert "Tracker" not in text_of(answer)


async def test_if_the_models_fail_no_server_is_called(harness: Harness, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    async with (
        GroqServer.serve(lambda _: Fails(500)) as groq,
        serving(harness, groq, calls, reads=("search_issues",)),
    ):
        root = await harness.ask(QUESTION)
        await harness.answers(root)

    assert [] == noted(calls, "search")


async def test_without_a_model_no_server_is_started(harness: Harness, tmp_path: Path) -> None:
    calls, file = tmp_path / "calls", tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"tracker": tracker(calls).model_dump()}}))
    async with harness.bot(mcp_servers=file):
        root = await harness.ask("What is 3 x 145?")
        await harness.answers(root)

    assert not calls.exists()
