"""The inbox without a graph: the real database, the real claims, and a handler that only sleeps."""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import psycopg

from benchmarks.databases import as_app, let_serve
from bot import runtime
from bot.app import CONNECTIONS
from bot.clock import SystemClock
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Message
from bot.conversation.items import ClaimedItem
from bot.conversation.workers import claim_store
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.logs import configure_logs
from bot.postgres import embedded
from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from graph.turn import Turn

SLOTS = 8
PEOPLE, MESSAGES_A_THREAD = 50, 5


@contextmanager
def bare_database() -> Generator[str]:
    """Serve an empty migrated database, whose commits are flushed to disk as usual."""
    with tempfile.TemporaryDirectory(prefix="askback-") as folder:
        Path(folder).chmod(0o755)  # If we are root, the server runs as another account.
        with embedded.running(Path(folder) / "server") as url:
            let_serve(url)
            migrate(url)
            yield url


@asynccontextmanager
async def opened(url: str, *, workspace: str = "bare") -> AsyncGenerator[Database]:
    """Open the database as a process does."""
    async with Database.open(as_app(url), size=CONNECTIONS, workspace=workspace) as database:
        yield database


@dataclass
class Handler:
    """Sleeps for each item, and records it."""

    seconds: float = 0.0
    database: Database = field(init=False)
    """The worker's surface."""
    done: dict[str, list[Ts]] = field(default_factory=dict[str, list[Ts]])
    """The items by thread, in order."""
    ended: dict[str, float] = field(default_factory=dict[str, float])
    """The time of each item, by the message's ts."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def handle(self, claim: ClaimedItem) -> None:
        """Take the time."""
        await asyncio.sleep(self.seconds)
        async with self.database.transaction() as connection:
            await claim_store.end(connection, claim, now=datetime.now(UTC))
        item = claim.item
        self.done.setdefault(item.thread_id, []).append(item.address.message_ts)
        self.ended[item.address.message_ts] = time.perf_counter()
        async with self.changed:
            self.changed.notify_all()

    async def give_up(self, claim: ClaimedItem) -> bool:
        """Refuse: nothing fails here."""
        raise AssertionError(claim)

    async def until(self, count: int) -> None:
        """Wait until this many items are done."""
        async with self.changed:
            await self.changed.wait_for(lambda: len(self.ended) >= count)

    @property
    def per_second(self) -> float:
        """Return the items a second, without the first and the last tenth."""
        tenth = len(self.ended) // 10
        times = sorted(self.ended.values())[tenth:-tenth]
        return (len(times) - 1) / (times[-1] - times[0])

    @property
    def out_of_order(self) -> int:
        """Return the number of items that were done after a later one, or twice."""
        steps = (pair for thread in self.done.values() for pair in pairwise(thread))
        return sum(float(earlier) >= float(later) for earlier, later in steps)


def worker(database: Database, handler: Handler, *, surface: str = "bare", slots: int = SLOTS) -> Worker:
    """Return a real worker for the handler."""
    handler.database = database
    limits = WorkerLimits(slots=slots, ceiling_seconds=60)
    return Worker(database, handler, SystemClock(), surface=surface, limits=limits)


def message(number: int, *, person: str = "U1", thread: str | None = None) -> Message:
    """Return a question, by default in a new thread."""
    ts = Ts(f"{1_000_000 + number}.000001")
    address = Address(
        team=TeamId("T"),
        channel=ChannelId("C"),
        thread_ts=Ts(thread or ts),
        message_ts=ts,
        person=PersonId(person),
        person_team=TeamId("T"),
    )
    turn = Turn(question=f"Question {number}?", asker=person, addressed=True)
    return Message(event_key=f"Ev{number}", message_key=f"C:{ts}", address=address, turn=turn)


def fill(url: str, count: int, *, first: int = 0, surface: str = "bare", workspace: str = "bare") -> None:
    """Store this many messages of fifty people, who take turns, in threads of five messages without bursts."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(
            """
            INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, message_key, address, content,
                               person, rank, due_at, reference, received_at)
            SELECT %(surface)s, %(workspace)s, %(workspace)s || n / %(a_thread)s, 1000000 + n, 'turn', 'Ev' || n,
                   'C:' || n, jsonb_build_object(
                       'team', 'T', 'channel', 'C', 'thread_ts', 't' || n / %(a_thread)s,
                       'message_ts', (1000000 + n)::text, 'person', 'U' || n %% %(people)s, 'person_team', 'T'
                   ), jsonb_build_object(
                       'question', 'Question ' || n, 'asker', 'U' || n %% %(people)s, 'addressed', true,
                       'mentions_others', false, 'earlier', '[]'::jsonb, 'unread', '[]'::jsonb,
                       'mode', 'conversational'
                   ), 'U' || n %% %(people)s, n / %(people)s, 'epoch', 'R' || n, now()
            FROM generate_series(%(first)s::int, %(first)s + %(count)s - 1) AS n
            """,
            {
                "surface": surface,
                "workspace": workspace,
                "count": count,
                "first": first,
                "people": PEOPLE,
                "a_thread": MESSAGES_A_THREAD,
            },
        )
        owner.execute("SELECT pg_notify('askback_inbox', %s)", (surface,))


def empty(url: str) -> None:
    """Delete all items."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("TRUNCATE inbox CASCADE")


async def main(url: str, surface: str, seconds: float) -> None:
    """Work on a surface until killed, in a child process."""
    async with (
        opened(url, workspace=surface) as database,
        worker(database, Handler(seconds), surface=surface).running(),
    ):
        await asyncio.Event().wait()


if __name__ == "__main__":
    configure_logs("console", "error")
    runtime.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
