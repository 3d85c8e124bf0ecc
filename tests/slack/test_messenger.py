"""Calls reach Slack in its form, and Slack's errors become ours."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.workers import permit
from bot.errors import (
    ChannelSharedError,
    OutcomeUnknownError,
    PermitLostError,
    PostRefusedError,
    SlackBusyError,
    SlackError,
    StreamRefusedError,
)
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from playground import Playground
from playground.protocol.faults import FOREVER
from tests.support.waiting import let_pass

BLOCKS = [{"type": "markdown", "text": "Hello"}]


@pytest.fixture
async def address(playground: Playground) -> Address:
    """A question in a channel."""
    ts = Ts(await playground.person("U0ADA").post("C0SUPPORT", "How long?"))
    team = TeamId(playground.team_id)
    return Address(
        team=team,
        channel=ChannelId("C0SUPPORT"),
        thread_ts=ts,
        message_ts=ts,
        person=PersonId("U0ADA"),
        person_team=team,
    )


async def test_a_message_is_posted_and_updated(messenger: Messenger, playground: Playground, address: Address) -> None:
    ts = await messenger.post(address.channel, text="Hello", blocks=BLOCKS, thread_ts=address.thread_ts)
    await messenger.update(address.channel, ts, text="Bye", blocks=[{"type": "markdown", "text": "Bye"}])

    assert "Bye" == playground.thread(address.channel, address.thread_ts)[1]["blocks"][0]["text"]


async def test_a_run_that_loses_its_claim_while_it_waits_for_its_turn_says_nothing_more(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    await messenger.pace.close("chat.postMessage", 60)
    with permit.taken() as ours:
        posting = asyncio.create_task(messenger.post(address.channel, text="Hello", blocks=BLOCKS))
        await asyncio.sleep(0)
        ours.lose()
    let_pass(60)

    with pytest.raises(PermitLostError):
        await posting
    assert [] == playground.calls("chat.postMessage")


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update", "chat.stopStream"])
async def test_what_waits_for_its_turn_is_not_written_where_others_have_come_to_read_meanwhile(
    messenger: Messenger, playground: Playground, address: Address, method: str
) -> None:
    channel, ts = address.channel, await messenger.start_stream(address, [{"type": "markdown_text", "text": "Hello"}])
    writing = {
        "chat.postMessage": partial(messenger.post, channel, text="Twelve weeks.", blocks=BLOCKS),
        "chat.update": partial(messenger.update, channel, ts, text="Twelve weeks.", blocks=BLOCKS),
        "chat.stopStream": partial(messenger.stop_stream, channel, ts, blocks=BLOCKS),
    }
    await messenger.pace.close(method, 60)
    waiting = asyncio.create_task(writing[method]())
    await asyncio.sleep(0)
    messenger.shared.told(channel, is_shared=True)
    let_pass(60)

    with pytest.raises(ChannelSharedError):
        await waiting
    assert [] == playground.calls(method)


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream"])
async def test_what_waits_for_its_runs_permit_is_not_written_where_others_have_come_to_read_meanwhile(
    messenger: Messenger, playground: Playground, address: Address, method: str
) -> None:
    channel, chunks = address.channel, [{"type": "markdown_text", "text": "Twelve weeks."}]
    ts = await messenger.post(channel, text="Hello", blocks=BLOCKS)
    writing = {
        "chat.postMessage": partial(messenger.post, channel, text="Twelve weeks.", blocks=BLOCKS),
        "chat.update": partial(messenger.update, channel, ts, text="Twelve weeks.", blocks=BLOCKS, is_draft=True),
        "chat.startStream": partial(messenger.start_stream, address, chunks),
        "chat.appendStream": partial(messenger.append, channel, ts, chunks),
    }
    before = len(playground.calls(method))
    with permit.taken() as ours:
        ours.doubt()
        waiting = asyncio.create_task(writing[method]())
        await asyncio.sleep(0)
        messenger.shared.told(channel, is_shared=True)
        ours.confirm()

    with pytest.raises(ChannelSharedError):
        await waiting
    assert before == len(playground.calls(method))


async def test_nothing_is_posted_if_slack_does_not_say_who_reads_the_channel(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.fail("conversations.info", "internal_error", status=500, times=FOREVER)
    posting = asyncio.create_task(messenger.post(address.channel, text="Hello", blocks=BLOCKS))
    while not posting.done():
        let_pass(60)
        await asyncio.sleep(0.01)

    with pytest.raises(OutcomeUnknownError):
        await posting
    assert [] == playground.calls("conversations.history")
    assert [] == playground.calls("chat.postMessage")


async def test_slack_is_asked_again_who_reads_the_channel_if_it_breaks_down(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.fail("conversations.info", status=503)
    ts = await messenger.start_stream(address, [{"type": "markdown_text", "text": "Hello"}])

    assert [ts] == [reply["ts"] for reply in playground.thread(address.channel, address.thread_ts)[1:]]


async def test_a_status_does_not_wait_until_slack_says_who_reads_the_channel(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.fail("conversations.info", status=503)
    with pytest.raises(OutcomeUnknownError):
        await messenger.set_status(address, "Searching…")

    assert 1 == len(playground.calls("conversations.info"))
    assert [] == playground.calls("assistant.threads.setStatus")


async def test_a_stream_is_for_its_asker(messenger: Messenger, playground: Playground, address: Address) -> None:
    await messenger.start_stream(address, [{"type": "markdown_text", "text": "Hello"}])

    arguments = playground.calls("chat.startStream")[0].arguments
    assert ("U0ADA", playground.team_id) == (arguments["recipient_user_id"], arguments["recipient_team_id"])


async def test_an_ephemeral_message_reaches_one_person(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    await messenger.post_ephemeral(address, "Only you")

    assert ["Only you"] == [each["text"] for each in playground.person("U0ADA").ephemerals("C0SUPPORT")]


async def test_a_permalink_and_a_direct_channel_are_named(messenger: Messenger, address: Address) -> None:
    assert address.message_ts.replace(".", "") in await messenger.permalink(address.channel, address.message_ts)
    assert "D0ADA" == await messenger.open_direct(PersonId("U0ADA"))


@pytest.mark.parametrize("code", ["not_in_channel", "is_archived", "channel_not_found", "restricted_action"])
async def test_a_refused_place_is_told_from_other_errors(
    messenger: Messenger, playground: Playground, code: str
) -> None:
    playground.faults.fail("chat.postMessage", code)

    with pytest.raises(PostRefusedError, match=code):
        await messenger.post("C0SUPPORT", text="Hello", blocks=BLOCKS)


async def test_a_thread_that_is_gone_refuses(messenger: Messenger) -> None:
    with pytest.raises(PostRefusedError, match="thread_not_found"):
        await messenger.post("C0SUPPORT", text="Hello", blocks=BLOCKS, thread_ts="1.000001")


async def test_a_mistake_of_ours_is_an_error_of_ours(messenger: Messenger) -> None:
    with pytest.raises(SlackError, match="invalid_blocks"):
        await messenger.post("C0SUPPORT", text="Hello", blocks=[{"type": "no_such_block"}])


async def test_a_missing_stream_is_a_refused_stream(messenger: Messenger, address: Address) -> None:
    with pytest.raises(StreamRefusedError):
        await messenger.append(address.channel, "1.000001", [{"type": "markdown_text", "text": "x"}])


async def test_a_post_waits_as_long_as_slack_asks(messenger: Messenger, playground: Playground) -> None:
    playground.faults.fail("chat.postMessage", "ratelimited", status=429, times=2)
    await messenger.post("C0SUPPORT", text="Hello", blocks=BLOCKS)

    assert [429, 429, 200] == [call.status for call in playground.calls("chat.postMessage")]


async def test_a_draft_does_not_wait(messenger: Messenger, playground: Playground) -> None:
    ts = await messenger.post("C0SUPPORT", text="Hello", blocks=BLOCKS)
    playground.faults.fail("chat.update", "ratelimited", status=429)

    with pytest.raises(SlackBusyError):
        await messenger.update("C0SUPPORT", ts, text="Bye", blocks=BLOCKS, is_draft=True)
    assert not await messenger.pace.may("chat.update")


async def test_a_post_whose_answer_was_lost_is_found_and_not_repeated(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.lose_answer("chat.postMessage")
    ts = await messenger.post(address.channel, text="Hello", blocks=BLOCKS, thread_ts=address.thread_ts)

    assert [ts] == [reply["ts"] for reply in playground.thread(address.channel, address.thread_ts)[1:]]


async def test_a_direct_message_whose_answer_was_lost_is_found_and_not_repeated(
    messenger: Messenger, playground: Playground
) -> None:
    playground.faults.lose_answer("chat.postMessage")
    ts = await messenger.post("D0ADA", text="Hello", blocks=BLOCKS)

    assert [ts] == [message["ts"] for message in playground.messages("D0ADA")]


async def test_a_post_that_was_not_heard_is_made_again(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.fail("chat.postMessage", status=503)
    ts = await messenger.post(address.channel, text="Hello", blocks=BLOCKS, thread_ts=address.thread_ts)

    assert [ts] == [reply["ts"] for reply in playground.thread(address.channel, address.thread_ts)[1:]]


async def test_a_post_that_fails_twice_is_an_error(messenger: Messenger, playground: Playground) -> None:
    playground.faults.fail("chat.postMessage", status=503, times=2)

    with pytest.raises(SlackError, match="internal_error"):
        await messenger.post("C0SUPPORT", text="Hello", blocks=BLOCKS)


async def test_an_update_survives_a_breakdown(messenger: Messenger, playground: Playground) -> None:
    ts = await messenger.post("C0SUPPORT", text="Hello", blocks=BLOCKS)
    playground.faults.fail("chat.update", status=503)
    await messenger.update("C0SUPPORT", ts, text="Bye", blocks=BLOCKS)

    assert 2 == len(playground.calls("chat.update"))


async def test_a_slack_that_is_not_there_is_an_error_of_ours() -> None:
    nowhere = Messenger(AsyncWebClient("xoxb-x", base_url="http://127.0.0.1:9/"), pace=Pace())

    with pytest.raises(SlackError, match=r"views\.open"):
        await nowhere.open_modal("trigger", {})


async def test_a_thread_is_read_up_to_a_message(messenger: Messenger, playground: Playground, address: Address) -> None:
    ben = playground.person("U0BEN")
    first = await ben.post("C0SUPPORT", "one", thread_ts=address.thread_ts)
    await ben.post("C0SUPPORT", "two", thread_ts=address.thread_ts)
    there = replace(address, message_ts=Ts(first))
    replies = await messenger.replies(there.channel, there.thread_ts, latest=first, limit=50)

    assert ["How long?", "one"] == [reply["text"] for reply in replies]


@pytest.mark.parametrize("code", ["missing_scope", "unknown_method", "not_allowed", "feature_not_enabled"])
async def test_what_slack_refuses_for_a_lasting_reason_is_not_called_again_for_ten_minutes(
    client: AsyncWebClient, playground: Playground, address: Address, code: str
) -> None:
    seconds = [0.0]
    messenger = Messenger(client, pace=Pace(speed=100, now=lambda: seconds[0]))
    playground.faults.fail("assistant.threads.setStatus", code, times=100)
    with pytest.raises(SlackError, match=code):
        await messenger.set_status(address, "Searching…")
    for _ in range(50):
        await messenger.set_status(address, "Searching…")
    assert 1 == len(playground.calls("assistant.threads.setStatus"))

    seconds[0] += 601
    with pytest.raises(SlackError, match=code):
        await messenger.set_status(address, "Searching…")
    assert 2 == len(playground.calls("assistant.threads.setStatus"))


async def test_a_refused_stream_rests_and_is_still_refused_as_a_stream(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.refuse_streaming()
    for _ in range(5):
        with pytest.raises(StreamRefusedError, match="unknown_method"):
            await messenger.start_stream(address, [{"type": "markdown_text", "text": "Hello"}])

    assert 1 == len(playground.calls("chat.startStream"))


async def test_a_channel_that_takes_no_streams_speaks_for_itself_alone(
    messenger: Messenger, playground: Playground, address: Address
) -> None:
    playground.faults.fail("chat.startStream", "channel_type_not_supported")
    chunks = [{"type": "markdown_text", "text": "Hello"}]
    for _ in range(2):
        with pytest.raises(StreamRefusedError):
            await messenger.start_stream(address, chunks)
    ts = Ts(await playground.person("U0ADA").post("C0GENERAL", "How long?"))
    await messenger.start_stream(replace(address, channel=ChannelId("C0GENERAL"), thread_ts=ts), chunks)

    assert ["C0SUPPORT", "C0GENERAL"] == [call.arguments["channel"] for call in playground.calls("chat.startStream")]


@pytest.mark.parametrize("code", ["missing_scope", "channel_not_found"])
async def test_what_people_wait_for_never_rests(
    messenger: Messenger, playground: Playground, address: Address, code: str
) -> None:
    playground.faults.fail("chat.postMessage", code)
    with pytest.raises(SlackError):
        await messenger.post(address.channel, text="Hello", blocks=BLOCKS)

    assert await messenger.post(address.channel, text="Hello", blocks=BLOCKS)
