"""Kills the bot at each boundary, one after another, and starts it again."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, LiteralString

import psutil
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row

from playground import Playground
from playground.protocol.interactions import NotThereError
from playground.wire import Delivery
from tests.crashes.boundaries import Boundary, seen_in_call, seen_in_commit
from tests.crashes.simple_bot import live
from tests.crashes.wire import Side, wire
from tests.journeys.harness import (
    ADA,
    LOOK,
    SUPPORT,
    Harness,
    Message,
    is_answer,
    is_open_card,
    labels_of,
    nothing_waits,
    text_of,
    until,
)
from tests.journeys.reviewing import CHIARA, PEOPLE, cards
from tests.support.databases import as_app
from tests.support.fork_server import ForkServer

PATIENCE = 180.0


@dataclass(frozen=True, kw_only=True)
class Point:
    """A moment for the kill: before or after the n-th boundary of a kind."""

    boundary: Boundary
    number: int
    side: Side


@dataclass
class Runner:
    """The harness, and the process that serves it now."""

    harness: Harness
    fork_server: ForkServer
    owner: AsyncConnection[dict[str, Any]]
    calls: Path
    """The file in which the tool that writes notes its calls."""
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The settings of its bots, and their cadence."""
    url: str = ""
    process: psutil.Process | None = None
    met: list[Point] = field(default_factory=list[Point])
    """The boundaries since counting began."""
    unnamed: list[object] = field(default_factory=list[object])
    """Lasting effects without a name."""
    next_deadly: Point | None = None
    """The point at which to kill the process, once counting has begun."""
    deadly: Point | None = None
    kills: int = 0
    _counts: "Counter[tuple[Boundary, Side]]" = field(default_factory=Counter)
    _restart: "asyncio.Task[None] | None" = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls, database_url: str, fork_server: ForkServer, calls: Path, given: Mapping[str, Any]
    ) -> "AsyncGenerator[Runner]":
        """Open a harness with a bot that listens."""
        async with (
            Playground.open(ack_seconds=2.0, retry_pauses=(0.05, 0.2, 1.0, *6 * (5.0,))) as playground,
            # Polling through new connections would take as long as the work itself.
            await AsyncConnection[DictRow].connect(database_url, autocommit=True, row_factory=dict_row) as owner,
        ):
            runner = cls(Harness(playground, database_url, fork_server), fork_server, owner, calls, given)
            playground.faults.watch(runner.on_call)
            async with wire(as_app(database_url), runner.on_commit) as runner.url:
                await runner.start()
                try:
                    yield runner
                finally:
                    runner.deadly = None
                    if runner._restart:
                        await runner._restart
                    runner.kill()

    def begin(self) -> None:
        """Start counting."""
        self.met.clear()
        self._counts.clear()
        self.deadly = self.next_deadly

    def on_commit(self, writes: frozenset[str], side: Side) -> bool:
        """Note a commit."""
        boundary = seen_in_commit(writes)
        if boundary is None:
            self.unnamed.append(sorted(writes))
            return False
        if side == "in vain" and boundary is Boundary.CLAIMED:
            self._forget_look()
            return False
        return self._meet(boundary, "before" if side == "before" else "after")

    def on_call(self, method: str, side: Literal["before", "after"]) -> bool:
        """Note a call to Slack."""
        try:
            boundary = seen_in_call(method)
        except LookupError:
            self.unnamed.append(method)
            return False
        return boundary is not None and self._meet(boundary, side)

    async def start(self) -> None:
        """Start a process and wait until it listens."""
        playground = self.harness.playground
        await playground.until(lambda: playground.sockets.connection_count == 0, PATIENCE)
        place = {"database_url": self.url, "calls": str(self.calls)}
        settings = {**self.harness.settings, **self.given, **place}
        self.process = await asyncio.to_thread(self.fork_server.fork, live, settings)
        await playground.until(lambda: playground.sockets.connection_count >= 2, PATIENCE)

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        with suppress(psutil.NoSuchProcess):
            if self.process:
                self.process.kill()

    async def settled(self) -> None:
        """Wait until a process lives, all deliveries are acknowledged, and no item waits."""
        await until(self._is_settled, PATIENCE)

    async def waiting(self, count: int) -> None:
        """Wait until this many items wait, of which one may run."""

        async def wait() -> bool:
            return len(await self.rows("SELECT FROM inbox WHERE status = 'waiting'")) >= count

        await until(wait, PATIENCE)

    async def card(self, root: str) -> Message:
        """Wait for a thread's open card."""
        return (await self.seen(root, is_open_card))[-1]

    async def answers(self, root: str, count: int = 1, holding: str = "") -> None:
        """Wait for this many answers in a thread."""
        await self.seen(root, lambda one: is_answer(one) and holding in text_of(one), count)

    async def seen(self, root: str, holds: Callable[[Message], bool], count: int = 1) -> list[Message]:
        """Wait for this many messages of a kind in a thread."""

        def there() -> list[Message]:
            found = [one for one in self.harness.said(root) if holds(one)]
            return found if len(found) >= count else []

        return await self.harness.playground.until(there, PATIENCE)

    def says(self, root: str, text: str) -> bool:
        """Tell whether a message of the thread holds a text."""
        return any(text in text_of(one) for one in self.harness.said(root))

    async def insist(self, act: Callable[[], Awaitable[None]], is_done: Callable[[], bool]) -> None:
        """Repeat an action until it has an effect, as a person would."""
        async with asyncio.timeout(PATIENCE):
            while not is_done():
                await act()
                await self.settled()

    async def click(self, root: str, label: str) -> None:
        """Answer a card until the answer counts."""
        await self.card(root)
        await self.insist(partial(self.press, root, label), lambda: not any(map(is_open_card, self.harness.said(root))))

    async def press(self, root: str, label: str) -> None:
        """Press a button of the last message that has it, or choose in its menu, if the thread still has one."""
        for message in reversed(self.harness.said(root)):
            if await self._press(ADA, SUPPORT, message, label):
                return

    async def decide(self, label: str) -> None:
        """Press a button of the last review's card once it is posted."""
        await self.harness.playground.until(lambda: cards(self.harness), PATIENCE)
        await self._press(CHIARA, PEOPLE, cards(self.harness)[-1], label)

    async def rewrite(self, text: str) -> None:
        """Rewrite the answer of the last review in its modal."""
        await self.decide("Edit…")
        reviewer = self.harness.playground.person(CHIARA)
        if view := reviewer.open_view:
            # A modal whose submission was lost stays open, and a second one opens the next time.
            with suppress(TimeoutError):
                await reviewer.submit(view, {"review_edited:0": text})

    async def approve(self, root: str) -> None:
        """Look at a change that waits for its asker, and approve it."""
        await self.press(root, LOOK)
        asker = self.harness.playground.person(ADA)
        if view := asker.open_view:
            with suppress(TimeoutError):
                await asker.submit(view, {})

    def created(self) -> int:
        """Return how often the tool that writes was called."""
        return len(self.calls.read_text(encoding="utf-8").splitlines()) if self.calls.exists() else 0

    async def noted(self, query: LiteralString) -> None:
        """Wait until nothing is left of what this query finds."""

        async def is_over() -> bool:
            return not await self.rows(query)

        await until(is_over, PATIENCE)

    async def execute(self, query: LiteralString, **given: object) -> None:
        """Change the database, as the passing of time would."""
        await self.owner.execute(query, given or None)

    async def rows(self, query: LiteralString) -> list[Any]:
        """Query the database."""
        return await (await self.owner.execute(query)).fetchall()

    async def _press(self, person: str, channel: str, message: Message, label: str) -> bool:
        try:
            delivery: Delivery = await self.harness.playground.person(person).click(channel, message["ts"], label=label)
        except NotThereError:
            return False
        await self.harness.playground.until(lambda: delivery.settled, PATIENCE)
        return True

    def _forget_look(self) -> None:
        """Forget that a claim was about to be made: the look has found nothing, so nothing is stored."""
        begun = self._counts[Boundary.CLAIMED, "before"]
        # Otherwise the look began before counting.
        if begun > self._counts[Boundary.CLAIMED, "after"]:
            self.met.remove(Point(boundary=Boundary.CLAIMED, number=begun, side="before"))
            self._counts[Boundary.CLAIMED, "before"] -= 1

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

    async def _is_settled(self) -> bool:
        if self._restart:
            await self._restart
        await self.harness.playground.until(self._is_acknowledged, PATIENCE)
        restart = self._restart
        return await nothing_waits(self.owner) and (restart is None or restart.done()) and self._is_quiet()

    def _is_acknowledged(self) -> bool:
        return all(one.settled for one in self.harness.playground.deliveries())

    def _is_quiet(self) -> bool:
        return self._is_acknowledged() and not self.harness.playground._slack.statuses


def kind_of(message: Message) -> str:
    """Return the kind of a message of the bot, in one word."""
    if is_open_card(message):
        return "open card"
    if "Stopped" in text_of(message):
        return "stopped card" if "Ask this again" in labels_of(message) else "stopped answer"
    if is_answer(message):
        return "answer"
    if "Ask this again" in labels_of(message):
        return "superseded card"
    text = text_of(message)
    kinds = {"still waits": "reminder", "Nobody answered": "expired card", " chose ": "answered card"}
    return next((kind for said, kind in kinds.items() if said in text), "something else")
