"""The worker: slots that claim an item, run it in one transaction, and settle it with that transaction.

A claim is a row lock. If the process dies, the database drops the connection, the lock and all the run wrote; the
item is claimable again at once. Nothing is renewed, leased or swept.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.conversation import store
from bot.conversation.connection_watch import HESITATION_SECONDS
from bot.conversation.items import Item, Surface
from bot.conversation.runs import Runs
from bot.conversation.schedule.pruning import MOST_CHECKPOINTS, Pruning
from bot.conversation.turns import burst_store
from bot.conversation.turns.bursts import burst, joined
from bot.conversation.turns.last_error import mishap_of
from bot.conversation.turns.outages import Forgiveness, is_outage
from bot.conversation.turns.retry import Attempt, GiveUp, TryAgain, decide, decide_last_words
from bot.conversation.wake_up import WakeUp, ringing
from bot.errors import RunOvertakenError
from bot.postgres.pool import Connection, Database
from graph.context import Clock

MEND_SECONDS = 0.5
PATIENCE_SECONDS = 20.0
"""How long what runs may take to finish once the worker is to stop."""
GOODBYE_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Handled:
    """What became of an item."""

    asking: bool
    """Whether the run waits for a person, and the card with its question is still to be posted."""
    has_moved: bool = False
    """Whether the item waits in another thread by now, to be answered there."""


class Handler(Protocol):
    """Does the work of an item."""

    def handle(self, item: Item, connection: Connection, *, attempt: Attempt) -> Awaitable[Handled]:
        """Run the item; everything it stores goes through the connection, whose transaction the worker ends."""
        ...

    def give_up(self, item: Item) -> Awaitable[bool]:
        """Tell the person that the item has failed; return whether, in spite of all, it was done."""
        ...


class Worker:
    """A number of slots that work on one surface's items."""

    def __init__(
        self, database: Database, handler: Handler, clock: Clock, *, surface: Surface, slots: int,
        ceiling_seconds: float, pruning: Pruning | None = None, patience_seconds: float = PATIENCE_SECONDS,
        hesitation_seconds: float = HESITATION_SECONDS,
    ) -> None:  # fmt: skip
        self._database = database
        self._handler = handler
        self._clock = clock
        self._surface: Surface = surface
        self._slots = slots
        self._ceiling_seconds = ceiling_seconds
        self._bell = WakeUp(slots)
        self._runs = Runs()
        self._forgiveness = Forgiveness(database)
        self._pruning = pruning
        self._patience_seconds = patience_seconds
        self._hesitation_seconds = hesitation_seconds
        self._stopping = False
        self._suspects = asyncio.Lock()
        """Held by the one item that runs of those that may have taken a process with them."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Work until the context ends; then finish what runs, for 20 seconds at most. The rest runs again later."""
        async with ringing(self._bell, self._runs, self._database, self._surface):
            slots = [asyncio.create_task(self._slot(), name=f"inbox-slot-{number}") for number in range(self._slots)]
            try:
                yield
            finally:
                await self._stop(slots)

    async def _stop(self, slots: list[asyncio.Task[None]]) -> None:
        self._stopping = True
        for _ in slots:
            self._bell.ring()
        _, unfinished = await asyncio.wait(slots, timeout=self._patience_seconds)
        for slot in unfinished:
            slot.cancel()
        await asyncio.gather(*slots, return_exceptions=True)

    async def _slot(self) -> None:
        log = structlog.stdlib.get_logger()
        while not self._stopping:
            try:
                await self._work_off()
                await self._bell.heard()
            except Exception as error:  # noqa: BLE001 — a slot outlives a lost connection and a restarted database.
                log.warning("slot_stumbled", error=type(error).__name__, reason=str(error))
                await asyncio.sleep(MEND_SECONDS)
                self._bell.ring()

    async def _work_off(self) -> None:
        finished = 0
        while not self._stopping and await self.work_one():
            finished += 1
            if finished > 1:
                # Each item has rung for itself; two in a row are more than one slot was rung for.
                self._bell.ring()

    async def work_one(self) -> bool:
        """Claim and settle one item; return whether there was one."""
        item = None
        try:
            async with self._database.transaction() as connection:
                item = await store.claim(connection, surface=self._surface, now=self._clock.now())
                if item is None:
                    return False
                with structlog.contextvars.bound_contextvars(reference=item.reference, thread=item.thread_id):
                    checkpoints = await self._settle(await self._whole(item, connection), connection)
        except (Exception, asyncio.CancelledError) as error:
            if item is not None:
                await self._forgive(item, error)
            raise
        if self._pruning and checkpoints > MOST_CHECKPOINTS:
            await self._pruning.prune(item.thread_id)
        return True

    async def _forgive(self, item: Item, error: BaseException) -> None:
        """Give the attempt back that an outage has cost the item, or we by stopping: restarts must not use them up."""
        if isinstance(error, asyncio.CancelledError):
            with suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE_SECONDS):
                    await self._forgiveness.forgive(item.id)
        elif is_outage(error):
            await self._forgiveness.forgive(item.id)

    async def _whole(self, item: Item, connection: Connection) -> Item:
        """Return a turn with what the same person has written behind it meanwhile, which is answered together."""
        if item.kind != "turn" or item.asking:
            return item
        newly = burst(item, await burst_store.behind(connection, item))
        if newly:
            # Apart from the run: whoever stops or changes one of them meanwhile is to find the turn that answers it.
            async with self._database.transaction(item.workspace) as apart:
                held = await burst_store.hold(apart, newly)
                # A change or a stop of one of them that came in this moment waits before it, and ends the burst there.
                still = [other for other in burst(item, await burst_store.behind(apart, item)) if other.id in held]
                await burst_store.join(apart, item, still, now=self._clock.now())
        return joined(item, await burst_store.joined_to(connection, item))

    async def _settle(self, item: Item, connection: Connection) -> int:
        """Run the item, and record what became of it; return how many checkpoints its thread has after a run."""
        if not await store.is_suspect(connection, item.id):
            return await self._try(item, connection)
        # What ran beside the one that is to blame died with it, and has to get its turn without it.
        async with self._suspects:
            return await self._try(item, connection)

    async def _try(self, item: Item, connection: Connection) -> int:
        async with self._database.connection() as apart:
            attempt = await store.begin_attempt(apart, item.id)
        if attempt.number > attempt.allowed:
            attempt = await self._forgiveness.reconsidered(item.id)
        if attempt.number > attempt.allowed:
            # Earlier runs took the process with them.
            await self._fail(item, connection, attempt)
            return 0
        if attempt.number > 1 or (item.is_an_order and await store.is_in_the_middle(connection, item)):
            await asyncio.sleep(self._hesitation_seconds)
        try:
            async with connection.transaction(), self._runs.bounded(item.id, self._ceiling_seconds, connection):
                handled = await self._handler.handle(item, connection, attempt=attempt)
        except RunOvertakenError:
            # It waits behind its change, which says what becomes of it.
            structlog.get_logger().info("run_overtaken")
            # Nor was the run at fault: what is heard late, in however many processes, must not use up the attempts.
            await store.allow_another_attempt(connection, item.id)
        except Exception as error:  # noqa: BLE001 — whatever broke the run, its item must be settled.
            await self._after_failure(item, connection, attempt, error)
        else:
            if handled.has_moved:
                return 0
            return await store.finish(connection, item.id, asking=handled.asking, now=self._clock.now())
        return 0

    async def _after_failure(self, item: Item, connection: Connection, attempt: Attempt, error: Exception) -> None:
        log = structlog.stdlib.get_logger()
        if is_outage(error):
            raise error
        log.warning("run_failed", attempt=attempt.number, exc_info=error)
        await store.record_mishap(connection, item.id, mishap_of(error), now=self._clock.now())
        decision = decide(attempt)
        if isinstance(decision, GiveUp):
            await self._fail(item, connection, attempt)
        else:
            await store.postpone(connection, item.id, until=self._clock.now() + decision.after)

    async def _fail(self, item: Item, connection: Connection, attempt: Attempt) -> None:
        try:
            # Bounded like a run: it speaks like one.
            async with self._runs.bounded(item.id, self._ceiling_seconds, connection):
                is_done = await self._handler.give_up(item)
            if is_done:
                await store.finish(connection, item.id, asking=False, now=self._clock.now())
                return
        except Exception as error:
            # What cannot even fail visibly must not stop its thread for ever.
            if is_outage(error):
                raise
            log = structlog.stdlib.get_logger()
            log.warning("failure_not_shown", attempt=attempt.number, error=type(error).__name__, reason=str(error))
            decision = decide_last_words(attempt)
            if isinstance(decision, TryAgain):
                await store.postpone(connection, item.id, until=self._clock.now() + decision.after)
                return
        await store.fail(connection, item.id, now=self._clock.now())
