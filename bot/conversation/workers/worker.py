"""The worker: slots that claim an item, run it, and end it in the transaction that stores the outcome.

A run holds no connection. Its claim lives as long as its process. The outcome and the end of the claim are committed
together, or not at all.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import structlog

from bot.conversation import store, transitions
from bot.conversation.items import ClaimedItem, Item, Surface
from bot.conversation.workers import burst_store, claim_store
from bot.conversation.workers.life import Life, WakeUp
from bot.conversation.workers.outages import AttemptRefunds, is_outage
from bot.conversation.workers.runs import Claimed, Runs
from bot.errors import ClaimLostError, RunOvertakenError
from bot.postgres.pool import Connection, Database
from graph.context import Clock

MEND_SECONDS = 0.5
GOODBYE_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class WorkerLimits:
    """How many items run at once, and for how long."""

    slots: int
    ceiling_seconds: float
    """The longest run."""
    patience_seconds: float = 20.0
    """How long runs may take to end after the worker is told to stop."""
    hesitation_seconds: float = 0.5
    """How long a run waits before it takes over another process's claim: if that process lives, it notices by then."""


class Handler(Protocol):
    """Does the work of an item."""

    def handle(self, claim: ClaimedItem) -> Awaitable[None]:
        """Run the item, and end its claim in the transaction that stores the outcome."""
        ...

    def give_up(self, claim: ClaimedItem) -> Awaitable[bool]:
        """Tell the person that the item has failed; return whether it was done after all, and its claim ended."""
        ...


class Worker:
    """A number of slots that work on one surface's items."""

    def __init__(
        self, database: Database, handler: Handler, clock: Clock, *, surface: Surface, limits: WorkerLimits
    ) -> None:
        self._database = database
        self._handler = handler
        self._clock = clock
        self._surface: Surface = surface
        self._limits = limits
        self._wake_up = WakeUp(limits.slots)
        self._runs = Runs()
        self.life = Life(self._runs, self._wake_up)
        self._refunds = AttemptRefunds(database)
        self._stopping = False
        self._suspects = asyncio.Lock()
        """Held by the one suspect that runs; a suspect may have killed its process."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Work until the context ends; then finish what runs, for 20 seconds at most. The rest runs again later."""
        async with self.life.lived(self._database, self._surface):
            slots = [
                asyncio.create_task(self._slot(), name=f"inbox-slot-{number}") for number in range(self._limits.slots)
            ]
            try:
                yield
            finally:
                await self._stop(slots)

    async def _stop(self, slots: list[asyncio.Task[None]]) -> None:
        self._stopping = True
        for _ in slots:
            self._wake_up.signal()
        _, unfinished = await asyncio.wait(slots, timeout=self._limits.patience_seconds)
        if self.life.number is None:
            # Calls that wait for their permit would wait for ever.
            self._runs.lose_claims()
        for slot in unfinished:
            slot.cancel()
        await asyncio.gather(*slots, return_exceptions=True)

    async def _slot(self) -> None:
        log = structlog.stdlib.get_logger()
        while not self._stopping:
            try:
                await self._work_off()
                await self._wake_up.wait()
            except Exception as error:  # noqa: BLE001 — a slot outlives a lost connection and a restarted database.
                log.warning("worker_error", error=type(error).__name__, reason=error)
                await asyncio.sleep(MEND_SECONDS)
                self._wake_up.signal()

    async def _work_off(self) -> None:
        finished = 0
        while not self._stopping and await self.work_one():
            finished += 1
            if finished > 1:
                # Each item woke one slot. This slot has done two, so another slot may have missed its item.
                self._wake_up.signal()

    async def work_one(self) -> bool:
        """Claim and run one item; return whether there was one."""
        claim = await self._claimed()
        if claim is None:
            return False
        if claim.is_takeover:
            # No notification tells of the other items that the dead process has left.
            self._wake_up.signal()
        with (
            structlog.contextvars.bound_contextvars(reference=claim.item.reference, thread=claim.item.thread_id),
            self._runs.held(claim.item.id) as claimed,
        ):
            try:
                if claim.has_company:
                    async with self._database.transaction() as connection:
                        claim = await burst_store.gathered(connection, claim, now=self._clock.now())
                # Runs beside the one that kills the process die with it, so each suspect runs without the others.
                async with self._suspects if claim.is_suspect else nullcontext():
                    await self._run(claim, claimed)
            except (Exception, asyncio.CancelledError) as error:
                await self._let_go(claim, error)
                raise
        return True

    async def _claimed(self) -> ClaimedItem | None:
        while self.life.number is not None:
            # If another process was faster, there may be more items.
            with suppress(ClaimLostError):
                async with self._database.connection() as connection:
                    return await self._claim_on(connection)
        return None

    async def _claim_on(self, connection: Connection) -> ClaimedItem | None:
        # Not earlier: to wait for a connection can take longer than the session of a process lasts.
        process = self.life.number
        if process is None:
            return None
        return await claim_store.claim(connection, surface=self._surface, process=process, now=self._clock.now())

    async def _let_go(self, claim: ClaimedItem, error: BaseException) -> None:
        """Release a claim that the run could not end, and refund the attempt after an outage or our stop."""
        if isinstance(error, asyncio.CancelledError):
            with suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE_SECONDS):
                    await self._refunds.let_go(claim)
        elif not await self._refunds.let_go(claim):
            structlog.get_logger().warning("claim_not_released")
            # The end of the session frees all claims, this one too.
            await self.life.hang_up()

    async def _run(self, claim: ClaimedItem, claimed: Claimed) -> None:
        """Run the item, and record the outcome."""
        if claim.item.attempt.is_one_too_many:
            claim = replace(claim, item=await self._refunds.reconsidered(claim.item))
        # No attempt is left, and nobody was told: runs killed their process, or could not show the failure.
        if claim.item.attempt.is_one_too_many or not await self._handle(claim, claimed):
            await self._fail(claim, claimed)

    async def _handle(self, claim: ClaimedItem, claimed: Claimed) -> bool:
        """Run the item once; return whether it is done, or runs again."""
        if claim.is_takeover:
            await asyncio.sleep(self._limits.hesitation_seconds)
        try:
            async with self._runs.bounded(claimed, self._limits.ceiling_seconds):
                await self._handler.handle(claim)
        except RunOvertakenError:
            # The item waits behind its change, which decides what happens to it.
            structlog.get_logger().info("run_overtaken")
            # The run was not at fault: late notifications, in however many processes, must not use up the attempts.
            await self._put_back(claim, transitions.given_back)
        except Exception as error:  # noqa: BLE001 — whatever broke the run, its item must be settled.
            return await self._runs_again(claim, error)
        return True

    async def _runs_again(self, claim: ClaimedItem, error: Exception) -> bool:
        """Store why a run has failed; return whether the item runs again: it does while attempts are left."""
        if is_outage(error):
            raise error
        structlog.stdlib.get_logger().warning("run_failed", attempt=claim.item.attempt.number, exc_info=error)
        async with self._database.transaction() as connection:
            await store.change(connection, [claim.item.id], transitions.broken_off, error=error, now=self._clock.now())
            if not claim.item.attempt.is_last:
                await claim_store.release(connection, claim)
        return not claim.item.attempt.is_last

    async def _fail(self, claim: ClaimedItem, claimed: Claimed) -> None:
        """Tell the person that the item has failed, and end it; if that cannot be told, try again later."""
        ending = transitions.failed
        try:
            # Bounded like a run, because it calls Slack like one.
            async with self._runs.bounded(claimed, self._limits.ceiling_seconds):
                if await self._handler.give_up(claim):
                    return
        except Exception as error:
            if is_outage(error):
                raise
            log = structlog.stdlib.get_logger()
            number = claim.item.attempt.number
            log.warning("failure_not_shown", attempt=number, error=type(error).__name__, reason=error)
            ending = transitions.untold
        await self._put_back(claim, partial(ending, now=self._clock.now()))

    async def _put_back(self, claim: ClaimedItem, transition: Callable[[Item], Item | None]) -> None:
        async with self._database.transaction() as connection:
            await store.change(connection, [claim.item.id], transition)
            await claim_store.release(connection, claim)
