"""A process of the bot that a test can stop, and kill, between any two of its effects."""

import asyncio
import contextvars
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from psycopg import AsyncConnection, OperationalError

from bot.conversation.address import ChannelId, PersonId
from bot.conversation.asks.ask import USUAL, AskRules
from bot.conversation.asks.call_store import Write
from bot.conversation.asks.review_intake import ReviewIntake
from bot.conversation.intake import Intake
from bot.conversation.reconcile import Reconciler
from bot.conversation.schedule import Retention, ScheduledJobs
from bot.conversation.work import Engine
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.postgres.pool import Connection, Database, enter_workspace
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.review_listeners import ReviewListeners
from bot.slack.payloads import buttons
from bot.slack.people.people import AccountType, People
from bot.slack.people.reviewers import Reviewers
from bot.slack.presenter.output import SlackOutput
from bot.slack.review_channel import SlackReviewChannel
from graph.builder import compiled_graph
from graph.tools import ToolCall, ToolResult
from playground.state.clock import Clock
from playground.wire import Delivery, Json
from tests.simulation.local_slack import LocalMessenger, LocalSlack
from tests.simulation.models import TOOL, scripted_context
from tests.support.fakes import all_are
from tests.support.listening import bare_listeners

Owner: TypeAlias = AsyncConnection[dict[str, Any]]
ALWAYS_ASKED = AskRules(remember_for=timedelta())
REMIND_AFTER, EXPIRE_AFTER = timedelta(hours=4), timedelta(hours=24)
REVIEW_CHANNEL = "C0PEOPLE"
STANDSTILL_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Ways:
    """The settings of a simulation."""

    has_reviewers: bool = False
    remembers: bool = False
    """Whether preferences are assumed."""


class SlacksClock:
    """The local Slack's time as the bot's clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now(), UTC)


@dataclass
class Pause:
    """The moment at which a task stops: after a number of moments, or at the first of a name."""

    left: int
    name: str = ""
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    at: str = ""


_pause: contextvars.ContextVar[Pause | None] = contextvars.ContextVar("pause", default=None)


async def moment(name: str) -> None:
    """Stop here if the task is to stop at this moment."""
    pause = _pause.get()
    if pause is None or pause.reached.is_set():
        return
    pause.left -= 1
    if pause.left < 0 or name == pause.name:
        pause.at = name
        pause.reached.set()
        await pause.go_on.wait()


class WatchedDatabase(Database):
    """A database whose commits are moments, and whose connections end with their host."""

    def __init__(self, database: Database) -> None:
        super().__init__(database._pool, url=database.url, workspace="")
        self._lent: set[Connection] = set()
        self._is_alive = True
        self.failures: list[Exception] = []
        self.workspace = ""

    def fail_next(self, times: int, error: Exception) -> None:
        """Let the next transactions fail to begin."""
        self.failures = [error] * times

    @property
    def is_used_up(self) -> bool:
        """Whether a task waits in vain for a connection, because stopped tasks keep theirs."""
        now = self._pool.get_stats()
        return now["requests_waiting"] > 0 and now["pool_size"] >= now["pool_max"]

    def die(self) -> None:
        """Drop every connection, as the end of a process does."""
        self._is_alive = False
        for connection in self._lent:
            connection.pgconn.finish()

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        async with self._borrowed() as connection:
            await moment("before a statement")
            yield connection
        await moment("after a statement")

    @asynccontextmanager
    async def transaction(self, workspace: str | None = None) -> AsyncGenerator[Connection]:
        # A claim belongs to the workspace of the connection.
        name = "commit" if workspace else "claim"
        async with self._borrowed() as connection, connection.transaction():
            if workspace is not None:
                await enter_workspace(connection, workspace)
            yield connection
            await moment(f"before a {name}")
        await moment(f"after a {name}")

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Connection]:
        async with self._lent_from(super().session()) as connection:
            await moment("before a statement")
            yield connection
        await moment("after a statement")

    def _borrowed(self) -> AbstractAsyncContextManager[Connection]:
        return self._lent_from(self._loan())

    @asynccontextmanager
    async def _lent_from(self, source: AbstractAsyncContextManager[Connection]) -> AsyncGenerator[Connection]:
        if not self._is_alive:
            raise OperationalError("dead")
        if self.failures:
            raise self.failures.pop()
        async with source as connection:
            self._lent.add(connection)
            # The simulations share a pool, whose connections have no workspace.
            await connection.execute("SELECT set_config('askback.workspace', %s, false)", (self.workspace,))
            try:
                yield connection
            finally:
                self._lent.discard(connection)


class Everybody(People):
    """People who are all members, so that Slack is not asked."""

    async def account_type(self, person: PersonId) -> AccountType:
        return "member"


@dataclass(eq=False)
class Deed:
    """An action of a host, which a test may have stopped in the middle."""

    task: asyncio.Task[Any]
    pause: Pause
    delivery: Delivery | None = None

    @property
    def is_over(self) -> bool:
        return self.task.done()


class Host:
    """Receiver, worker and jobs of one workspace in one process."""

    def __init__(
        self, database: Database, slack: LocalSlack, *, parts: "Parts | None" = None, ways: Ways | None = None
    ) -> None:
        parts, ways = parts or Parts(), ways or Ways()
        self._slack = slack
        self.is_alive = True
        self.deeds: list[Deed] = []
        self.database = parts.database(database)
        name, clock = slack.workspace.team_id, SlacksClock(slack.clock)
        self.database.workspace = name
        surface = f"slack:{name}"
        self._messenger = LocalMessenger(slack, moment, lambda: self.is_alive)
        self._tasks = BackgroundTasks()
        intake = parts.intake(self.database, clock, workspace=name, surface=surface)
        people = Everybody(self._messenger, slack.identity)
        access_check = AccessCheck(people, self._messenger, self._tasks, clock)
        self._listeners = bare_listeners(intake, access_check)
        self._review_listeners = ReviewListeners(
            ReviewIntake(self.database, clock, workspace=name, expire_after=EXPIRE_AFTER, for_everyone=all_are),
            access_check,
            Reviewers("", self._messenger, channel=REVIEW_CHANNEL),
        )
        rules = replace(USUAL if ways.remembers else ALWAYS_ASKED, remind_after=REMIND_AFTER, expire_after=EXPIRE_AFTER)
        review_channel = SlackReviewChannel(self._messenger, ChannelId(REVIEW_CHANNEL)) if ways.has_reviewers else None
        engine = parts.engine(
            database=self.database,
            clock=clock,
            output=parts.stage(self._messenger, people),
            rules=rules,
            review_channel=review_channel,
            reviews_expire_after=EXPIRE_AFTER,
            graph=parts.graph(),
            context_of=lambda _item: scripted_context(clock, has_reviewers=ways.has_reviewers),
            writing_tools=self._writing_tools,
        )
        limits = WorkerLimits(slots=4, ceiling_seconds=600)
        self.worker = parts.worker(self.database, parts.answering(engine), clock, surface=surface, limits=limits)
        retention = Retention(checkpoints=timedelta(days=1))
        self.jobs = parts.jobs(self.database, clock, workspace=name, surface=surface, retention=retention)

    async def begin(
        self,
        what: Coroutine[Any, Any, Any],
        owner: Owner,
        *,
        pause_after: int | None = None,
        pause_at: str = "",
        delivery: Delivery | None = None,
    ) -> Deed:
        """Do something until it is over, or to where it is to stop, or as far as locks and connections let it.

        The owner of the database sees who waits for a lock.
        """
        pause = Pause(left=1_000_000 if pause_after is None else pause_after, name=pause_at)
        context = contextvars.copy_context()
        context.run(_pause.set, pause)
        deed = Deed(asyncio.create_task(what, context=context), pause, delivery)
        self.deeds.append(deed)
        await self._as_far_as_it_goes(deed, owner)
        return deed

    async def _as_far_as_it_goes(self, deed: Deed, owner: Owner) -> None:
        reached = asyncio.ensure_future(deed.pause.reached.wait())
        try:
            async with asyncio.timeout(STANDSTILL_SECONDS):
                while not (deed.is_over or reached.done()):
                    done, _ = await asyncio.wait(
                        {deed.task, reached}, timeout=0.05, return_when=asyncio.FIRST_COMPLETED
                    )
                    if not done and (self.database.is_used_up or await _waits_for_a_lock(owner)):
                        return
        except TimeoutError:
            tasks = "\n".join(f"{task.get_name()}: {' > '.join(_waits_in(task))}" for task in asyncio.all_tasks())
            raise AssertionError(f"{deed.task.get_name()} stands still:\n{tasks}") from None
        finally:
            reached.cancel()

    async def receive(self, delivery: Delivery) -> None:
        """Let a listener handle a delivery. Slack gets its acknowledgement when this returns."""
        payload = delivery.payload
        of_reviews = _name_of(payload).startswith(buttons.OF_REVIEWS)
        listeners = self._review_listeners if of_reviews else self._listeners.buttons
        match payload["type"]:
            case "event_callback":
                await self._hear(payload)
            case "block_actions":
                await listeners.act(payload)
            case _:
                await listeners.submit(payload)
        await self._tasks.finish()

    async def _hear(self, payload: Json) -> None:
        match payload["event"]["type"]:
            case "message" | "app_mention":
                await self._listeners.hear(payload)
            case "reaction_added" | "agent_session_stopped":
                await self._listeners.stop(payload)
            case _:
                await self._listeners.ignore(payload)

    async def _writing_tools(self) -> Write:
        await moment("before the tools are there")
        return self._create

    async def _create(self, call: ToolCall) -> ToolResult:
        """Call the tool that writes: what arrives there outlives this process."""
        await moment("before a call")
        title = call["arguments"]["title"]
        self._slack.created.append(title)
        await moment("after a call")
        return ToolResult(title=TOOL, text=f"Created {title}.")

    def overtake(self, items: Iterable[int]) -> None:
        """Receive notifications of changes."""
        for item in items:
            self.worker._runs.overtake(item)

    async def kill(self) -> list[Delivery]:
        """Die; return the deliveries in progress."""
        self.is_alive = False
        self.database.die()
        under_way = [deed for deed in self.deeds if not deed.is_over]
        for deed in under_way:
            deed.pause.go_on.set()
            deed.task.cancel()
        await asyncio.gather(*(deed.task for deed in under_way), return_exceptions=True)
        await asyncio.gather(*self._tasks._tasks, return_exceptions=True)
        self.deeds.clear()
        return [deed.delivery for deed in under_way if deed.delivery is not None]

    def forget_what_is_over(self) -> list[Deed]:
        """Forget the finished actions, and keep the others."""
        over = [deed for deed in self.deeds if deed.is_over]
        self.deeds = [deed for deed in self.deeds if not deed.is_over]
        return over


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts of a host. A mutant replaces one part with another that lacks its guard."""

    database: Callable[[Database], WatchedDatabase] = WatchedDatabase
    intake: Callable[..., Intake] = Intake
    engine: Callable[..., Engine] = Engine
    answering: Callable[[Engine], Reconciler] = Reconciler
    worker: Callable[..., Worker] = Worker
    stage: Callable[..., SlackOutput] = SlackOutput
    jobs: Callable[..., ScheduledJobs] = ScheduledJobs
    graph: Callable[[], Any] = compiled_graph


def _name_of(payload: Json) -> str:
    """Return the name of the button or modal of an interaction."""
    if payload["type"] == "block_actions":
        return payload["actions"][0]["action_id"]
    return payload.get("view", {}).get("callback_id", "")


def _waits_in(task: asyncio.Task[Any]) -> Iterator[str]:
    """Yield the frames in which a task waits, from the outside in."""
    waiting: Any = task.get_coro()
    while frame := getattr(waiting, "cr_frame", None) or getattr(waiting, "ag_frame", None):
        yield f"{frame.f_code.co_qualname}:{frame.f_lineno}"
        inner = getattr(waiting, "cr_await", None) or getattr(waiting, "ag_await", None)
        # Only a context manager itself knows what it waits for.
        waiting = getattr(frame.f_locals.get("self"), "gen", inner)


async def _waits_for_a_lock(owner: Owner) -> bool:
    cursor = await owner.execute(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return await cursor.fetchone() is not None
