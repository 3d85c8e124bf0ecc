"""Agent sessions show that the bot works, waits or is done. Without them, nothing is lost."""

import pytest

from bot.slack.api.messenger import SESSIONS
from tests.journeys.changes.test_changes import MANY, answer_holding, slow_bot
from tests.journeys.changes.test_stops import press_stop, stopped, streaming
from tests.journeys.harness import SUPPORT, Harness, text_of

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"


def states(harness: Harness) -> list[str]:
    """Return the session states that Slack was told, by separate calls and at the end of streams."""
    told = [
        call.arguments.get("status" if call.method == SESSIONS else "session_status")
        for call in harness.playground.calls()
        if call.method in (SESSIONS, "chat.stopStream")
    ]
    return [str(state) for state in told if state]


async def test_a_plain_question_is_worked_on_and_done_at_the_price_of_one_call(harness: Harness) -> None:
    async with slow_bot(harness):
        root = await harness.ask(HOTEL)
        await harness.answers(root)
        await harness.settled()

    (call,) = harness.playground.calls(SESSIONS)
    assert ("processing", root) == (call.arguments["status"], call.arguments["thread_ts"])
    assert ["processing", "active"] == states(harness)


async def test_a_session_is_suspended_while_a_card_waits_and_goes_on_with_the_click(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.playground.until(lambda: ["suspended"] == states(harness))
        await harness.settled()

        await harness.click(root, "Porto")
        await harness.answers(root)
        await harness.settled()

    assert ["suspended", "processing", "active"] == states(harness)


async def test_a_session_is_done_when_its_run_is_stopped(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY):
        root = await harness.ask(HOTEL)
        await streaming(harness, root)
        await harness.playground.until(lambda: "processing" == harness.playground.session(SUPPORT, root))
        await press_stop(harness, root)
        await stopped(harness, root)
        await harness.settled()

    # The cancelled run sets the state, and so does the stop, which cannot know whether the run's process was killed.
    assert ["processing", "active", "active"] == states(harness)


async def test_a_card_that_is_stopped_leaves_no_session_that_waits(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.playground.until(lambda: ["suspended"] == states(harness))
        await press_stop(harness, root)
        await stopped(harness, root)
        await harness.settled()

    assert ["suspended", "active"] == states(harness)


@pytest.mark.parametrize("error", ["unknown_method", "not_allowed"])
async def test_a_workspace_without_sessions_says_so_once_and_loses_nothing(harness: Harness, error: str) -> None:
    harness.playground.faults.fail(SESSIONS, error, times=1000)
    async with slow_bot(harness, answers=2):
        root = await harness.ask(HOTEL)
        await answer_holding(harness, root, "145 EUR")
        await harness.settled()
        again = await harness.ask(HOTEL)
        answer = await answer_holding(harness, again, "145 EUR")
        await harness.settled()

    assert ["processing"] == states(harness)
    assert "Travel policy" in text_of(answer)


async def test_a_slack_that_is_slow_to_hear_of_sessions_holds_no_answer_back(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A call that is cut is one that Slack may have heard.
    monkeypatch.setattr("bot.slack.api.sessions.Sessions.__init__.__kwdefaults__", {"patience_seconds": 2.0})
    harness.playground.faults.delay(SESSIONS, 600.0)
    async with slow_bot(harness):
        root = await harness.ask(HOTEL)
        await answer_holding(harness, root, "145 EUR")
        await harness.settled()

    # Slack cut the first call. The last state arrived, and no call waited for it.
    assert ["active"] == states(harness)
