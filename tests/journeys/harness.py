"""A harness for journeys: the playground, a database with the handbook, and a bot that can die and come back."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psutil
import psycopg

from bot.app import open_bot, serving_slack
from bot.bot import Bot
from bot.cli.demo import HANDBOOK_HOST
from bot.conversation.schedule import Cadence
from bot.settings import Settings
from playground import Playground
from tests.support.databases import as_app
from tests.support.fork_server import ForkServer, command_line
from tests.support.waiting import PATIENCE

Message = dict[str, Any]

ADA, BEN = "U0ADA", "U0BEN"
SUPPORT = "C0SUPPORT"
LOOK, DENY = "Look and approve…", "Do not"
"""The buttons of a card that asks for an approval."""
MODELS = {name: str(PATIENCE) for name in ("form_seconds", "first_word_seconds", "silence_seconds")}
"""The settings of how long a model may take. Rules would do its work on a busy machine."""


@dataclass
class Harness:
    """People, channels, the database, and actions that wait for the bot."""

    playground: Playground
    database_url: str
    """The database's URL for its owner, who sees everything."""
    fork_server: ForkServer | None = None
    """The fork server for bots in child processes, if the test uses any."""
    environment: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def app_url(self) -> str:
        """The database's URL for the serving role."""
        return as_app(self.database_url)

    async def ask(self, text: str, *, person: str = ADA, channel: str = SUPPORT, root: str | None = None) -> str:
        """Post a question, with a mention except in a direct message; return the ts."""
        direct = channel.startswith("D")
        return await self.playground.person(person).post(channel, text, thread_ts=root, mention_bot=not direct)

    async def say(self, text: str, root: str, *, person: str = ADA, channel: str = SUPPORT) -> str:
        """Post in a thread without a mention."""
        return await self.playground.person(person).post(channel, text, thread_ts=root)

    def said(self, root: str, channel: str = SUPPORT) -> list[Message]:
        """Return the bot's messages in a thread, in order."""
        bot = self.playground.bot_user_id
        return [one for one in self.playground.thread(channel, root) if one.get("user") == bot and one["ts"] != root]

    async def answers(self, root: str, count: int = 1, *, channel: str = SUPPORT) -> list[Message]:
        """Wait for this many finished answers in a thread, and return them."""
        return await self._messages(root, count, channel, is_answer)

    async def card(self, root: str, *, channel: str = SUPPORT) -> Message:
        """Wait for a card with open buttons in a thread."""
        return (await self._messages(root, 1, channel, is_open_card))[-1]

    async def click(self, root: str, label: str, *, person: str = ADA, channel: str = SUPPORT) -> None:
        """Press a button of the thread's open card."""
        card = await self.card(root, channel=channel)
        await self.playground.person(person).click(channel, card["ts"], label=label)

    async def ephemeral(self, person: str, holding: str) -> Message:
        """Wait for an ephemeral message to a person with this text."""
        who = self.playground.person(person)

        def heard() -> list[Message]:
            return [one for one in who.ephemerals() if holding in text_of(one)]

        return (await self.playground.until(heard, timeout=PATIENCE))[0]

    async def settled(self) -> None:
        """Wait until every delivery is acknowledged and every item of the inbox is done."""
        await self.playground.until(lambda: all(one.settled for one in self.playground.deliveries()), timeout=PATIENCE)
        async with self.owning() as owner:
            await until(lambda: nothing_waits(owner))

    @asynccontextmanager
    async def owning(self) -> AsyncGenerator[psycopg.AsyncConnection]:
        """Read and change the database as its owner, while the bot goes on. Connecting takes long, so do it once."""
        async with await psycopg.AsyncConnection.connect(self.database_url, autocommit=True) as owner:
            yield owner

    async def _messages(self, root: str, count: int, channel: str, holds: Callable[[Message], bool]) -> list[Message]:
        def there() -> list[Message]:
            found = [one for one in self.said(root, channel) if holds(one)]
            return found if len(found) >= count else []

        return await self.playground.until(there, timeout=PATIENCE)

    @asynccontextmanager
    async def bot(self, *, cadence: Cadence | None = None, **given: Any) -> AsyncGenerator[Bot]:
        """Run the bot in this process."""
        settings = Settings(**{**self.settings, **given})
        async with AsyncExitStack() as stack:
            bot = await stack.enter_async_context(open_bot(settings, self.app_url))
            await stack.enter_async_context(serving_slack(bot, cadence=cadence))
            yield bot

    @property
    def settings(self) -> dict[str, Any]:
        """Return the bot's settings for this harness, by name."""
        return {
            "slack_bot_token": self.playground.bot_token,
            "slack_app_token": self.playground.app_token,
            "slack_api_url": self.playground.api_url,
            "workspace": "default",
            "worker_slots": 4,
            "link_hosts": HANDBOOK_HOST,
            **MODELS,
        }

    @asynccontextmanager
    async def bot_process(self, command: str = "run", **environment: str) -> AsyncGenerator["BotProcess"]:
        """Run the bot, or only its receiver or worker, in a child process that can be killed."""
        assert self.fork_server
        process = BotProcess(
            self.fork_server,
            {
                **{name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ"))},
                "SLACK_BOT_TOKEN": self.playground.bot_token,
                "SLACK_APP_TOKEN": self.playground.app_token,
                "SLACK_API_URL": self.playground.api_url,
                "ASKBACK_LINK_HOSTS": HANDBOOK_HOST,
                "DATABASE_URL": self.app_url,
                "ASKBACK_WORKER_SLOTS": "4",
                **{f"ASKBACK_{name.upper()}": value for name, value in MODELS.items()},
                **self.environment,
                **environment,
            },
            command,
        )
        await process.start(self.playground)
        try:
            yield process
        finally:
            await process.kill()


class BotProcess:
    """`askback run`, or another serving command, in a process that has already imported everything."""

    def __init__(self, fork_server: ForkServer, environment: dict[str, str], command: str) -> None:
        self._fork_server = fork_server
        self._environment = environment
        self._command = command
        self._process: psutil.Process | None = None

    @property
    def ports(self) -> list[int]:
        """The ports of its connections, as the database sees them."""
        processes = self._process.children() if self._process else []
        return [one.laddr.port for process in processes for one in process.net_connections("tcp")]

    async def start(self, playground: Playground) -> None:
        """Start it, and wait until it listens or is identified."""
        sign, times = ("auth.test", 1) if self._command == "work" else ("apps.connections.open", 2)
        before = len(playground.calls(sign))
        given = {"arguments": [self._command], "environment": self._environment}
        self._process = await asyncio.to_thread(self._fork_server.fork, command_line, given)
        await playground.until(
            lambda: (
                len(playground.calls(sign)) >= before + times
                and (self._command == "work" or playground.sockets.connection_count >= 1)
            ),
            timeout=PATIENCE,
        )

    async def kill(self) -> None:
        """Kill it with SIGKILL, and wait for the bot, its child, which dies with it: no click may go to a dead bot."""
        if self._process:
            both = [self._process]
            with suppress(psutil.NoSuchProcess):
                both += self._process.children()
                self._process.kill()
            await asyncio.to_thread(psutil.wait_procs, both, PATIENCE)


def text_of(message: Message) -> str:
    """Return all texts of a message, except those of its buttons."""
    blocks = message.get("blocks", [])
    texts = [message.get("text", "")]
    for block in blocks:
        text = block.get("text")
        texts.append(text if isinstance(text, str) else (text or {}).get("text", ""))
        texts += [element.get("text", "") for element in block.get("elements", []) if block["type"] == "context"]
    return "\n".join(text for text in texts if isinstance(text, str))


def labels_of(message: Message) -> list[str]:
    """Return the labels of a message's buttons."""
    elements = [one for block in message.get("blocks", []) for one in block.get("elements", [])]
    return [one["text"]["text"] for one in elements if one.get("type") == "button"]


def is_open_card(message: Message) -> bool:
    """Tell whether a message is an open question back, or asks for an approval."""
    return not {"Just answer", LOOK}.isdisjoint(labels_of(message))


def is_answer(message: Message) -> bool:
    """Tell whether a message is a finished answer."""
    kinds = {block["type"] for block in message.get("blocks", [])}
    settled = message.get("streaming_state") != "in_progress"
    return settled and "markdown" in kinds and not is_open_card(message)


async def nothing_waits(owner: psycopg.AsyncConnection[Any]) -> bool:
    """Tell whether every item of the inbox is done."""
    cursor = await owner.execute("SELECT FROM inbox WHERE status IN ('waiting', 'asking') LIMIT 1")
    return await cursor.fetchone() is None


async def until(holds: Callable[[], Awaitable[bool]], patience: float = PATIENCE) -> None:
    """Wait for a condition in the database, which announces nothing. Raises `TimeoutError`."""
    pause = 0.02
    async with asyncio.timeout(patience):
        while not await holds():
            await asyncio.sleep(pause)
            # What takes seconds is asked for seldom: each look takes processor time from what it waits for.
            pause = min(1.3 * pause, 0.2)
