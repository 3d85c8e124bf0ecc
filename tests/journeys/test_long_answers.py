"""An answer of thirty thousand characters arrives whole, whatever happens on the way, and changes and goes as one."""

from contextlib import AbstractAsyncContextManager
from itertools import product
from typing import Any

import pytest

from tests.journeys.holding import understood, unrecorded, valid
from tests.journeys.town import ADA, SUPPORT, Town, is_answer, text_of
from tests.models.groq_server import GroqServer, Reply, Says

HOTEL = "What is the limit for a hotel night?"
SHORT = "The limit for a hotel night is 145 EUR [1]."
NAMES = ["".join(letters) for letters in product("abcdefgh", repeat=3)]
LONG = "".join(f"Paragraph {name} says that the limit for a hotel night is 145 EUR [1].\n\n" for name in NAMES)


class Writer:
    """What the model writes, how fast."""

    def __init__(self) -> None:
        self.text = LONG
        self.pause_seconds = 0.0

    def __call__(self, request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        return Says(self.text, size=600, pause_seconds=self.pause_seconds)


@pytest.fixture
def writer() -> Writer:
    return Writer()


def with_groq(town: Town, groq: GroqServer) -> AbstractAsyncContextManager[None]:
    """Run the bot with a model that writes at length."""
    return town.bot(groq_api_key="gsk_local", groq_base_url=groq.url)


def shown(messages: list[dict[str, Any]]) -> str:
    """Return the text of an answer in its parts."""
    texts = [block["text"] for one in messages for block in one["blocks"] if block["type"] == "markdown"]
    return "\n\n".join(texts)


def are_rated(messages: list[dict[str, Any]]) -> list[bool]:
    return ["context_actions" in [block["type"] for block in one["blocks"]] for one in messages]


def is_whole(messages: list[dict[str, Any]]) -> bool:
    *others, last = are_rated(messages)
    return shown(messages) == LONG.rstrip() and last and not any(others) and all(map(is_answer, messages))


async def parts_shown(town: Town, root: str, count: int) -> None:
    await town.playground.until(lambda: len(town.said(root)) >= count, timeout=60)


async def test_it_is_streamed_in_several_messages_with_the_sources_below_the_last(town: Town, writer: Writer) -> None:
    writer.pause_seconds = 0.1
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(town, groq):
        root = await town.ask(HOTEL)
        await parts_shown(town, root, 2)
        await town.settled()

    assert len(LONG) > 30_000
    assert 4 == len(town.said(root))
    assert is_whole(town.said(root))
    assert town.playground.calls("chat.appendStream")
    assert not town.playground.calls("chat.update")


async def test_where_streams_are_refused_it_appears_by_updates_all_the_same(town: Town, writer: Writer) -> None:
    town.playground.faults.refuse_streaming()
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(town, groq):
        root = await town.ask(HOTEL)
        await parts_shown(town, root, 4)
        await town.settled()

    assert is_whole(town.said(root))


async def test_killed_in_the_middle_of_the_second_part_another_writes_all_of_it_in_the_same_messages(
    town: Town, writer: Writer
) -> None:
    writer.pause_seconds = 0.2
    async with GroqServer.serve(writer, grants="250000") as groq:
        settings = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}
        async with town.bot_process(**settings) as process:
            root = await town.ask(HOTEL)
            await parts_shown(town, root, 2)
            await process.kill()
        before = [one["ts"] for one in town.said(root)]
        writer.pause_seconds = 0.0
        async with town.bot_process(**settings):
            await parts_shown(town, root, 4)
            await town.settled()

    assert is_whole(town.said(root))
    assert before == [one["ts"] for one in town.said(root)][: len(before)]


async def test_killed_before_we_knew_of_the_second_part_it_is_not_posted_twice(town: Town, writer: Writer) -> None:
    writer.pause_seconds = 0.2
    async with GroqServer.serve(writer, grants="250000") as groq:
        settings = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}
        async with town.bot_process(**settings) as process:
            root = await town.ask(HOTEL)
            await parts_shown(town, root, 1)
            await town.playground.until(lambda: "Paragraph aaf" in str(town.said(root)), timeout=60)
            async with unrecorded(town):
                await parts_shown(town, root, 2)
                await process.kill()
        before = [one["ts"] for one in town.said(root)]
        writer.text = SHORT
        async with town.bot_process(**settings):
            await town.settled()

    assert 2 == len(before)
    assert before[:1] == [one["ts"] for one in town.said(root)]
    assert SHORT in text_of(town.said(root)[0])


async def test_edited_into_a_short_one_it_is_one_message(town: Town, writer: Writer) -> None:
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(town, groq):
        root = await town.ask(HOTEL)
        await parts_shown(town, root, 4)
        await town.settled()
        first = town.said(root)[0]["ts"]

        writer.text = SHORT
        said = f"<@{town.playground.bot_user_id}> What is the limit for a hotel night, please?"
        await town.playground.person(ADA).edit(SUPPORT, root, said)
        await town.playground.until(lambda: len(town.said(root)) == 1, timeout=60)
        await town.settled()
        assert first == town.said(root)[0]["ts"]
        assert SHORT in text_of(town.said(root)[0])


async def test_deleted_it_goes_in_all_its_parts(town: Town, writer: Writer) -> None:
    async with GroqServer.serve(writer, grants="250000") as groq, with_groq(town, groq):
        root = await town.ask(HOTEL)
        await parts_shown(town, root, 4)
        await town.settled()

        await town.playground.person(ADA).delete(SUPPORT, root)
        await town.playground.until(lambda: not town.said(root), timeout=60)
