"""A whole workspace in one process: people, Slack, a database, and hosts that stop, die and come back."""

import asyncio
import io
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from psycopg import Notify
from psycopg.rows import dict_row
from rich.console import Console

from bot.cli.administration import Administration
from bot.cli.inbox.inspection import drop_entry, retry_entry
from bot.conversation.workers.claim_store import LIVES
from bot.postgres.pool import Database
from bot.settings import Settings
from playground import SlackError
from playground.protocol.interactions import NotThereError, state_values, view_submission
from playground.wire import Delivery, Json
from tests.simulation.host import REVIEW_CHANNEL, Host, Owner, Parts, SlacksClock, Ways
from tests.simulation.local_slack import LocalSlack

CHANNEL = "C0SUPPORT"
PEOPLE = ("U0ADA", "U0BEN")
ASKED = ("turn", "reply", "revision")
"""The kinds of items that ask something."""
MOST_ROUNDS = 300
"""The most steps for finishing all items. More steps mean an endless loop."""

_numbers = count(1)


@dataclass
class Simulation:
    """The state of a simulation, and the actions in progress."""

    database: Database
    database_url: str
    owner: Owner
    parts: Parts = field(default_factory=Parts)
    ways: Ways = field(default_factory=Ways)
    slack: LocalSlack = field(default_factory=lambda: LocalSlack(f"T{next(_numbers)}"))
    hosts: list[Host] = field(default_factory=list[Host])
    carried: list[Delivery] = field(default_factory=list[Delivery])
    """Acknowledged events, which Slack may send again."""
    changed: list[int] = field(default_factory=list[int])
    """Changed items of which no host has been notified yet."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: Database,
        database_url: str,
        *,
        hosts: int = 2,
        parts: Parts | None = None,
        ways: Ways | None = None,
    ) -> "AsyncGenerator[Simulation]":
        """Start a simulation in a database, which others may share."""
        async with await Owner.connect(database_url, autocommit=True, row_factory=dict_row) as owner:
            simulation = cls(database, database_url, owner, parts or Parts(), ways or Ways())
            owner.add_notify_handler(simulation._note)
            await owner.execute("LISTEN askback_changes")
            simulation.hosts = [simulation.new_host() for _ in range(hosts)]
            try:
                yield simulation
            finally:
                for host in simulation.hosts:
                    await host.kill()

    @asynccontextmanager
    async def beside(self) -> "AsyncGenerator[Simulation]":
        """Start another simulation in the same database."""
        async with self.open(self.database, self.database_url, parts=self.parts) as other:
            yield other

    @property
    def workspace(self) -> str:
        """The workspace's name."""
        return self.slack.workspace.team_id

    @property
    def messages(self) -> dict[str, Json]:
        """The messages in the channel, by ts."""
        return self.slack.workspace.channels[CHANNEL].messages

    @property
    def ours(self) -> list[Json]:
        """The bot's messages in the channel that are not deleted."""
        return [one for one in self.messages.values() if one.get("user") == self.slack.workspace.bot_user_id]

    @property
    def review_channel(self) -> dict[str, Json]:
        """The messages in the review channel, by ts."""
        return self.slack.workspace.channels[REVIEW_CHANNEL].messages

    @property
    def shown(self) -> list[Json]:
        """All messages that people see, in both channels."""
        return [*self.messages.values(), *self.review_channel.values()]

    @property
    def letters(self) -> list[Delivery]:
        """The deliveries that wait for the bot, in order."""
        return self.slack.sockets.letters

    def new_host(self) -> Host:
        """Start another process."""
        return Host(self.database, self.slack, parts=self.parts, ways=self.ways)

    async def say(self, text: str, *, person: str = PEOPLE[0], root: str | None = None, mention: bool = True) -> str:
        """Write a message; return its ts."""
        who = self.slack.playground.person(person)
        return await who.post(CHANNEL, text, thread_ts=root, mention_bot=mention)

    async def edit(self, ts: str, text: str, *, mention: bool) -> None:
        """Edit a message as its author."""
        said = f"<@{self.slack.workspace.bot_user_id}> {text}" if mention else text
        await self.slack.playground.person(self.messages[ts]["user"]).edit(CHANNEL, ts, said)

    async def delete(self, ts: str) -> None:
        """Delete a message as its author."""
        await self.slack.playground.person(self.messages[ts]["user"]).delete(CHANNEL, ts)

    async def click(self, shown: Json, *, person: str = PEOPLE[0], **name: str) -> bool:
        """Press a button of a message as a person sees it, perhaps before the latest change."""
        channel = REVIEW_CHANNEL if shown["ts"] in self.review_channel else CHANNEL
        there = self.slack.workspace.channels[channel].messages
        now = there.get(shown["ts"])
        if now is None:
            return False
        there[shown["ts"]] = shown
        try:
            await self.slack.playground.person(person).click(channel, shown["ts"], **name)
        except (NotThereError, SlackError):
            return False
        finally:
            there[shown["ts"]] = now
        return True

    def submit(self, view: Json, values: Json) -> None:
        """Submit a modal as the person who sees it."""
        self.slack.views.pop(view["id"])
        person = self.slack.workspace.members[view["shown_to"]]
        entered = state_values(view, values)
        trigger_id = self.slack.triggers.give_trigger(person.id)
        self.slack.deliver(view_submission(self.slack.workspace, person, view, values=entered, trigger_id=trigger_id))

    async def stop(self, root: str, *, person: str = PEOPLE[0]) -> None:
        """Press Slack's Stop in a thread."""
        await self.slack.playground.person(person).stop(CHANNEL, root)

    async def react(self, ts: str, name: str = "octagonal_sign", *, person: str = PEOPLE[0]) -> None:
        """Add a reaction to a message, at most once."""
        with suppress(SlackError):
            await self.slack.playground.person(person).react(CHANNEL, ts, name)

    async def drop(self, which: int, kinds: Sequence[str] = ASKED) -> bool:
        """Let an administrator drop an unfinished question; return whether there was one."""
        references = await self._references("waiting", "asking", "failed", kinds=kinds)
        return bool(references) and await drop_entry(
            self._administration, pick(references, which), why="Enough.", is_sure=True
        )

    async def retry(self, which: int) -> bool:
        """Let an administrator retry an unanswered question; return whether it will run."""
        references = await self._references("failed", "dropped", "stopped")
        return bool(references) and await retry_entry(self._administration, pick(references, which))

    async def carry(self, letter: Delivery, host: Host, *, pause_after: int | None = None, pause_at: str = "") -> None:
        """Deliver a payload to a host."""
        if letter in self.letters:
            self.letters.remove(letter)
        await host.begin(host.receive(letter), self.owner, pause_after=pause_after, pause_at=pause_at, delivery=letter)
        await self._look_after(host)

    async def carry_all(self, host: Host) -> None:
        """Deliver all waiting payloads to a host."""
        for letter in list(self.letters):
            await self.carry(letter, host)

    async def work(self, host: Host, *, pause_after: int | None = None, pause_at: str = "") -> None:
        """Let a slot of a host claim and handle an item."""
        await self.live(host)
        await host.begin(host.worker.work_one(), self.owner, pause_after=pause_after, pause_at=pause_at)
        await self._look_after(host)

    async def live(self, host: Host) -> None:
        """Open the session that keeps a host's claims, unless it is open."""
        if host.worker.life.number is None:
            host.worker.life.begin(await host.worker.life.numbered(self.owner))

    async def cut_off(self, host: Host) -> None:
        """Let the server close a host's session without the host noticing yet."""
        await self.rows("SELECT pg_advisory_unlock(%(lives)s, %(number)s)", lives=LIVES, number=host.worker.life.number)

    async def job(self, host: Host, *, pause_after: int | None = None, pause_at: str = "") -> None:
        """Run the jobs that remind and expire."""

        async def jobs() -> None:
            await host.jobs.remind()
            await host.jobs.expire()

        await host.begin(jobs(), self.owner, pause_after=pause_after, pause_at=pause_at)
        await self._look_after(host)

    async def hear_of_changes(self, host: Host) -> None:
        """Notify a host of changed questions, and let it cancel outdated runs."""
        await self._listen()
        host.overtake(self.changed)
        for _ in range(20):
            await asyncio.sleep(0)
        await self._look_after(host)

    async def kill(self, host: Host) -> None:
        """Kill a host, and start another in its place. Slack repeats unacknowledged deliveries, except clicks."""
        await self.cut_off(host)
        under_way = await host.kill()
        self.letters.extend(letter for letter in under_way if letter.kind == "events_api")
        self.hosts[self.hosts.index(host)] = self.new_host()

    async def fail_for_good(self, error: str = "internal_error") -> None:
        """Let the next item fail as often as it may, until it shows its failure."""
        for method in ("chat.startStream", "chat.postMessage", "chat.update"):
            self.slack.faults.fail(method, error, times=99)
        for _attempt in range(3):
            await self.work(self.hosts[0])
            self.slack.clock.advance(10.0)
        self.slack.faults.clear()
        await self.work(self.hosts[0])

    async def settle(self) -> None:
        """Run until nothing is in progress: no fault lasts for ever."""
        self.slack.faults.clear()
        for _ in range(MOST_ROUNDS):
            await self._let_go_on()
            while self.letters:
                await self.carry(self.letters[0], self.hosts[0])
            await self.hear_of_changes(self.hosts[0])
            await self.hear_of_changes(self.hosts[-1])
            self.changed.clear()
            # A failed item is retried after a pause.
            self.slack.clock.advance(5.0)
            await self.job(self.hosts[0])
            if not await self.waiting() and not self.letters:
                return
            await self.work(self.hosts[0])
        raise AssertionError(f"Something goes round in circles: {await self.rows('SELECT * FROM inbox')}")

    async def pass_days(self) -> None:
        """Let every deadline pass, and the deadlines that follow from them, such as that of a review."""
        for _ in range(2):
            self.slack.clock.advance(3 * 24 * 3600.0)
            await self.settle()

    async def rows(self, query: str, **given: Any) -> list[dict[str, Any]]:
        """Query the database as its owner; `%(workspace)s` is the simulation's."""
        cursor = await self.owner.execute(query, {"workspace": self.workspace, **given})  # pyright: ignore[reportArgumentType]
        return await cursor.fetchall()

    async def waiting(self) -> list[dict[str, Any]]:
        """Return the unfinished items."""
        return await self.rows(
            "SELECT * FROM inbox WHERE workspace = %(workspace)s AND status IN ('waiting', 'asking')"
        )

    @property
    def _administration(self) -> Administration:
        settings, console = Settings(workspace=self.workspace), Console(file=io.StringIO())
        return Administration(
            database=self.database, settings=settings, console=console, clock=SlacksClock(self.slack.clock)
        )

    async def _references(self, *statuses: str, kinds: Sequence[str] = ASKED) -> list[str]:
        rows = await self.rows(
            "SELECT reference FROM inbox WHERE workspace = %(workspace)s AND status = ANY(%(statuses)s)"
            " AND kind = ANY(%(kinds)s) ORDER BY position, id",
            statuses=list(statuses),
            kinds=list(kinds),
        )
        return [row["reference"] for row in rows]

    async def _let_go_on(self) -> None:
        for host in self.hosts:
            for deed in host.deeds:
                deed.pause.go_on.set()
        under_way = [deed.task for host in self.hosts for deed in host.deeds]
        if under_way:
            await asyncio.wait(under_way, timeout=60)
        for host in self.hosts:
            await self._look_after(host)

    async def _look_after(self, host: Host) -> None:
        """Clean up after finished actions: an unacknowledged event is delivered again."""
        for deed in host.forget_what_is_over():
            broke = deed.task.cancelled() or deed.task.exception() is not None
            if deed.delivery is None:
                continue
            if not broke:
                self.carried.append(deed.delivery)
            elif deed.delivery.kind == "events_api":
                self.letters.append(deed.delivery)

    async def _listen(self) -> None:
        # PostgreSQL notifies in the order of commits, so all earlier notifications come before ours.
        await self.owner.execute("NOTIFY askback_changes")

    def _note(self, changed: Notify) -> None:
        if changed.payload:
            self.changed.append(int(changed.payload))


def pick(options: list[Any], number: int) -> Any:
    """Return one of the options, by any number."""
    return options[number % len(options)]
