"""Two processes of one workspace together stay within Slack's limits."""

import asyncio
import time

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import SystemClock
from bot.postgres.pool import Database
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import STREAMS_PER_MINUTE, Pace
from bot.slack.api.shared_budget import SharedBudget
from graph.events import TextWritten
from playground import Playground
from tests.slack.asking import ANSWER, FOUND, Asked, ask, shown_text

CHANNELS = ("C0GENERAL", "C0SUPPORT", "C0PEOPLE")
ANSWERS = 25


async def test_of_fifty_answers_of_two_processes_in_a_minute_none_meets_a_limit(database: Database) -> None:
    async with Playground.open(limits="slack") as playground, aiohttp.ClientSession() as session:
        client = AsyncWebClient(playground.bot_token, base_url=playground.api_url, session=session)
        budgets = [SharedBudget(database, SystemClock(), surface="slack:T0") for _ in range(2)]
        processes = [Messenger(client, pace=Pace(budget=budget)) for budget in budgets]
        questions = [
            await ask(playground, messenger, CHANNELS[number % 3])
            for number, messenger in enumerate(processes * ANSWERS)
        ]
        began = time.monotonic()
        await asyncio.gather(*map(answer, questions))
        minutes = (time.monotonic() - began) / 60

        assert [[ANSWER.text]] * 50 == [[shown_text(reply) for reply in each.replies] for each in questions]
        assert 0 == len([call for call in playground.calls() if call.status == 429])
        assert STREAMS_PER_MINUTE <= len(playground.calls("chat.startStream")) <= STREAMS_PER_MINUTE * (1 + minutes) + 1
        assert playground.calls("chat.appendStream")


async def answer(asked: Asked) -> None:
    presenter = asked.presenter()
    await presenter.begin()
    await presenter.show(FOUND)
    for sentence in ("Twelve ", "weeks ", "[1]."):
        await asyncio.sleep(1.0)  # The delay of a real model.
        await presenter.show(TextWritten(text=sentence))
    await presenter.show(ANSWER)
    await presenter.close()
