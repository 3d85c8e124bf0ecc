"""One message shows a run."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.conversation.address import ChannelId, PersonId, Placed, Ts
from bot.conversation.message_kinds import CardOutcome
from bot.slack.presenter.presenter import Posted
from graph.events import (
    AnswerCompleted,
    DraftWithdrawn,
    SilenceKept,
    TextWritten,
)
from tests.slack.asking import ANSWER, CHANNEL, FOUND, QUESTION, QUIET, READING, Asked, present, shown_text


async def test_a_reminder_is_a_message_of_its_own_and_recorded(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.remind(PersonId("U0ADA"), "Which product?", until=datetime(2026, 11, 22, tzinfo=UTC))
    await presenter.close()

    (reminder,) = asked.replies
    assert "<@U0ADA>" in str(reminder["blocks"])
    assert [("reminder", CHANNEL, reminder["ts"])] == asked.recorded
    assert ["chat.postMessage"] == asked.methods()


async def test_the_status_comes_at_once_and_nothing_else(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await asked.playground.until(lambda: asked.status == "is thinking…")
    for event in QUIET:
        await presenter.show(event)
    await asked.playground.until(lambda: asked.status == "Understanding…")
    await presenter.close()

    assert [] == asked.replies


async def test_an_answer_streams_with_steps_sources_and_buttons_to_rate_it(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    for event in (*QUIET, READING):
        await presenter.show(event)
    await asked.until_shown("Reading 6 passages")
    await presenter.show(FOUND)
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    await presenter.show(TextWritten(text=" Or more."))
    await presenter.show(ANSWER)
    await presenter.close()

    message = asked.replies[0]
    assert ("completed", 1) == (message["streaming_state"], len(asked.replies))
    assert ANSWER.text == shown_text(message)
    assert "context_actions" == message["blocks"][-1]["type"]
    assert {"complete"} == {block["status"] for block in message["blocks"] if block["type"] == "task_card"}
    assert [("answer", CHANNEL, message["ts"])] == asked.recorded
    assert "chat.update" not in asked.methods()
    assert "" == asked.status
    assert "" not in [call.arguments["status"] for call in asked.playground.calls("assistant.threads.setStatus")]


async def test_an_answer_without_steps_is_posted_whole(asked: Asked) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="conversed", text="Hello!"))

    assert "Hello!" == shown_text(asked.replies[0])
    assert [("answer", CHANNEL, asked.replies[0]["ts"])] == asked.recorded


async def test_silence_leaves_no_trace(asked: Asked) -> None:
    await present(asked.presenter(), *QUIET, SilenceKept(reason="people talk"))

    assert ([], "") == (asked.replies, asked.status)


async def test_the_status_of_a_long_step_is_set_again_before_slack_removes_it(asked: Asked) -> None:
    asked.messenger.pace.status_seconds = 0.05
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(QUIET[1])
    await asked.playground.until(lambda: asked.status == "Understanding…")
    before = len(asked.methods())
    await asked.playground.until(lambda: len(asked.methods()) > before)
    assert "Understanding…" == asked.status
    await presenter.close()

    assert {"assistant.threads.setStatus"} == set(asked.methods())
    assert "" == asked.status


async def test_a_message_that_may_not_be_meant_for_the_bot_gets_no_status(asked: Asked) -> None:
    tentative = [replace(event, is_tentative=True) for event in (*QUIET, READING)]
    await present(asked.presenter(is_discreet=True), *tentative, SilenceKept(reason="people talk"))

    assert [] == asked.methods()


async def test_a_message_that_is_surely_meant_for_the_bot_gets_a_status_without_a_mention(asked: Asked) -> None:
    presenter = asked.presenter(is_discreet=True)
    await presenter.begin()
    for event in (replace(QUIET[0], is_tentative=True), QUIET[1]):
        await presenter.show(event)
    await asked.playground.until(lambda: asked.status == "Understanding…")
    await presenter.show(ANSWER)
    await presenter.close()

    assert 1 == len(asked.replies)


async def test_a_withdrawn_draft_is_rewritten_in_the_same_message(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Ten weeks."))
    await asked.until_shown("Ten weeks.")
    await presenter.show(DraftWithdrawn(reason="not supported"))
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_final_text_that_differs_replaces_what_was_streamed(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Ten weeks."))
    await asked.until_shown("Ten weeks.")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_question_becomes_a_card(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.ask("tok", QUESTION)
    await presenter.close()

    labels = [each["text"]["text"] for each in asked.replies[0]["blocks"][1]["elements"]]
    assert ["Desk", "Router", "Something else…", "Just answer"] == labels
    assert [("card", CHANNEL, asked.replies[0]["ts"])] == asked.recorded


async def test_a_card_that_was_posted_is_not_posted_again(asked: Asked) -> None:
    await asked.presenter().ask("tok", QUESTION)
    posted: Posted = {"card": [Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))]}
    await asked.presenter(posted).ask("tok", QUESTION)

    assert 1 == len(asked.replies)


async def test_a_message_that_shows_steps_becomes_the_card(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(READING)
    await asked.until_shown("Reading")
    await presenter.ask("tok", QUESTION)
    await presenter.close()

    assert ["section"] == [reply["blocks"][0]["type"] for reply in asked.replies]


async def test_an_answered_card_says_who_chose_what(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.ask("tok", QUESTION)
    card = Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))
    await presenter.show_outcome(card, "tok", QUESTION, CardOutcome(how="answered", by=PersonId("U0BEN"), label="Desk"))
    await presenter.close()

    assert "<@U0BEN> chose *Desk*." in str(asked.replies[0]["blocks"])
    assert 1 == len(asked.replies)


async def test_a_card_that_cannot_be_settled_does_not_stop_the_answer(asked: Asked) -> None:
    presenter = asked.presenter()
    card = Placed(channel=ChannelId(CHANNEL), ts=Ts("1.000001"))
    await presenter.show_outcome(card, "tok", QUESTION, CardOutcome(how="superseded"))
    await present(presenter, ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_hostile_text_calls_nobody_and_links_nowhere(asked: Asked) -> None:
    hostile = "<!channel> <@U0BEN> @here [win](https://evil.example) ![x](https://evil.example/p)"
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text=hostile + "."))
    await asked.until_shown("win")
    await presenter.show(AnswerCompleted(outcome="answered", text=hostile + ".", notes=(hostile,)))
    await presenter.close()

    assert "](" not in shown_text(asked.replies[0])
    assert not any(call in str(asked.replies[0]["blocks"]) for call in ("<!channel", "<@U0BEN", "@here"))


async def test_nothing_we_post_unfurls(asked: Asked) -> None:
    await present(asked.presenter(), ANSWER)

    arguments = asked.playground.calls("chat.postMessage")[0].arguments
    assert (False, False) == (arguments["unfurl_links"], arguments["unfurl_media"])
