"""An administrator's terminal shows how an answer came about, from the question in Slack to the last step."""

import io
import json
from typing import Any

import psycopg
import pytest
from rich.console import Console

from bot.cli import runs
from bot.cli.administration import administering
from bot.settings import Settings
from tests.journeys.changes.test_changes import MANY, delete, edit, slow_bot
from tests.journeys.conversations.test_groq import with_groq
from tests.journeys.faults.test_faults import failure_in
from tests.journeys.harness import SUPPORT, Harness, text_of
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import judged, oblige

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"
PORTO = "How many vacation days do people in Porto get?"


async def shown(harness: Harness, name: str, *, with_text: bool = True) -> str:
    """Return the output of `askback runs show`."""
    console = Console(file=io.StringIO(), width=240)
    async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
        assert await runs.show_runs(here, name, with_text=with_text, is_json=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def listed(harness: Harness) -> list[dict[str, Any]]:
    """Return the runs of `askback runs list`, the newest first."""
    console = Console(file=io.StringIO(), width=240)
    async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
        await runs.list_runs(here, limit=20, is_json=True)
    assert isinstance(console.file, io.StringIO)
    return json.loads(console.file.getvalue())


def kept(harness: Harness) -> str:
    """Return all stored data about runs."""
    with psycopg.connect(harness.database_url) as owner:
        return str(owner.execute("SELECT outcome, steps::text FROM runs ORDER BY id").fetchall())


def unsure_at_first(request: dict[str, Any]) -> Reply:
    """Write an unsupported draft, find fault with it, and then write a better one."""
    form = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    if form == "validate":
        is_wrong = "a good pillow" in str(request["messages"])
        return judged("unsupported", reason="No passage names a pillow.") if is_wrong else judged()
    if form:
        return oblige(request)
    has_draft = "No passage names a pillow" in str(request["messages"])
    return Says("The limit is 145 EUR [1]." if has_draft else "People like a good pillow in a hotel at night [1].")


async def test_a_run_that_went_round_again_tells_what_it_did_and_why(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    async with GroqServer.serve(unsure_at_first) as groq, with_groq(harness, groq):
        root = await harness.ask(HOTEL)
        await harness.answers(root)
        await harness.settled()

        (run,) = await listed(harness)
        told = await shown(harness, str(run["id"]))
        numbers = await shown(harness, run["reference"], with_text=False)

    assert ("answered", f"{harness.playground.team_id}:{SUPPORT}:{root}") == (run["outcome"], run["thread_id"])
    assert (4, len(groq.requests)) == (run["calls"], run["calls"])
    assert run["tokens_in"] > 100 < run["tokens_out"] + 100
    assert f"asked: {HOTEL}" in told
    assert f"searched: {HOTEL}" in told
    assert "Travel policy" in told
    assert "draft: People like a good pillow in a hotel at night [1]." in told
    assert "↻ the draft before fell short" in told
    assert "No passage names a pillow: " in told
    assert "route retrieve" in numbers
    assert "openai/gpt-oss-120b" in numbers
    logged = [line for line in capsys.readouterr().out.splitlines() if "rag_iter" in line or "graph_outcome" in line]
    assert 3 == len(logged)
    said = "\n".join((numbers, *logged)).casefold()
    assert not [word for word in ("hotel", "pillow", "travel") if word in said]


async def test_a_run_tells_what_it_cost_if_the_prices_are_set(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = {name: {"input": 1000.0, "output": 2000.0} for name in ("openai/gpt-oss-20b", "openai/gpt-oss-120b")}
    async with (
        GroqServer.serve(oblige) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url, prices=prices),
    ):
        await harness.answers(await harness.ask(HOTEL))
        await harness.settled()
        (run,) = await listed(harness)
        told = await shown(harness, str(run["id"]))

    assert run["cost"] == pytest.approx((run["tokens_in"] + 2 * run["tokens_out"]) / 1000)
    assert f"tokens, cost {run['cost']:.6f}, " in told
    (ended,) = [line for line in capsys.readouterr().out.splitlines() if "graph_outcome" in line]
    assert "cost" in ended
    assert "None" not in ended


async def test_a_run_that_asks_back_and_the_one_that_answers_are_two(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.click(root, "Porto")
        await harness.answers(root)
        await harness.settled()

        answered, asked = await listed(harness)
        assert ("reply", "answered", "turn", "asked") == (
            answered["kind"],
            answered["outcome"],
            asked["kind"],
            asked["outcome"],
        )
        assert "chosen: Porto" in await shown(harness, str(answered["id"]))
        assert "clarify" in await shown(harness, asked["reference"])


async def test_a_deleted_question_takes_what_its_run_did_along_and_what_later_runs_took_from_it(
    harness: Harness,
) -> None:
    async with harness.bot():
        first = await harness.ask(HOTEL)
        await harness.answers(first)
        await harness.settled()
        root = await harness.ask(PORTO)
        await harness.answers(root)
        await harness.say("And in Hamburg?", root)
        await harness.answers(root, 2)
        await harness.settled()
        assert 2 <= kept(harness).count("people in Porto")

        await delete(harness, root)
        await harness.playground.until(lambda: 1 == len(harness.said(root)))
        await harness.settled()

    assert "people in" not in kept(harness)
    assert "hotel night" in kept(harness)


async def test_an_edited_question_leaves_nothing_of_its_old_words(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(PORTO)
        await harness.answers(root)
        await harness.settled()

        await edit(harness, root, HOTEL)
        await harness.playground.until(lambda: [one for one in harness.said(root) if "145 EUR" in str(one)])
        await harness.settled()

    assert "Porto get" not in kept(harness)
    assert "hotel night" in kept(harness)


async def test_of_a_run_that_broke_the_numbers_are_kept_and_no_words(harness: Harness) -> None:
    # Before the bot starts, because this connection waits for the bot's locks on the bot's own event loop.
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        # The question back cannot be stored.
        owner.execute("ALTER TABLE asks ADD CHECK (payload ->> 'question' = '')")
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await failure_in(harness, root)
        await harness.settled()

        assert ["failed"] * 3 == [run["outcome"] for run in await listed(harness)]

    assert "understand" in kept(harness)
    assert "vacation" not in kept(harness)


async def test_of_a_run_that_was_ended_for_its_question_was_deleted_no_word_is_kept(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY):
        root = await harness.ask(HOTEL)
        await harness.playground.until(lambda: [one for one in harness.said(root) if "145" in text_of(one)])
        await delete(harness, root)
        await harness.playground.until(lambda: not harness.said(root))
        await harness.settled()

    assert "hotel" not in kept(harness)


async def test_where_a_run_cannot_be_kept_it_is_answered_all_the_same(harness: Harness) -> None:
    async with harness.bot():
        async with harness.owning() as owner:
            await owner.execute("ALTER TABLE runs ADD CHECK (outcome = 'never')")
        root = await harness.ask(HOTEL)
        await harness.answers(root)
        await harness.settled()

        (answer,) = harness.said(root)
        assert "145 EUR" in text_of(answer)
        assert [] == await listed(harness)


async def test_nothing_is_kept_where_nothing_is_to_be(harness: Harness) -> None:
    async with harness.bot(keep_runs_days=0):
        root = await harness.ask(HOTEL)
        await harness.answers(root)
        await harness.settled()

        assert [] == await listed(harness)
