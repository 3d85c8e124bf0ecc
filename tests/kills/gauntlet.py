"""Where the bot is killed at every boundary, one after the other, and started again each time."""

import asyncio
import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Literal

import psycopg

from playground import Playground
from tests.journeys.town import ADA, SUPPORT, Message, Town, is_answer, is_open_card, labels_of, text_of
from tests.kills.boundaries import Boundary, seen_in_call, seen_in_commit
from tests.kills.wire import Side, wire

PATIENCE = 90.0


@dataclass(frozen=True, kw_only=True)
class Point:
    """A moment at which the process is killed: on one side of the n-th boundary of a kind."""

    boundary: Boundary
    number: int
    side: Side


@dataclass
class Gauntlet:
    """The town, and the process that serves it at the moment."""

    town: Town
    nursery: "subprocess.Popen[str]"
    url: str = ""
    pid: int = 0
    met: list[Point] = field(default_factory=list[Point])
    """What was passed since it counts."""
    unnamed: list[object] = field(default_factory=list[object])
    """What lasts and has no name."""
    next_deadly: Point | None = None
    """Where the process is to be killed once it counts."""
    deadly: Point | None = None
    kills: int = 0
    _counts: "Counter[tuple[Boundary, Side]]" = field(default_factory=Counter)
    _restart: "asyncio.Task[None] | None" = None

    @classmethod
    @asynccontextmanager
    async def open(cls, database_url: str, nursery: "subprocess.Popen[str]") -> "AsyncGenerator[Gauntlet]":
        """Open a town with a bot that listens."""
        async with Playground.open(ack_seconds=2.0, retry_pauses=(0.05, 0.2, 1.0, 5.0, 5.0)) as playground:
            gauntlet = cls(Town(playground, database_url), nursery)
            playground.faults.watch(gauntlet.on_call)
            async with wire(database_url, gauntlet.on_commit) as gauntlet.url:
                await gauntlet.start()
                try:
                    yield gauntlet
                finally:
                    gauntlet.deadly = None
                    if gauntlet._restart:
                        await gauntlet._restart
                    gauntlet.kill()

    def begin(self) -> None:
        """Count from here."""
        self.met.clear()
        self._counts.clear()
        self.deadly = self.next_deadly

    def on_commit(self, writes: frozenset[str], side: Side) -> bool:
        """Meet a commit."""
        boundary = seen_in_commit(writes)
        if boundary is None:
            self.unnamed.append(sorted(writes))
            return False
        return self._meet(boundary, side)

    def on_call(self, method: str, side: Literal["before", "after"]) -> bool:
        """Meet a call of Slack."""
        try:
            boundary = seen_in_call(method)
        except LookupError:
            self.unnamed.append(method)
            return False
        return boundary is not None and self._meet(boundary, side)

    async def start(self) -> None:
        """Start a process and wait until it listens."""
        playground = self.town.playground
        await playground.until(lambda: playground.sockets.connection_count == 0, PATIENCE)
        given = {**self.town.settings, "surface": f"slack:{playground.team_id}", "database_url": self.url}
        self.pid = await asyncio.to_thread(_born, self.nursery, json.dumps(given))
        await playground.until(lambda: playground.sockets.connection_count >= 2, PATIENCE)

    def kill(self) -> None:
        """Kill the process without a word."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    async def settled(self) -> None:
        """Wait until a process lives, all is acknowledged and nothing waits."""
        async with asyncio.timeout(PATIENCE):
            while True:
                if self._restart:
                    await self._restart
                await self.town.playground.until(self._is_acknowledged, PATIENCE)
                restart = self._restart
                if await self._is_done() and (restart is None or restart.done()) and self._is_quiet():
                    return
                await asyncio.sleep(0.02)

    async def card(self, root: str) -> Message:
        """Wait for a thread's open card."""
        return (await self._until(root, is_open_card))[-1]

    async def answers(self, root: str, count: int = 1, holding: str = "") -> None:
        """Wait for so many answers in a thread."""
        await self._until(root, lambda one: is_answer(one) and holding in text_of(one), count)

    async def click(self, root: str, label: str) -> None:
        """Press a button until it is taken: who sees that nothing happened presses it again."""
        while True:
            card = await self.card(root)
            delivery = await self.town.playground.person(ADA).click(SUPPORT, card["ts"], label=label)
            await self.town.playground.until(lambda one=delivery: one.settled, PATIENCE)
            await self.settled()
            if not is_open_card(self.town.playground.messages(SUPPORT)[-1]) and not await self._is_open(root):
                return

    async def execute(self, query: str) -> None:
        """Change the database, as time does."""
        async with await psycopg.AsyncConnection.connect(self.town.database_url, autocommit=True) as owner:
            await owner.execute(query)

    def _meet(self, boundary: Boundary, side: Side) -> bool:
        self._counts[boundary, side] += 1
        point = Point(boundary=boundary, number=self._counts[boundary, side], side=side)
        self.met.append(point)
        if point != self.deadly:
            return False
        self.deadly = None
        self.kills += 1
        self.kill()
        self._restart = asyncio.create_task(self.start())
        return True

    async def _until(self, root: str, holds: Callable[[Message], bool], count: int = 1) -> list[Message]:
        def there() -> list[Message]:
            found = [one for one in self.town.said(root) if holds(one)]
            return found if len(found) >= count else []

        return await self.town.playground.until(there, PATIENCE)

    def _is_acknowledged(self) -> bool:
        return all(one.settled for one in self.town.playground.deliveries())

    def _is_quiet(self) -> bool:
        return self._is_acknowledged() and not self.town.playground._slack.statuses

    async def _is_done(self) -> bool:
        async with await psycopg.AsyncConnection.connect(self.town.database_url, autocommit=True) as owner:
            cursor = await owner.execute("SELECT FROM inbox WHERE status IN ('waiting', 'asking') LIMIT 1")
            return await cursor.fetchone() is None

    async def _is_open(self, root: str) -> bool:
        async with await psycopg.AsyncConnection.connect(self.town.database_url, autocommit=True) as owner:
            cursor = await owner.execute(
                "SELECT FROM clarifications WHERE status = 'open' AND thread_id LIKE %s", (f"%{root}",)
            )
            return await cursor.fetchone() is not None


def kind_of(message: Message) -> str:
    """Say in a word what a message of the bot is."""
    if is_open_card(message):
        return "open card"
    if is_answer(message):
        return "answer"
    if "Ask this again" in labels_of(message):
        return "superseded card"
    text = text_of(message)
    kinds = {"still waits": "reminder", "Nobody answered": "expired card", " chose ": "answered card"}
    return next((kind for said, kind in kinds.items() if said in text), "something else")


def _born(nursery: "subprocess.Popen[str]", line: str) -> int:
    stdin: IO[str] | None = nursery.stdin
    stdout: IO[str] | None = nursery.stdout
    assert stdin is not None
    assert stdout is not None
    stdin.write(f"{line}\n")
    stdin.flush()
    return int(stdout.readline())
