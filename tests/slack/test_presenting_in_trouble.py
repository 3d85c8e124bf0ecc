"""One message shows a run, despite failures of Slack and the machine."""

import asyncio
import time

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import ChannelId, Placed, Ts
from bot.conversation.message_kinds import Shown
from bot.errors import OutcomeUnknownError, PostRefusedError, StreamStoppedError
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import STREAMS_PER_MINUTE, Pace
from bot.slack.presenter.presenter import Posted
from graph.events import (
    AnswerEvent,
    DraftWithdrawn,
    ReviewRequested,
    TextWritten,
)
from playground import Playground
from tests.slack.asking import ANSWER, CHANNEL, FOUND, QUESTION, READING, Asked, ask, present, shown_text
from tests.slack.test_review_cards import PACKET
from tests.support.waiting import let_pass, pass_turns


async def test_where_streams_are_refused_the_answer_appears_by_updates(asked: Asked) -> None:
    asked.playground.faults.refuse_streaming()
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(READING)
    await asked.until_shown("… Reading 6 passages")
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
    assert [("answer", CHANNEL, asked.replies[0]["ts"])] == asked.recorded


async def test_a_stream_that_slack_has_closed_goes_on_by_updates(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    asked.playground.clock.advance(400)
    await presenter.show(TextWritten(text=" Or more."))
    await asked.until_shown("Or more.")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_stream_that_ends_between_text_and_end_is_completed_by_an_update(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    asked.playground.clock.advance(400)
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_too_long"])
async def test_a_stream_whose_end_slack_refuses_is_closed_and_completed_by_an_update(asked: Asked, error: str) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    asked.playground.faults.fail("chat.stopStream", error)
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
    assert "completed" == asked.replies[0]["streaming_state"]


async def half_streamed(asked: Asked, client: AsyncWebClient) -> Placed:
    """Leave a half-streamed answer, as after the death of a run."""
    half = await client.chat_startStream(
        channel=CHANNEL,
        thread_ts=asked.address.thread_ts,
        recipient_team_id=asked.playground.team_id,
        recipient_user_id="U0ADA",
        chunks=[{"type": "markdown_text", "text": "Twelve"}],
    )
    return Placed(channel=ChannelId(CHANNEL), ts=Ts(str(half["ts"])))


async def test_a_half_streamed_answer_is_taken_over(asked: Asked, client: AsyncWebClient) -> None:
    half = await half_streamed(asked, client)
    await present(asked.presenter({"answer": [half]}), READING, TextWritten(text="Twelve weeks [1]."), ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
    assert half.ts == asked.replies[0]["ts"]


async def test_a_half_streamed_answer_is_closed_though_an_older_message_comes_behind_it(
    asked: Asked, client: AsyncWebClient
) -> None:
    failing = asked.presenter()
    await failing.fail("It broke.")
    await failing.close()
    failure = Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))
    half = await half_streamed(asked, client)

    await asked.presenter({"answer": [half], "failure": [failure]}).dismiss("Dropped.")

    (left,) = asked.replies
    assert "Dropped." in left["text"]
    assert "in_progress" != left.get("streaming_state")


async def test_a_finished_answer_is_taken_over_too(asked: Asked) -> None:
    await present(asked.presenter(), READING, ANSWER)
    posted: Posted = {"answer": [Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))]}
    await present(asked.presenter(posted), READING, ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_an_answer_that_is_taken_over_stays_until_there_is_new_text(asked: Asked) -> None:
    await present(asked.presenter(), ANSWER)
    posted: Posted = {"answer": [Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))]}
    presenter = asked.presenter(posted)
    await presenter.begin()
    await presenter.show(READING)
    await asked.playground.until(lambda: asked.status == "Reading 6 passages…")
    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]

    await presenter.show(TextWritten(text="Ten weeks."))
    await asked.until_shown("Ten weeks.")
    assert "✓" not in str(asked.replies)
    assert "… Reading 6 passages" in str(asked.replies)
    await presenter.show(DraftWithdrawn(reason="not supported"))
    await asked.playground.until(lambda: asked.status == "")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_failure_that_is_taken_over_shows_the_steps_at_once(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.fail("It broke.")
    await presenter.close()
    presenter = asked.presenter({"failure": [Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))]})
    await presenter.begin()
    await presenter.show(READING)
    await asked.until_shown("… Reading 6 passages")
    await presenter.close()

    assert "assistant.threads.setStatus" not in asked.methods()


async def test_an_answer_to_a_retried_question_replaces_the_failure(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.fail("It broke.")
    await presenter.close()
    kind, channel, ts = asked.recorded[0]
    posted: Posted = {"failure": [Placed(channel=ChannelId(channel), ts=Ts(ts))]}
    await present(asked.presenter(posted), ANSWER)

    assert "failure" == kind
    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_failure_that_stands_elsewhere_than_the_answer_is_taken_away(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.fail("It broke.")
    await presenter.close()
    gone = Placed(channel=ChannelId(CHANNEL), ts=Ts("1.000001"))
    failure = Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))
    await present(asked.presenter({"answer": [gone], "failure": [failure]}), ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_message_that_was_deleted_is_written_again(asked: Asked) -> None:
    posted: Posted = {"answer": [Placed(channel=ChannelId(CHANNEL), ts=Ts("1.000001"))]}
    await present(asked.presenter(posted), ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_failure_in_the_middle_says_so_in_the_same_message(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve"))
    await asked.until_shown("Twelve")
    await presenter.fail("The documents cannot be searched just now.")
    await presenter.close()

    assert 1 == len(asked.replies)
    assert ["section", "context", "actions"] == [block["type"] for block in asked.replies[0]["blocks"]]
    assert "R-42" in str(asked.replies[0]["blocks"])
    assert ("failure", CHANNEL, asked.replies[0]["ts"]) == asked.recorded[-1]


async def test_a_failure_after_the_process_died_is_shown_in_the_open_stream(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve"))
    await asked.until_shown("Twelve")
    posted: Posted = {"answer": [Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))]}
    await asked.presenter(posted).fail("It broke.")

    assert ["section"] == [reply["blocks"][0]["type"] for reply in asked.replies]
    await presenter.close()


async def test_a_run_that_is_cut_short_leaves_no_stream_that_looks_alive(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve"))
    await asked.until_shown("Twelve")
    await presenter.close()

    assert ["completed"] == [reply["streaming_state"] for reply in asked.replies]


@pytest.mark.parametrize("kind", ["answer", "card", "failure"])
async def test_what_the_channel_refuses_comes_as_a_direct_message(
    playground: Playground, messenger: Messenger, kind: Shown
) -> None:
    asked = await ask(playground, messenger, "C0RANDOM")
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(READING)
    if kind == "answer":
        await presenter.show(ANSWER)
    elif kind == "card":
        await presenter.ask("tok", QUESTION)
    else:
        await presenter.fail("It broke.")
    await presenter.close()

    (direct,) = playground.messages("D0ADA")
    assert "I could not post this in <#C0RANDOM>" in str(direct["blocks"][0])
    assert [(kind, "D0ADA", direct["ts"])] == asked.recorded
    assert [] == asked.replies


@pytest.mark.parametrize("kind", ["answer", "card"])
async def test_what_a_run_that_died_had_sent_directly_without_having_told_is_written_anew(
    playground: Playground, messenger: Messenger, kind: Shown
) -> None:
    asked = await ask(playground, messenger, "C0RANDOM")
    for _ in range(2):
        presenter = asked.presenter()
        if kind == "card":
            await presenter.ask("tok", QUESTION)
        else:
            await presenter.fail("It broke.")
            presenter = asked.presenter()
            await presenter.show(ANSWER)
        await presenter.close()

    (direct,) = playground.messages("D0ADA")
    assert (ANSWER.text in str(direct), "Which product?" in str(direct)) == (kind == "answer", kind == "card")


async def test_what_another_run_has_sent_directly_stays(playground: Playground, messenger: Messenger) -> None:
    asked = await ask(playground, messenger, "C0RANDOM")
    for reference in ("R-1", "R-2"):
        presenter = asked.presenter(reference=reference)
        await presenter.show(ANSWER)
        await presenter.close()

    assert 2 == len(playground.messages("D0ADA"))


async def test_a_bot_that_is_removed_in_the_middle_answers_directly(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    asked.playground.workspace.channels[CHANNEL].members.remove("U0ASKBACK")
    await presenter.show(ANSWER)
    await presenter.close()

    assert ANSWER.text == shown_text(asked.playground.messages("D0ADA")[0])


async def test_a_refusal_of_even_the_direct_message_is_an_error(asked: Asked) -> None:
    asked.playground.faults.fail("chat.postMessage", "is_archived", times=2)
    presenter = asked.presenter()

    with pytest.raises(PostRefusedError):
        await presenter.fail("It broke.")


async def test_the_final_answer_waits_as_long_as_slack_asks(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    asked.playground.faults.fail("chat.stopStream", "ratelimited", status=429)
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
    assert 2 == len(asked.playground.calls("chat.stopStream"))


async def test_what_a_busy_slack_did_not_take_is_shown_later(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    asked.playground.faults.fail("chat.appendStream", "ratelimited", status=429)
    await presenter.show(TextWritten(text=" Or more."))
    await asked.until_shown("Or more.")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [429, 200] == [call.status for call in asked.playground.calls("chat.appendStream")]
    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_an_update_whose_answer_was_lost_is_made_again(asked: Asked) -> None:
    await present(asked.presenter(), ANSWER)
    posted: Posted = {"answer": [Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))]}
    asked.playground.faults.lose_answer("chat.update")
    await present(asked.presenter(posted), ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_run_that_asks_back_fails_if_slack_may_have_a_message_that_nobody_has_recorded(asked: Asked) -> None:
    asked.playground.faults.lose_answer("chat.startStream")
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(READING)
    await asked.playground.until(lambda: asked.playground.calls("chat.startStream"), 30)

    with pytest.raises(OutcomeUnknownError):
        await presenter.show(QUESTION)

    await presenter.close()


async def test_more_answers_than_slack_streams_in_a_minute_are_all_shown() -> None:
    async with Playground.open(limits="slack") as playground, aiohttp.ClientSession() as session:
        client = AsyncWebClient(playground.bot_token, base_url=playground.api_url, session=session)
        messenger = Messenger(client, pace=Pace())
        channels = ("C0GENERAL", "C0SUPPORT", "C0PEOPLE") * 9
        questions = [await ask(playground, messenger, channel) for channel in channels]
        presenters = [each.presenter() for each in questions]
        began = time.monotonic()
        for presenter in presenters:
            await presenter.begin()
            await presenter.show(FOUND)
        await playground.until(lambda: len(playground.calls("chat.startStream")) >= STREAMS_PER_MINUTE)
        await asyncio.gather(*(presenter.show(ANSWER) for presenter in presenters))

        assert [[ANSWER.text]] * 27 == [[shown_text(reply) for reply in each.replies] for each in questions]
        # On a slow machine the budget has room again for later ones.
        most = STREAMS_PER_MINUTE * (1 + (time.monotonic() - began) / 60) + 1
        assert STREAMS_PER_MINUTE <= len(playground.calls("chat.startStream")) <= most
        assert [] == [call for call in playground.calls() if call.status == 429]


async def test_a_run_that_is_stopped_while_it_posts_still_knows_where(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    asked.playground.faults.delay("chat.postMessage", 0.3)
    showing = asyncio.create_task(presenter.show(ANSWER))
    await asked.playground.until(lambda: "chat.postMessage" in asked.methods() or asked.replies)

    showing.cancel()
    await asyncio.gather(showing, return_exceptions=True)
    await presenter.close()

    assert [("answer", CHANNEL, asked.replies[0]["ts"])] == asked.recorded


@pytest.mark.parametrize(
    "ending",
    [ANSWER, QUESTION, ReviewRequested(interrupt_id="i", packet=PACKET)],
    ids=lambda ending: type(ending).__name__,
)
async def test_a_stop_in_slack_just_before_a_run_ends_counts_however_it_ends(asked: Asked, ending: AnswerEvent) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    # Its event comes later.
    await asked.playground.person("U0ADA").stop(CHANNEL, asked.address.thread_ts)

    with pytest.raises(StreamStoppedError):
        await presenter.show(ending)
    await presenter.close()
    assert ["Twelve weeks"] == [shown_text(reply)[:12] for reply in asked.replies]


@pytest.mark.parametrize(
    "ending",
    [QUESTION, ReviewRequested(interrupt_id="i", packet=PACKET)],
    ids=lambda ending: type(ending).__name__,
)
async def test_a_run_that_is_ended_as_it_closes_its_stream_closes_it(asked: Asked, ending: AnswerEvent) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text="Twelve weeks [1]."))
    await asked.until_shown("Twelve weeks")
    await asked.messenger.pace.close("chat.stopStream", 60)

    showing = asyncio.create_task(presenter.show(ending))
    await pass_turns(40)
    showing.cancel()
    let_pass(60)
    await asyncio.gather(showing, return_exceptions=True)
    await presenter.close()

    assert "completed" == asked.replies[0]["streaming_state"]
