"""A conversation in a terminal: a question, a question back, an answer, a follow-up."""

import asyncio
import io
import json
import signal
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from bot.app import open_bot
from bot.bot import Bot
from bot.cli.ask import ask, is_known
from bot.settings import Settings
from tests.cli.test_starting import PATIENCE, running
from tests.support.databases import as_app
from tests.support.fakes import TurnedClock
from tests.support.fork_server import COMMAND


class Typist(Console):
    """A terminal with the test's input."""

    def __init__(self, *typed: str) -> None:
        self.said = io.StringIO()
        super().__init__(file=self.said, width=100)
        self._typed = iter(typed)

    def input(self, *_prompt: object, **_how: object) -> str:
        if (typed := next(self._typed, None)) is None:
            raise EOFError
        return typed


@pytest.fixture
async def bot(handbook_url: str) -> AsyncGenerator[Bot]:
    """The bot without a surface."""
    async with open_bot(Settings(), as_app(handbook_url)) as bot:
        yield bot


async def test_a_question_is_answered_with_its_sources(bot: Bot) -> None:
    console = Typist()

    assert await ask(bot, "What is the limit for a hotel night?", console, thread="t", is_json=False)

    assert "145 EUR" in console.said.getvalue()
    assert "Travel policy" in console.said.getvalue()


@pytest.mark.parametrize(("typed", "days"), [("1", ("25", "30")), ("the Hamburg one", ("30",)), ("", ("25", "30"))])
async def test_a_clarification_is_a_numbered_choice(bot: Bot, typed: str, days: tuple[str, ...]) -> None:
    console = Typist(typed)

    assert await ask(bot, "How many vacation days do I have?", console, thread="t", is_json=False)

    said = console.said.getvalue()
    assert "1." in said
    assert any(number in said for number in days)


async def test_if_nobody_types_the_question_stays_open_for_the_next_command(bot: Bot) -> None:
    first, second = Typist(), Typist()

    assert not await ask(bot, "How many vacation days do I have?", first, thread="t", is_json=False)
    await ask(bot, "Porto", second, thread="t", is_json=False)

    assert "Continue with: askback ask --thread t" in first.said.getvalue()
    assert "25" in second.said.getvalue()


async def test_who_is_asked_back_may_go(handbook_url: str, tmp_path: Path) -> None:
    command = (*COMMAND, "ask", "How many vacation days do I have?")
    async with running("", tmp_path, askback=command, DATABASE_URL=as_app(handbook_url)) as process:
        assert process.stdout is not None
        await asyncio.wait_for(process.stdout.readuntil(b"Enter to just get an answer: "), PATIENCE)
        process.send_signal(signal.SIGINT)

        assert 130 == await asyncio.wait_for(process.wait(), 60)


async def test_as_json_it_asks_nothing_and_the_next_call_answers(bot: Bot) -> None:
    first, second = Typist(), Typist()

    await ask(bot, "How many vacation days do I have?", first, thread="t", is_json=True)
    await ask(bot, "Porto", second, thread="t", is_json=True)

    asked, answered = json.loads(first.said.getvalue()), json.loads(second.said.getvalue())
    assert ("clarification_needed", "answer") == (asked["response_type"], answered["response_type"])
    assert {"Porto", "Hamburg"} == {option["label"] for option in asked["options"]}
    assert "25" in answered["text"]


async def test_a_conversation_is_known_whatever_the_clock_says(bot: Bot) -> None:
    await ask(bot, "How many vacation days do people in Hamburg get?", Typist(), thread="t", is_json=True)
    yesterday = TurnedClock()
    yesterday.turn(days=(bot.clock.now() - yesterday.now()).days - 1)

    assert await is_known(replace(bot, clock=yesterday), "t")


async def test_a_follow_up_goes_on_in_its_thread(bot: Bot) -> None:
    assert not await is_known(bot, "t")
    await ask(bot, "How many vacation days do people in Hamburg get?", Typist(), thread="t", is_json=True)
    assert await is_known(bot, "t")
    console = Typist()

    await ask(bot, "And in Porto?", console, thread="t", is_json=True)

    assert "25" in json.loads(console.said.getvalue())["text"]
