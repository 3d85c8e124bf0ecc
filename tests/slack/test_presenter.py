"""A run is shown in one message, whatever Slack and the machine do meanwhile."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.errors import PostRefusedError
from bot.shown import Parts, Shown
from bot.slack.messenger import SESSIONS, Messenger
from bot.slack.pace import STREAMS_PER_MINUTE, Pace
from bot.slack.parts import PART_LIMIT
from bot.slack.presenter import AnswerPresenter, Posted
from bot.slack.sessions import Sessions
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    Option,
    SilenceKept,
    SourcesFound,
    StepStarted,
    TextWritten,
)
from graph.passages import Source
from playground import Playground

CHANNEL = "C0SUPPORT"
SOURCE = Source(number=1, title="Leave", heading="", url="https://docs.example/leave", dated="2025-03-01", passage_id=7)
QUIET = (StepStarted(step="search", title="Searching"), StepStarted(step="understand", title="Understanding"))
READING = StepStarted(step="grade", title="Reading 6 passages")
FOUND = SourcesFound(sources=(SOURCE,))
ANSWER = AnswerCompleted(outcome="answered", text="Twelve weeks [1]. Or more.", sources=(SOURCE,))
QUESTION = ClarificationRequested(
    interrupt_id="i", question="Which product?", options=(Option(id="a", label="Desk"), Option(id="b", label="Router"))
)


@dataclass
class Asked:
    """A question in the playground, and who presents its answers."""

    playground: Playground
    messenger: Messenger
    address: Address
    recorded: list[tuple[Shown, str, str]] = field(default_factory=list[tuple[Shown, str, str]])

    def presenter(
        self, posted: Posted | None = None, *, is_discreet: bool = False, reference: str = "R-42"
    ) -> AnswerPresenter:
        async def record(kind: Shown, parts: Parts) -> None:
            self.recorded[:] = [*self.recorded, *((kind, part.channel, part.ts) for part in parts)]

        return AnswerPresenter(
            self.messenger,
            self.address,
            reference=reference,
            posted=posted,
            record=record,
            is_discreet=is_discreet,
            sessions=Sessions(self.messenger),
        )

    @property
    def replies(self) -> list[dict[str, Any]]:
        return self.playground.thread(self.address.channel, self.address.thread_ts)[1:]

    @property
    def status(self) -> str:
        return self.playground.status(self.address.channel, self.address.thread_ts)

    async def until_shown(self, text: str) -> None:
        await self.playground.until(lambda: any(text in str(reply) for reply in self.replies))

    def methods(self) -> list[str]:
        return [call.method for call in self.playground.calls() if call.method not in ("auth.test", SESSIONS)]


async def ask(playground: Playground, messenger: Messenger, channel: str = CHANNEL) -> Asked:
    ts = Ts(await playground.person("U0ADA").post(channel, "How long?"))
    address = Address(
        team=TeamId(playground.team_id),
        channel=ChannelId(channel),
        thread_ts=ts,
        message_ts=ts,
        person=PersonId("U0ADA"),
        person_team=TeamId(playground.team_id),
    )
    return Asked(playground=playground, messenger=messenger, address=address)


@pytest.fixture
async def asked(playground: Playground, messenger: Messenger) -> Asked:
    """A question in a channel."""
    return await ask(playground, messenger)


async def present(presenter: AnswerPresenter, *events: AnswerEvent) -> None:
    await presenter.begin()
    for event in events:
        await presenter.show(event)
    await presenter.close()


def shown_text(message: dict[str, Any]) -> str:
    return "".join(block["text"] for block in message["blocks"] if block["type"] == "markdown")


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
    await asked.playground.until(lambda: asked.status == "Thinking…")
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


async def test_a_message_that_may_not_be_meant_for_the_bot_gets_no_status(asked: Asked) -> None:
    await present(asked.presenter(is_discreet=True), *QUIET, ANSWER)

    assert "assistant.threads.setStatus" not in asked.methods()
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


async def test_a_half_streamed_answer_is_taken_over(asked: Asked, client: AsyncWebClient) -> None:
    half = await client.chat_startStream(
        channel=CHANNEL,
        thread_ts=asked.address.thread_ts,
        recipient_team_id=asked.playground.team_id,
        recipient_user_id="U0ADA",
        chunks=[{"type": "markdown_text", "text": "Twelve"}],
    )
    posted = Posted(answer=[Placed(channel=ChannelId(CHANNEL), ts=Ts(str(half["ts"])))])
    await present(asked.presenter(posted), READING, TextWritten(text="Twelve weeks [1]."), ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
    assert half["ts"] == asked.replies[0]["ts"]


async def test_a_finished_answer_is_taken_over_too(asked: Asked) -> None:
    await present(asked.presenter(), READING, ANSWER)
    posted = Posted(answer=[Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))])
    await present(asked.presenter(posted), READING, ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_an_answer_to_a_retried_question_replaces_the_failure(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.fail("It broke.")
    await presenter.close()
    kind, channel, ts = asked.recorded[0]
    posted = Posted(failure=[Placed(channel=ChannelId(channel), ts=Ts(ts))])
    await present(asked.presenter(posted), ANSWER)

    assert "failure" == kind
    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


async def test_a_message_that_was_deleted_is_written_again(asked: Asked) -> None:
    posted = Posted(answer=[Placed(channel=ChannelId(CHANNEL), ts=Ts("1.000001"))])
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
    posted = Posted(answer=[Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))])
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
    posted = Posted(card=[Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))])
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
    await presenter.settle(
        card, token="tok", question="Which product?", options=QUESTION.options, how="answered", by="U0BEN", label="Desk"
    )
    await presenter.close()

    assert "<@U0BEN> chose *Desk*." in str(asked.replies[0]["blocks"])
    assert 1 == len(asked.replies)


async def test_a_card_that_cannot_be_settled_does_not_stop_the_answer(asked: Asked) -> None:
    presenter = asked.presenter()
    card = Placed(channel=ChannelId(CHANNEL), ts=Ts("1.000001"))
    await presenter.settle(card, token="tok", question="Which?", options=(), how="superseded")
    await present(presenter, ANSWER)

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]


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
    posted = Posted(answer=[Placed(channel=ChannelId(CHANNEL), ts=Ts(asked.replies[0]["ts"]))])
    asked.playground.faults.lose_answer("chat.update")
    await present(asked.presenter(posted), ANSWER)

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


LONG = "".join(f"Sentence {number} of a long answer.\n\n" for number in range(900))


def texts(asked: Asked) -> str:
    return "\n\n".join(shown_text(reply) for reply in asked.replies)


def are_a_whole_answer(asked: Asked) -> bool:
    """Tell whether the replies are the long answer in its parts, with buttons below the last."""
    kinds = [[block["type"] for block in reply["blocks"]] for reply in asked.replies]
    rated = ["context_actions" in each for each in kinds]
    limits = [len(shown_text(reply)) <= PART_LIMIT for reply in asked.replies]
    return texts(asked) == LONG.rstrip() and [False] * (len(rated) - 1) + [True] == rated and all(limits)


async def write_long(asked: Asked, presenter: AnswerPresenter, *, size: int = 3000, advance: float = 0.0) -> None:
    """Let a run write the long answer, a bit at a time, each of which is shown before the next."""
    await presenter.begin()
    for start in range(0, len(LONG), size):
        await presenter.show(TextWritten(text=LONG[start : start + size]))
        await asked.until_shown(LONG[: start + size - 100].split("\n\n")[-2])
        asked.playground.clock.advance(advance)
    await presenter.show(AnswerCompleted(outcome="answered", text=LONG, sources=(SOURCE,)))
    await presenter.close()


async def test_a_long_answer_is_streamed_in_several_messages(asked: Asked) -> None:
    await write_long(asked, asked.presenter())

    assert are_a_whole_answer(asked)
    assert ["completed"] * 4 == [reply["streaming_state"] for reply in asked.replies]
    assert "chat.update" not in asked.methods()
    assert [("answer", CHANNEL, reply["ts"]) for reply in asked.replies] == asked.recorded[-4:]


async def test_an_answer_of_six_minutes_whose_parts_fill_in_time_is_streamed_to_its_end(
    playground: Playground, client: AsyncWebClient
) -> None:
    messenger = Messenger(client, pace=Pace(speed=100, now=playground.clock.now))
    asked = await ask(playground, messenger)
    await write_long(asked, asked.presenter(), advance=36)

    assert are_a_whole_answer(asked)
    assert {"completed"} == {reply["streaming_state"] for reply in asked.replies}
    assert [] == [call for call in playground.calls() if not call.answer["ok"]]
    assert "chat.update" not in asked.methods()


@pytest.mark.parametrize("pause_seconds", [36, 60, 80])
async def test_a_part_that_does_not_fill_while_its_stream_lives_gives_way_to_another(
    playground: Playground, client: AsyncWebClient, pause_seconds: float
) -> None:
    messenger = Messenger(client, pace=Pace(speed=100, now=playground.clock.now))
    asked = await ask(playground, messenger)
    await write_long(asked, asked.presenter(), size=600, advance=pause_seconds)

    assert [] == [call.answer for call in playground.calls() if not call.answer["ok"]]
    assert are_a_whole_answer(asked)
    assert {"completed"} == {reply["streaming_state"] for reply in asked.replies}
    assert "chat.update" not in asked.methods()


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


async def test_a_long_answer_whose_second_stream_is_refused_goes_on_by_updates(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text=LONG[:3000]))
    await asked.until_shown("Sentence 50 ")
    asked.playground.faults.refuse_streaming()
    await presenter.show(TextWritten(text=LONG[3000:]))
    await asked.until_shown("Sentence 899 ")
    await presenter.show(AnswerCompleted(outcome="answered", text=LONG))
    await presenter.close()

    assert are_a_whole_answer(asked)


async def test_a_long_answer_that_is_ready_at_once_is_posted_in_several_messages(asked: Asked) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))

    assert are_a_whole_answer(asked)


async def test_a_long_answer_is_taken_over_in_all_its_parts(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text=LONG[:20_000]))
    await asked.playground.until(lambda: len(asked.replies) == 3)
    half = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    await present(asked.presenter(Posted(answer=half)), AnswerCompleted(outcome="answered", text=LONG))

    assert are_a_whole_answer(asked)
    assert [each.ts for each in half] == [reply["ts"] for reply in asked.replies[:3]]


@pytest.mark.parametrize("ending", ["answer", "failure", "card", "silence"])
async def test_parts_that_are_needed_no_more_are_taken_away(asked: Asked, ending: str) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))
    first, *others = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    presenter = asked.presenter(Posted(answer=[first, *others]))
    if ending == "failure":
        await presenter.fail("It broke.")
    elif ending == "card":
        await presenter.ask("tok", QUESTION)
    else:
        await present(presenter, ANSWER if ending == "answer" else SilenceKept(reason="people talk"))

    assert ([] if ending == "silence" else [first.ts]) == [reply["ts"] for reply in asked.replies]


async def test_a_withdrawn_draft_of_several_parts_is_written_anew_in_them(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(TextWritten(text=LONG[:20_000].upper()))
    await asked.playground.until(lambda: len(asked.replies) == 3)
    await presenter.show(DraftWithdrawn(reason="not supported"))
    await presenter.show(AnswerCompleted(outcome="answered", text=LONG))
    await presenter.close()

    assert are_a_whole_answer(asked)


async def test_a_part_that_was_deleted_is_written_again_with_all_that_follow(asked: Asked) -> None:
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))
    parts = [Placed(channel=ChannelId(CHANNEL), ts=Ts(reply["ts"])) for reply in asked.replies]
    await asked.messenger.delete(CHANNEL, parts[1].ts)
    await present(asked.presenter(Posted(answer=parts)), AnswerCompleted(outcome="answered", text=LONG))

    assert are_a_whole_answer(asked)


async def test_a_long_answer_that_the_channel_refuses_comes_whole_as_direct_messages(
    playground: Playground, messenger: Messenger
) -> None:
    asked = await ask(playground, messenger, "C0RANDOM")
    await present(asked.presenter(), AnswerCompleted(outcome="answered", text=LONG))

    direct = playground.messages("D0ADA")
    assert LONG.rstrip() == "\n\n".join(shown_text(message) for message in direct)
    assert [True, False, False, False] == ["could not post this" in str(message["blocks"]) for message in direct]


async def test_more_answers_than_slack_streams_in_a_minute_are_all_shown() -> None:
    async with Playground.open(limits="slack") as playground, aiohttp.ClientSession() as session:
        client = AsyncWebClient(playground.bot_token, base_url=playground.api_url, session=session)
        messenger = Messenger(client, pace=Pace())
        channels = ("C0GENERAL", "C0SUPPORT", "C0PEOPLE") * 9
        questions = [await ask(playground, messenger, channel) for channel in channels]
        presenters = [each.presenter() for each in questions]
        for presenter in presenters:
            await presenter.begin()
            await presenter.show(FOUND)
        await playground.until(lambda: len(playground.calls("chat.startStream")) == STREAMS_PER_MINUTE)
        await asyncio.gather(*(presenter.show(ANSWER) for presenter in presenters))

        assert [[ANSWER.text]] * 27 == [[shown_text(reply) for reply in each.replies] for each in questions]
        assert STREAMS_PER_MINUTE == len(playground.calls("chat.startStream"))
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
