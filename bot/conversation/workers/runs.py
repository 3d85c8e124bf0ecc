"""The runs of this process: each ends at its ceiling, when its question is changed or stopped, or with its claim."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Collection, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Final

from bot.conversation.workers.permit import Permit, taken
from bot.errors import ClaimLostError, RunOvertakenError

REMEMBERED: Final = 256


@dataclass(eq=False)
class Claimed:
    """A claim of this process, from before its run until after it."""

    item_id: int
    permit: Permit
    bound: asyncio.Timeout | None = None
    """The bound of its run, while that goes on."""
    reason: Exception | None = None
    """Why its run was ended early."""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def begins_soon(self) -> bool:
        """Whether its run has still to begin."""
        return self.bound is None and not self.over.is_set() and not self.permit.is_lost

    def lose(self) -> None:
        """Lose the claim: a call to Slack that is under way does not end with the run."""
        self.permit.lose()
        self.end(ClaimLostError())

    def end(self, reason: Exception) -> None:
        """End its run, if that goes on."""
        if self.bound and not self.bound.expired():
            self.reason = reason
            self.bound.reschedule(asyncio.get_running_loop().time())


class Runs:
    """What this process has claimed, and what of it runs."""

    def __init__(self) -> None:
        self._claimed: list[Claimed] = []
        # A notification may come between the claim of its item and the run. Most are not about our items. If such an
        # item runs here much later, its run is ended once for nothing, and claimed again at once.
        self._not_running: deque[int] = deque(maxlen=REMEMBERED)
        self._is_doubted = False

    @contextmanager
    def held(self, item_id: int) -> Generator[Claimed]:
        """Note a claim while the context is open, also while its run has to wait."""
        with taken() as permit:
            claimed = Claimed(item_id, permit)
            if self._is_doubted:
                permit.doubt()
            self._claimed.append(claimed)
            try:
                yield claimed
            finally:
                self._claimed.remove(claimed)
                if self._is_doubted:
                    # Nobody confirms the permit of a run that is over.
                    permit.lose()

    @asynccontextmanager
    async def bounded(self, claimed: Claimed, ceiling_seconds: float) -> AsyncGenerator[None]:
        """Bound a run; raise `TimeoutError` at the ceiling, `RunOvertakenError` or `ClaimLostError` before it.

        If an earlier run of the item still goes on here, it has lost its claim to this one, and is ended.
        """
        if not claimed.permit.is_lost:
            await self._end_earlier(claimed.item_id)
        # Only now: the item may be changed, or the claim lost, while an earlier run comes to its end.
        if claimed.permit.is_lost:
            raise ClaimLostError
        if claimed.item_id in self._not_running:
            self._not_running.remove(claimed.item_id)
            raise RunOvertakenError
        claimed.over.clear()
        claimed.reason = None
        try:
            async with asyncio.timeout(ceiling_seconds) as claimed.bound:
                yield
        except TimeoutError as error:
            if claimed.reason is not None:
                raise claimed.reason from error
            raise
        finally:
            claimed.bound = None
            claimed.over.set()

    def overtake(self, item_id: int) -> None:
        """End the item's run, if it goes on here or begins here soon."""
        for claimed in (running := self._running(item_id)):
            claimed.end(RunOvertakenError())
        # Beside a run that has lost its claim, the one that took it over may wait to begin.
        is_waiting = any(claimed.item_id == item_id and claimed.begins_soon for claimed in self._claimed)
        if (is_waiting or not running) and item_id not in self._not_running:
            # Once, however many notifications come: each entry ends a run, and an item has few attempts.
            self._not_running.append(item_id)

    @property
    def items(self) -> list[int]:
        """The items that this process has claimed: they run, or wait to run."""
        return [claimed.item_id for claimed in self._claimed]

    def doubt_claims(self) -> None:
        """Let all runs here wait before they call Slack, until their claims are confirmed or lost."""
        self._is_doubted = True
        for claimed in self._claimed:
            claimed.permit.doubt()

    def confirm_claims(self) -> None:
        """Let the runs here call Slack again."""
        self._is_doubted = False
        for claimed in self._claimed:
            claimed.permit.confirm()

    def lose_claims(self, *, but: Collection[int] = ()) -> None:
        """End the runs here, and let them call Slack no more, except those whose claims still hold."""
        for claimed in self._claimed:
            if claimed.item_id not in but:
                claimed.lose()

    async def _end_earlier(self, item_id: int) -> None:
        for earlier in self._running(item_id):
            earlier.lose()
            await earlier.over.wait()

    def _running(self, item_id: int) -> list[Claimed]:
        return [claimed for claimed in self._claimed if claimed.item_id == item_id and claimed.bound]
