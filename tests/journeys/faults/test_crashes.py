"""After a kill at any moment, the bot or another process continues: nothing is lost, and nothing is shown twice."""

import asyncio
import tempfile
from pathlib import Path

import psycopg
import pytest

from playground import Playground
from playground.protocol.faults import FOREVER
from tests.journeys.harness import Harness, is_answer, is_open_card, labels_of, text_of, until
from tests.journeys.holding import held_back, slow_writer, unrecorded, until_held_back
from tests.models.groq_server import GroqServer

AMBIGUOUS = "How many vacation days do I have?"
AWAY = "org_login_required"
"""Slack's error for a workspace that is being moved and comes back."""
DIRECT = "D0ADA"
PLAIN = "What is the limit for a hotel night?"


async def test_killed_after_the_claim_and_before_the_run_another_answers(harness: Harness) -> None:
    async with harness.bot_process() as process, held_back(harness):
        root = await harness.ask(PLAIN)
        await until_held_back(harness)
        await process.kill()
    async with harness.bot():
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert 1 == len(harness.said(root))


async def test_killed_before_an_event_was_acknowledged_it_comes_again_and_is_answered_once(harness: Harness) -> None:
    async with harness.bot_process() as process:
        harness.playground.faults.drop_deliveries(2)
        root = await harness.ask(PLAIN)
        await process.kill()
    async with harness.bot():
        await harness.answers(root)
        await harness.settled()

    assert 1 == len(harness.said(root))


async def test_killed_while_it_waits_for_the_click_it_goes_on_after_the_restart(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await process.kill()
    async with harness.bot():
        await harness.click(root, "Hamburg")
        (answer,) = await harness.answers(root)

    assert "30" in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_killed_after_the_clicks_claim_the_choice_is_answered(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        async with held_back(harness):
            await harness.click(root, "Porto")
            await until_held_back(harness)
            await process.kill()
    async with harness.bot():
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_killed_in_the_middle_of_the_text_the_same_message_is_finished_by_another(harness: Harness) -> None:
    hurries = asyncio.Event()
    async with GroqServer.serve(slow_writer(PLAIN, hurries)) as groq:
        settings = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}
        async with harness.bot_process(**settings) as process:
            root = await harness.ask(PLAIN)
            await harness.playground.until(lambda: [one for one in harness.said(root) if "145" in text_of(one)])
            await process.kill()
            assert not [one for one in harness.said(root) if is_answer(one)]
        hurries.set()
        async with harness.bot_process(**settings):
            await harness.settled()
            (answer,) = harness.said(root)

    assert 3 <= text_of(answer).count("145 EUR [1]")


async def test_killed_before_a_replaced_questions_card_showed_so_it_is_shown_by_another(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.settled()
        harness.playground.faults.fail("chat.update", "ratelimited", times=FOREVER)
        await harness.say(PLAIN, root)
        async with harness.owning() as owner:
            await until(lambda: is_replaced(owner))
        await process.kill()
        harness.playground.faults.clear()
    async with harness.bot():
        await harness.answers(root)
        await harness.settled()

    card, answer = harness.said(root)
    assert (False, ["Ask this again"]) == (is_open_card(card), labels_of(card))
    assert "145 EUR" in text_of(answer)


async def test_killed_after_a_message_chose_for_a_question_above_it_chooses_once_and_says_so(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(AMBIGUOUS, channel=DIRECT)
        await harness.card(root, channel=DIRECT)
        await harness.settled()
        for method in ("chat.startStream", "chat.postMessage"):
            harness.playground.faults.fail(method, "ratelimited", times=FOREVER)
        said = await harness.ask("Hamburg", channel=DIRECT)
        async with harness.owning() as owner:
            await until(lambda: is_decided(owner))
        await process.kill()
        harness.playground.faults.clear()
    async with harness.bot():
        (answer,) = await harness.answers(root, channel=DIRECT)
        (told,) = await harness.answers(said, channel=DIRECT)
        await harness.settled()

    assert "30" in text_of(answer)
    assert "your open question above" in text_of(told)
    assert 1 == len(harness.said(said, DIRECT))


async def test_killed_after_slack_took_a_card_and_before_we_knew_it_is_not_posted_twice(harness: Harness) -> None:
    async with harness.bot_process() as process, unrecorded(harness):
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await process.kill()
    async with harness.bot():
        await harness.settled()
        assert 1 == len(harness.said(root))

        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)


async def test_killed_after_slack_took_an_answer_and_before_we_knew_it_is_not_posted_twice(harness: Harness) -> None:
    async with harness.bot_process() as process, unrecorded(harness):
        root = await harness.ask(PLAIN)
        await harness.playground.until(lambda: harness.said(root))
        await process.kill()
    async with harness.bot():
        await harness.settled()

    (answer,) = harness.said(root)
    assert "145 EUR" in text_of(answer)


@pytest.mark.parametrize("times", [1, 2])
async def test_where_the_thread_cannot_be_read_then_nothing_is_posted_on_suspicion(
    harness: Harness, times: int
) -> None:
    async with harness.bot_process() as process, unrecorded(harness):
        root = await harness.ask(PLAIN)
        await harness.playground.until(lambda: harness.said(root))
        await process.kill()
        # The item has one attempt from before, as after an earlier error, so the third attempt is not the last.
        with psycopg.connect(harness.database_url, autocommit=True) as owner:
            owner.execute("UPDATE inbox SET attempts_allowed = 4")
    harness.playground.faults.fail("conversations.replies", AWAY, times=times)
    async with harness.bot():
        await harness.settled()

    (answer,) = harness.said(root)
    assert "145 EUR" in text_of(answer)


async def test_a_thread_that_cannot_be_read_at_all_is_answered_all_the_same(harness: Harness) -> None:
    async with harness.bot_process() as process, held_back(harness):
        root = await harness.ask(PLAIN)
        await until_held_back(harness)
        await process.kill()
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        owner.execute("UPDATE inbox SET attempts = greatest(attempts, 1)")
    harness.playground.faults.fail("conversations.replies", AWAY, times=FOREVER)
    async with harness.bot():
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert [answer["ts"]] == [one["ts"] for one in harness.said(root)]


async def test_restarted_as_a_whole_with_an_open_question_it_goes_on_in_the_same_thread(handbook_url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder, "playground.json")
        async with Playground.open(state_file=state) as playground:
            harness = Harness(playground, handbook_url)
            async with harness.bot():
                root = await harness.ask(AMBIGUOUS)
                await harness.card(root)
        async with Playground.open(state_file=state) as playground:
            harness = Harness(playground, handbook_url)
            async with harness.bot():
                await harness.click(root, "Porto")
                await harness.answers(root)
                await harness.say("And in Hamburg?", root)
                answers_ = await harness.answers(root, 2)

    assert "30" in text_of(answers_[-1])


async def is_replaced(owner: psycopg.AsyncConnection) -> bool:
    """Tell whether it is stored that a newer message has closed the question."""
    return (await owner.execute("SELECT FROM asks WHERE status = 'superseded'")).rowcount > 0


async def is_decided(owner: psycopg.AsyncConnection) -> bool:
    """Tell whether it is stored what was chosen."""
    return (await owner.execute("SELECT FROM asks WHERE status = 'decided'")).rowcount > 0
