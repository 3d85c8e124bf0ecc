"""The bots to compare: each is a child process with its own local Slack and its own database."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any, Literal, TypeAlias

import psutil

from benchmarks.databases import as_app
from benchmarks.project import ROOT, RUN
from playground import Playground

Json: TypeAlias = dict[str, Any]
Name = Literal["Askback", "Askback, apart", "Askback, undisturbed", "plain", "plain, exit"]

COMMANDS: Mapping[Name, tuple[str, ...]] = {
    "Askback": ("benchmarks.arena.ours",),
    "Askback, apart": ("benchmarks.arena.ours", "receive"),
    "Askback, undisturbed": ("benchmarks.arena.ours",),
    "plain": ("benchmarks.arena.theirs",),
    "plain, exit": ("benchmarks.arena.theirs", "exit"),
}
HELPERS: Mapping[Name, tuple[tuple[str, ...], ...]] = {"Askback, apart": (("benchmarks.arena.ours", "work"),) * 2}
"""Further processes of a bot, started after it listens."""
PATIENCE_SECONDS = 60.0
UNLIMITED = "1000000"
CHANNEL, PEOPLE = "C0SUPPORT", ("U0ADA", "U0BEN")


@dataclass(kw_only=True)
class Contestant:
    """A bot with its Slack and database, and what people do with it."""

    name: Name
    playground: Playground
    database_url: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    command: tuple[str, ...] = ()
    process: asyncio.subprocess.Process | None = None
    helpers: list[asyncio.subprocess.Process] = field(default_factory=list[asyncio.subprocess.Process])
    errors: IO[str] = field(default_factory=lambda: tempfile.TemporaryFile("w+"))  # noqa: SIM115 (gone when it is closed)
    """The process's output."""

    async def start(self) -> None:
        """Start the process and wait until it listens."""
        await self.playground.until(lambda: self.playground.sockets.connection_count == 0, PATIENCE_SECONDS)
        self.process = await self.spawn(*(self.command or COMMANDS[self.name]))
        await self.playground.until(self._is_there_or_gone, PATIENCE_SECONDS)
        if not self.playground.sockets.connection_count:
            self.errors.seek(0)
            raise ChildProcessError(f"{self.name} does not start: {self.errors.read()[-2000:]}")
        await self._start_helpers()

    async def _start_helpers(self) -> None:
        known = len(self.playground.calls("auth.test"))
        self.helpers = [await self.spawn(*module) for module in HELPERS.get(self.name, ())]
        there = known + len(self.helpers)
        await self.playground.until(lambda: len(self.playground.calls("auth.test")) >= there, PATIENCE_SECONDS)

    async def spawn(self, *module: str) -> asyncio.subprocess.Process:
        """Start a process that knows this Slack and this database."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASKBACK", "GROQ", "SLACK"))}
        return await asyncio.create_subprocess_exec(
            *RUN,
            *module,
            cwd=ROOT,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=self.errors,
            env={
                **kept,
                "SLACK_BOT_TOKEN": self.playground.bot_token,
                "SLACK_APP_TOKEN": self.playground.app_token,
                "SLACK_API_URL": self.playground.api_url,
                "DATABASE_URL": as_app(self.database_url),
                "ASKBACK_OWNER_DATABASE_URL": self.database_url,
                # Otherwise the second question of a person would bring no question back.
                "ASKBACK_REMEMBER_CHOICES_DAYS": "0",
                # One person asks everything here, and the plain bot has no limit.
                "ASKBACK_MOST_WAITING_PER_PERSON": UNLIMITED,
                "ASKBACK_MOST_WAITING": UNLIMITED,
                **self.environment,
            },
        )

    async def kill(self) -> None:
        """Kill the processes with −9."""
        for process in self._processes:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.send_signal(signal.SIGKILL)
                await process.wait()

    async def ask(self, text: str, *, root: str | None = None, person: str = PEOPLE[0], channel: str = CHANNEL) -> str:
        """Mention the bot; return the message's ts."""
        return await self.playground.person(person).post(channel, text, thread_ts=root, mention_bot=True)

    async def answers(self, root: str, count: int = 1, *, channel: str = CHANNEL) -> list[Json]:
        """Wait for this many finished answers in a thread, and return them."""

        def there() -> list[Json]:
            found = self.answered(root, channel)
            return found if len(found) >= count else []

        return await self.playground.until(there, PATIENCE_SECONDS)

    def answered(self, root: str, channel: str = CHANNEL) -> list[Json]:
        """Return a thread's finished answers."""
        return [one for one in self.playground.thread(channel, root) if is_answer(one)]

    async def card(self, root: str) -> Json:
        """Wait for a card with buttons in a thread, and return it."""
        return await self.playground.until(
            lambda: next((one for one in self.playground.thread(CHANNEL, root) if is_card(one)), None),
            PATIENCE_SECONDS,
        )

    @property
    def is_gone(self) -> bool:
        """Whether the process has ended."""
        return self.process is None or self.process.returncode is not None

    def cpu_seconds(self) -> float:
        """Return the processor time that the processes have used."""
        used = [psutil.Process(process.pid).cpu_times() for process in self._processes]
        return sum(times.user + times.system for times in used)

    @property
    def _processes(self) -> list[asyncio.subprocess.Process]:
        return [process for process in (self.process, *self.helpers) if process is not None]

    def _is_there_or_gone(self) -> bool:
        return self.is_gone or self.playground.sockets.connection_count > 0


@asynccontextmanager
async def running(contestant: Contestant) -> AsyncGenerator[Contestant]:
    """Run the contestant's process while the context is open."""
    await contestant.start()
    try:
        yield contestant
    finally:
        await contestant.kill()


def is_answer(message: Json) -> bool:
    """Tell whether a message is a finished answer."""
    kinds = {block["type"] for block in message.get("blocks", [])}
    return "markdown" in kinds and message.get("streaming_state") != "in_progress"


def is_card(message: Json) -> bool:
    """Tell whether a message is an open question back."""
    return "Just answer" in labels(message)


def labels(message: Json) -> list[str]:
    """Return the labels of a message's buttons."""
    elements = [one for block in message.get("blocks", []) for one in block.get("elements", [])]
    return [one["text"]["text"] for one in elements if one.get("type") == "button"]
