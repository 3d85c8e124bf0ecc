"""An answer of thirty thousand characters arrives whole despite faults, and is changed and deleted as one."""

import asyncio
from contextlib import AbstractAsyncContextManager
from itertools import product
from typing import Any

import pytest

from bot.bot import Bot
from tests.journeys.harness import ADA, SUPPORT, Harness, is_answer, text_of
from tests.journeys.holding import understood, unrecorded, until_recorded, valid
from tests.models.groq_server import GroqServer, Reply, Says

HOTEL = "What is the limit for a hotel night?"
SHORT = "The limit for a hotel night is 145 EUR [1]."
NAMES = ["".join(letters) for letters in product("abcdefgh", repeat=3)]
LONG = "".join(f"Paragraph {name} says that the limit for a hotel night is 145 EUR [1].\n\n" for name in NAMES)

MIDDLE_OF_THE_FIRST = 5
"""A piece of 600 characters in the middle of the first message."""


class Writer:
    """The text of the model, and its speed."""

    def __init__(self) -> None:
        self.text = LONG
        self.pause_seconds = 0.0
        self.goes_on = asyncio.Event()
        """Set if the text needs not stop in the middle of the first message."""
        self.goes_on.set()

    def __call__(self, request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        return Says(
            self.text, size=600, pause_seconds=self.pause_seconds, held_until=self.goes_on, held_at=MIDDLE_OF_THE_FIRST
        )


@pytest.fixture
def writer() -> Writer:
    return Writer()


def with_groq(harness: Harness, groq: GroqServer) -> AbstractAsyncContextManager[Bot]:
    """Run the bot with a model that writes long answers."""
    return harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url)


def shown(messages: list[dict[str, Any]]) -> str:
    """Return the text of an answer, by part."""
    texts = [block["text"] for one in messages for block in one["blocks"] if block["type"] == "markdown"]
    return "\n\n".join(texts)


def are_rated(messages: list[dict[str, Any]]) -> list[bool]:
    return ["context_actions" in [block["type"] for block in one["blocks"]] for one in messages]


def is_whole(messages: list[dict[str, Any]]) -> bool:
    *others, last = are_rated(messages)
    return shown(messages) == LONG.rstrip() and last and not any(others) and all(map(is_answer, messages))


async def parts_shown(harness: Harness, root: str, count: int) -> None:
    await harness.playground.until(lambda: len(harness.said(root)) >= count)


async def test_it_is_streamed_into_the_first_message_and_has_its_sources_below_the_last(
    harness: Harness, writer: Writer
) -> None:
    writer.pause_seconds = 0.1
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(harness, groq):
        root = await harness.ask(HOTEL)
        await parts_shown(harness, root, 2)
        await harness.settled()

    assert len(LONG) > 30_000
    assert 4 == len(harness.said(root))
    assert is_whole(harness.said(root))
    assert 1 == len(harness.playground.calls("chat.startStream"))


async def test_where_streams_are_refused_it_appears_by_updates_all_the_same(harness: Harness, writer: Writer) -> None:
    harness.playground.faults.refuse_streaming()
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(harness, groq):
        root = await harness.ask(HOTEL)
        await parts_shown(harness, root, 4)
        await harness.settled()

    assert is_whole(harness.said(root))


async def test_killed_in_the_middle_of_the_second_part_another_writes_all_of_it_in_the_same_messages(
    harness: Harness, writer: Writer
) -> None:
    writer.pause_seconds = 0.2
    async with GroqServer.serve(writer, grants="250000") as groq:
        settings = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}
        async with harness.bot_process(**settings) as process:
            root = await harness.ask(HOTEL)
            await parts_shown(harness, root, 2)
            await process.kill()
        before = [one["ts"] for one in harness.said(root)]
        writer.pause_seconds = 0.0
        async with harness.bot_process(**settings):
            await parts_shown(harness, root, 4)
            await harness.settled()

    assert is_whole(harness.said(root))
    assert before == [one["ts"] for one in harness.said(root)][: len(before)]


async def test_killed_before_we_knew_of_the_second_part_it_is_not_posted_twice(
    harness: Harness, writer: Writer
) -> None:
    writer.pause_seconds = 0.2
    writer.goes_on.clear()
    async with GroqServer.serve(writer, grants="250000") as groq:
        settings = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}
        async with harness.bot_process(**settings) as process:
            root = await harness.ask(HOTEL)
            await harness.playground.until(lambda: "Paragraph aaf" in str(harness.said(root)))
            await until_recorded(harness)
            async with unrecorded(harness):
                writer.goes_on.set()
                await parts_shown(harness, root, 2)
                await process.kill()
        before = [one["ts"] for one in harness.said(root)]
        writer.text = SHORT
        async with harness.bot_process(**settings):
            await harness.settled()

    assert 2 == len(before)
    assert before[:1] == [one["ts"] for one in harness.said(root)]
    assert SHORT in text_of(harness.said(root)[0])


async def test_edited_into_a_short_one_it_is_one_message(harness: Harness, writer: Writer) -> None:
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(harness, groq):
        root = await harness.ask(HOTEL)
        await parts_shown(harness, root, 4)
        await harness.settled()
        first = harness.said(root)[0]["ts"]

        writer.text = SHORT
        said = f"<@{harness.playground.bot_user_id}> What is the limit for a hotel night, please?"
        await harness.playground.person(ADA).edit(SUPPORT, root, said)
        await harness.playground.until(lambda: len(harness.said(root)) == 1)
        await harness.settled()
        assert first == harness.said(root)[0]["ts"]
        assert SHORT in text_of(harness.said(root)[0])


async def test_deleted_it_goes_in_all_its_parts(harness: Harness, writer: Writer) -> None:
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(harness, groq):
        root = await harness.ask(HOTEL)
        await parts_shown(harness, root, 4)
        await harness.settled()

        await harness.playground.person(ADA).delete(SUPPORT, root)
        await harness.playground.until(lambda: not harness.said(root))
