"""Where Slack has agent sessions it shows that the bot works, waits or is done; elsewhere nothing is lost."""

import pytest

from bot.slack.api.messenger import SESSIONS
from tests.journeys.test_changes import MANY, answer_holding, slow_bot
from tests.journeys.test_stops import press_stop, stopped, streaming
from tests.journeys.town import SUPPORT, Town, text_of

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"


def states(town: Town) -> list[str]:
    """Return what Slack was told of sessions, by calls of their own and at the end of streams."""
    told = [
        call.arguments.get("status" if call.method == SESSIONS else "session_status")
        for call in town.playground.calls()
        if call.method in (SESSIONS, "chat.stopStream")
    ]
    return [str(state) for state in told if state]


async def test_a_plain_question_is_worked_on_and_done_at_the_price_of_one_call(town: Town) -> None:
    async with slow_bot(town):
        root = await town.ask(HOTEL)
        await town.answers(root)
        await town.settled()

    (call,) = town.playground.calls(SESSIONS)
    assert ("processing", root) == (call.arguments["status"], call.arguments["thread_ts"])
    assert ["processing", "active"] == states(town)


async def test_a_session_is_suspended_while_a_card_waits_and_goes_on_with_the_click(town: Town) -> None:
    async with town.bot():
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        await town.playground.until(lambda: ["suspended"] == states(town), 60)
        await town.settled()

        await town.click(root, "Porto")
        await town.answers(root)
        await town.settled()

    assert ["suspended", "processing", "active"] == states(town)


async def test_a_session_is_done_when_its_run_is_stopped(town: Town) -> None:
    async with slow_bot(town, sentences=MANY):
        root = await town.ask(HOTEL)
        await streaming(town, root)
        await town.playground.until(lambda: "processing" == town.playground.session(SUPPORT, root), 60)
        await press_stop(town, root)
        await stopped(town, root)
        await town.settled()

    # The run that is ended says so, and the stop, which cannot know whether it was killed.
    assert ["processing", "active", "active"] == states(town)


async def test_a_card_that_is_stopped_leaves_no_session_that_waits(town: Town) -> None:
    async with town.bot():
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        await town.playground.until(lambda: ["suspended"] == states(town), 60)
        await press_stop(town, root)
        await stopped(town, root)
        await town.settled()

    assert ["suspended", "active"] == states(town)


@pytest.mark.parametrize("error", ["unknown_method", "not_allowed"])
async def test_a_workspace_without_sessions_says_so_once_and_loses_nothing(town: Town, error: str) -> None:
    town.playground.faults.fail(SESSIONS, error, times=1000)
    async with slow_bot(town, answers=2):
        root = await town.ask(HOTEL)
        await answer_holding(town, root, "145 EUR")
        await town.settled()
        again = await town.ask(HOTEL)
        answer = await answer_holding(town, again, "145 EUR")
        await town.settled()

    assert ["processing"] == states(town)
    assert "Travel policy" in text_of(answer)


async def test_a_slack_that_is_slow_to_hear_of_sessions_holds_no_answer_back(town: Town) -> None:
    town.playground.faults.delay(SESSIONS, 600.0)
    async with slow_bot(town):
        root = await town.ask(HOTEL)
        await answer_holding(town, root, "145 EUR")
        await town.settled()

    # It hung up on the first call; the end was told, which nobody had to wait for.
    assert ["active"] == states(town)
