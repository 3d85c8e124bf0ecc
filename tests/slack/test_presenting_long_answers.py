"""A long answer is shown in several messages, each in time."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import ChannelId, Placed, Ts
from bot.errors import StreamStoppedError
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import STREAMS_PER_MINUTE, Pace
from bot.slack.api.sessions import Session, Sessions
from bot.slack.blocks.parts import PART_LIMIT
from bot.slack.blocks.view import View, fold
from bot.slack.presenter.live_message import LiveMessage
from bot.slack.presenter.multipart import WITHDRAWN
from bot.slack.presenter.presenter import AnswerPresenter
from graph.events import (
    AnswerCompleted,
    DraftWithdrawn,
    SilenceKept,
    StepStarted,
    TextWritten,
)
from playground import Playground
from tests.slack.asking import ANSWER, CHANNEL, QUESTION, READING, SOURCE, Asked, ask, present, shown_text

LONG = "".join(f"Sentence {number} of a long answer.\n\n" for number in range(900))


def texts(asked: Asked) -> str:
    return "\n\n".join(shown_text(reply) for reply in asked.replies)


def are_a_whole_answer(asked: Asked) -> bool:
    """Tell whether the replies are the parts of the long answer, with buttons below the last part."""
    kinds = [[block["type"] for block in reply["blocks"]] for reply in asked.replies]
    rated = ["context_actions" in each for each in kinds]
    limits = [len(shown_text(reply)) <= PART_LIMIT for reply in asked.replies]
    return texts(asked) == LONG.rstrip() and [False] * (len(rated) - 1) + [True] == rated and all(limits)


async def write_long(asked: Asked, presenter: AnswerPresenter, *, size: int = 3000, advance: float = 0.0) -> None:
    """Let a run write the long answer in pieces, and wait until each is shown."""
    await presenter.begin()
    for start in range(0, len(LONG), size):
        await presenter.show(TextWritten(text=LONG[start : start + size]))
        await asked.until_shown(LONG[: start + size - 100].split("\n\n")[-2])
        asked.playground.clock.advance(advance)
    await presenter.show(AnswerCompleted(outcome="answered", text=LONG, sources=(SOURCE,)))
    await presenter.close()


async def test_a_long_answer_is_streamed_until_it_needs_another_message_and_then_rewritten(asked: Asked) -> None:
    await write_long(asked, asked.presenter())

    assert are_a_whole_answer(asked)
    assert 4 == len(asked.replies)
    assert 1 == asked.methods().count("chat.startStream")
    assert [("answer", CHANNEL, reply["ts"]) for reply in asked.replies] == asked.recorded[-4:]


@pytest.mark.parametrize(("size", "pause_seconds"), [(3000, 36), (600, 80)])
async def test_an_answer_that_is_written_for_longer_than_a_stream_lives_is_shown_to_its_end(
    playground: Playground, client: AsyncWebClient, size: int, pause_seconds: float
) -> None:
    messenger = Messenger(client, pace=Pace(speed=100, now=playground.clock.now))
    asked = await ask(playground, messenger)
    await write_long(asked, asked.presenter(), size=size, advance=pause_seconds)

    assert [] == [call.answer for call in playground.calls() if not call.answer["ok"]]
    assert are_a_whole_answer(asked)


async def test_a_stream_that_has_nothing_to_say_for_long_is_closed_in_time(
    playground: Playground, client: AsyncWebClient
) -> None:
    messenger = Messenger(client, pace=Pace(speed=100, now=playground.clock.now))
    asked = await ask(playground, messenger)
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(READING)
    await asked.until_shown("Reading")
    playground.clock.advance(250)
    await presenter.show(StepStarted(step="write", title="Writing"))
    await asked.until_shown("… Writing")
    await presenter.show(ANSWER)
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
    assert [] == [call for call in playground.calls() if not call.answer["ok"]]


async def test_where_streams_are_refused_a_long_answer_appears_by_updates_of_several_messages(asked: Asked) -> None:
    asked.playground.faults.refuse_streaming()
    await write_long(asked, asked.presenter())

    assert are_a_whole_answer(asked)
    assert [("answer", CHANNEL, reply["ts"]) for reply in asked.replies] == asked.recorded[-len(asked.replies) :]


async def test_a_long_answer_that_is_ready_at_once_is_posted_in_several_messages(asked: Asked) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))

    assert are_a_whole_answer(asked)


async def test_a_long_answer_is_taken_over_in_all_its_parts(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text=LONG[:20_000]))
    await asked.playground.until(lambda: len(asked.replies) == 3)
    half = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    await present(asked.presenter({"answer": half}), AnswerCompleted(outcome="answered", text=LONG))

    assert are_a_whole_answer(asked)
    assert [each.ts for each in half] == [reply["ts"] for reply in asked.replies[:3]]


@pytest.mark.parametrize("ending", ["answer", "failure", "card", "silence"])
async def test_parts_that_are_needed_no_more_are_taken_away(asked: Asked, ending: str) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))
    first, *others = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    presenter = asked.presenter({"answer": [first, *others]})
    if ending == "failure":
        await presenter.fail("It broke.")
    elif ending == "card":
        await presenter.ask("tok", QUESTION)
    else:
        await present(presenter, ANSWER if ending == "answer" else SilenceKept(reason="people talk"))

    assert ([] if ending == "silence" else [first.ts]) == [reply["ts"] for reply in asked.replies]


@pytest.mark.parametrize("reason", ["compliance_exports_prevent_deletion", "some_reason_that_is_new"])
@pytest.mark.parametrize("ending", ["answer", "card", "silence"])
async def test_parts_that_slack_does_not_let_us_take_away_say_that_they_were_withdrawn(
    asked: Asked, ending: str, reason: str
) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))
    parts = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    asked.playground.faults.fail("chat.delete", reason, times=len(parts))
    presenter = asked.presenter({"answer": parts})
    if ending == "card":
        await presenter.ask("tok", QUESTION)
    else:
        await present(presenter, ANSWER if ending == "answer" else SilenceKept(reason="people talk"))

    assert [ending == "silence", True, True, True] == [reply["text"] == WITHDRAWN for reply in asked.replies]
    assert LONG[:20] not in str(asked.replies)


async def test_a_withdrawn_draft_of_several_parts_is_written_anew_in_them(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text=LONG[:20_000].upper()))
    await asked.playground.until(lambda: len(asked.replies) == 3)
    await presenter.show(DraftWithdrawn(reason="not supported"))
    await presenter.show(AnswerCompleted(outcome="answered", text=LONG))
    await presenter.close()

    assert are_a_whole_answer(asked)


async def test_a_withdrawn_draft_is_gone_in_all_its_parts(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(READING)
    await presenter.show(TextWritten(text=LONG[:20_000].upper()))
    await asked.playground.until(lambda: len(asked.replies) == 3)
    await presenter.show(DraftWithdrawn(reason="not supported"))
    await asked.until_shown("… Reading 6 passages")
    await asked.playground.until(lambda: "SENTENCE" not in str(asked.replies))
    await presenter.close()

    assert 1 == len(asked.replies)


async def test_a_part_that_was_deleted_is_written_again_with_all_that_follow(asked: Asked) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))
    parts = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    await asked.messenger.delete(CHANNEL, parts[1].ts)
    await present(asked.presenter({"answer": parts}), AnswerCompleted(outcome="answered", text=LONG))

    assert are_a_whole_answer(asked)


async def test_a_long_answer_that_the_channel_refuses_comes_whole_as_direct_messages(
    playground: Playground, messenger: Messenger
) -> None:
    asked = await ask(playground, messenger, "C0RANDOM")
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))

    direct = playground.messages("D0ADA")
    assert LONG.rstrip() == "\n\n".join(shown_text(message) for message in direct)
    assert [True, False, False, False] == ["could not post this" in str(message["blocks"]) for message in direct]


async def test_if_too_many_answers_are_streamed_a_long_one_too_appears_when_it_is_done(
    playground: Playground, client: AsyncWebClient
) -> None:
    messenger = Messenger(client, pace=Pace(now=lambda: 0.0))
    asked = await ask(playground, messenger)
    message = LiveMessage(asked.destination(), (), Session(Sessions(messenger), asked.address, BackgroundTasks()))
    for _ in range(STREAMS_PER_MINUTE):
        assert await messenger.pace.may_stream()

    assert await message.show(View(text=LONG))
    assert ("whole", []) == (message.way, asked.methods())


async def streamed_and_stopped(asked: Asked) -> LiveMessage:
    """Stream the beginning of the long answer, and press Slack's Stop, whose event the bot misses."""
    session = Session(Sessions(asked.messenger), asked.address, BackgroundTasks())
    message = LiveMessage(asked.destination(), (), session)
    assert await message.show(View(text=LONG[:3000]))
    await asked.playground.person("U0ADA").stop(CHANNEL, asked.address.thread_ts)
    return message


@pytest.mark.parametrize(("length", "seconds"), [(3300, 0.0), (20_000, 0.0), (3300, 250.0), (3000, 250.0)])
async def test_a_stop_in_slack_ends_a_draft_that_goes_on_by_updates_too(
    playground: Playground, client: AsyncWebClient, length: int, seconds: float
) -> None:
    messenger = Messenger(client, pace=Pace(speed=100, now=playground.clock.now))
    asked = await ask(playground, messenger)
    message = await streamed_and_stopped(asked)
    playground.clock.advance(seconds)

    assert await message.show(View(text=LONG[:length]))
    assert message.is_stopped
    # The run completes before it hears of the stop.
    with pytest.raises(StreamStoppedError):
        await message.finish(fold(View(text=LONG), AnswerCompleted(outcome="answered", text=LONG)))
    assert "chat.update" not in asked.methods()
    assert 1 == len(asked.replies)


@pytest.mark.parametrize("length", [3300, 20_000])
async def test_a_stop_in_slack_keeps_the_whole_answer_away_however_long_it_is(asked: Asked, length: int) -> None:
    message = await streamed_and_stopped(asked)
    completed = AnswerCompleted(outcome="answered", text=LONG[:length])

    with pytest.raises(StreamStoppedError):
        await message.finish(fold(View(text=LONG[:length]), completed))
    assert "chat.update" not in asked.methods()
    assert 1 == len(asked.replies)
