"""Streamed messages, by the real client's `chat_stream` and by single calls."""

import pytest
import pytest_asyncio
from slack_sdk.errors import SlackApiError
from slack_sdk.models.messages.chunk import MarkdownTextChunk, PlanUpdateChunk, TaskUpdateChunk

from playground import Playground
from tests.playground.bots import WebApi

RECIPIENT = {"recipient_user_id": "U0ADA", "recipient_team_id": "T0LUMENPINE"}


@pytest_asyncio.fixture(loop_scope="session")
async def root(playground: Playground) -> str:
    """A question in a channel."""
    return await playground.person("U0ADA").post("C0GENERAL", "Why?", mention_bot=True)


async def test_a_stream_grows_into_one_message(playground: Playground, client: WebApi, root: str) -> None:
    stream = await client.chat_stream(channel="C0GENERAL", thread_ts=root, buffer_size=1, **RECIPIENT)
    await stream.append(chunks=[TaskUpdateChunk(id="search", title="Searching", status="in_progress")])
    await stream.append(markdown_text="Because ")
    await stream.append(markdown_text="**so**.")
    await stream.append(chunks=[TaskUpdateChunk(id="search", title="Searched 6 pages", status="complete")])
    await stream.stop(blocks=[{"type": "divider"}])

    answer = playground.thread("C0GENERAL", root)[1]
    assert ("Because **so**.", "completed") == (answer["text"], answer["streaming_state"])
    assert ["task_card", "markdown", "divider"] == [block["type"] for block in answer["blocks"]]
    assert ("Searched 6 pages", "complete") == (answer["blocks"][0]["title"], answer["blocks"][0]["status"])


async def test_a_plan_holds_its_tasks(playground: Playground, client: WebApi, root: str) -> None:
    stream = await client.chat_stream(channel="C0GENERAL", thread_ts=root, task_display_mode="plan", **RECIPIENT)
    await stream.append(
        chunks=[PlanUpdateChunk(title="Thinking"), TaskUpdateChunk(id="1", title="Read", status="pending")]
    )
    await stream.append(chunks=[MarkdownTextChunk(text="Done.")])
    await stream.stop()

    plan, text = playground.thread("C0GENERAL", root)[1]["blocks"]
    assert ("Thinking", ["Read"], "Done.") == (plan["title"], [task["title"] for task in plan["tasks"]], text["text"])


@pytest.mark.parametrize("missing", ["recipient_user_id", "recipient_team_id"])
async def test_a_stream_in_a_channel_needs_its_recipient(client: WebApi, root: str, missing: str) -> None:
    recipient = {name: value for name, value in RECIPIENT.items() if name != missing}

    with pytest.raises(SlackApiError, match=f"missing_{missing}"):
        await client.chat_startStream(channel="C0GENERAL", thread_ts=root, **recipient)


async def test_a_stream_in_a_direct_message_needs_none(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("D0ADA", "Why?")

    assert (await client.chat_startStream(channel="D0ADA", thread_ts=root))["ok"]


async def test_an_open_stream_refuses_changes_and_a_closed_one_refuses_text(client: WebApi, root: str) -> None:
    opened = await client.chat_startStream(channel="C0GENERAL", thread_ts=root, markdown_text="Be", **RECIPIENT)
    place = {"channel": "C0GENERAL", "ts": opened["ts"]}

    with pytest.raises(SlackApiError, match="streaming_state_conflict"):
        await client.chat_update(**place, text="no")
    with pytest.raises(SlackApiError, match="streaming_state_conflict"):
        await client.chat_delete(**place)
    await client.chat_stopStream(**place)
    for call in (client.chat_appendStream(**place, markdown_text="cause"), client.chat_stopStream(**place)):
        with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
            await call

    assert (await client.chat_update(**place, text="yes"))["ok"]


async def test_a_stream_ends_by_itself_after_five_minutes(playground: Playground, client: WebApi, root: str) -> None:
    opened = await client.chat_startStream(channel="C0GENERAL", thread_ts=root, markdown_text="Be", **RECIPIENT)

    playground.clock.advance(307)

    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_appendStream(channel="C0GENERAL", ts=opened["ts"], markdown_text="cause")
    assert (await client.chat_update(channel="C0GENERAL", ts=opened["ts"], text="Because."))["ok"]


async def test_a_chunk_that_slack_does_not_know_changes_nothing(
    playground: Playground, client: WebApi, root: str
) -> None:
    opened = await client.chat_startStream(channel="C0GENERAL", thread_ts=root, markdown_text="Be", **RECIPIENT)
    place = {"channel": "C0GENERAL", "ts": opened["ts"]}

    with pytest.raises(SlackApiError, match="invalid_chunks"):
        await client.chat_appendStream(**place, chunks=[{"type": "markdown_text", "text": "cause"}, {"type": "shout"}])
    with pytest.raises(SlackApiError, match="msg_too_long"):
        await client.chat_appendStream(**place, markdown_text="x" * 12_001)

    assert "Be" == playground.thread("C0GENERAL", root)[1]["text"]


async def test_a_stream_holds_no_more_than_40000_characters(playground: Playground, client: WebApi, root: str) -> None:
    opened = await client.chat_startStream(channel="C0GENERAL", thread_ts=root, **RECIPIENT)
    place = {"channel": "C0GENERAL", "ts": opened["ts"]}
    for _ in range(4):
        await client.chat_appendStream(**place, markdown_text="x" * 10_000)

    with pytest.raises(SlackApiError, match="msg_too_long"):
        await client.chat_appendStream(**place, markdown_text="x")
    assert (await client.chat_stopStream(**place))["ok"]
    assert 40_000 == len(playground.thread("C0GENERAL", root)[1]["text"])
