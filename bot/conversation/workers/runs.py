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


@dataclass
class _Scope:
    """A run that goes on."""

    bound: asyncio.Timeout
    permit: Permit
    reason: Exception | None = None
    """Why it was ended early."""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def lose_claim(self) -> None:
        # A call to Slack that is under way does not end with the run.
        self.permit.lose()
        self.end(ClaimLostError())

    def end(self, reason: Exception) -> None:
        if not self.bound.expired():
            self.reason = reason
            self.bound.reschedule(asyncio.get_running_loop().time())


@dataclass(eq=False)
class _Held:
    """A claim of this process, from before its run until after it."""

    item_id: int
    is_lost: bool = False


class Runs:
    """What runs now, by the ids of the items."""

    def __init__(self) -> None:
        self._scopes: dict[int, _Scope] = {}
        self._held: set[_Held] = set()
        # A notification may come between the claim of its item and the run. Most are not about our items. If such an
        # item runs here much later, its run is ended once for nothing, and claimed again at once.
        self._not_running: deque[int] = deque(maxlen=REMEMBERED)
        self._is_doubted = False

    @contextmanager
    def held(self, item_id: int) -> Generator[None]:
        """Note a claim while the context is open, also while its run has to wait."""
        held = _Held(item_id)
        self._held.add(held)
        try:
            yield
        finally:
            self._held.remove(held)

    @asynccontextmanager
    async def bounded(self, item_id: int, ceiling_seconds: float) -> AsyncGenerator[None]:
        """Bound a run; raise `TimeoutError` at the ceiling, `RunOvertakenError` or `ClaimLostError` before it.

        If an earlier run of the item still goes on here, it has lost its claim to this one, and is ended.
        """
        if item_id in self._not_running:
            self._not_running.remove(item_id)
            raise RunOvertakenError
        if any(held.is_lost for held in self._held if held.item_id == item_id):
            raise ClaimLostError
        if earlier := self._scopes.get(item_id):
            earlier.lose_claim()
            await earlier.over.wait()
        with taken() as permit:
            if self._is_doubted:
                permit.doubt()
            async with self._within(_Scope(asyncio.timeout(ceiling_seconds), permit), item_id):
                yield

    @asynccontextmanager
    async def _within(self, scope: _Scope, item_id: int) -> AsyncGenerator[None]:
        self._scopes[item_id] = scope
        try:
            async with scope.bound:
                yield
        except TimeoutError as error:
            if scope.reason is not None:
                raise scope.reason from error
            raise
        finally:
            if self._scopes[item_id] is scope:
                del self._scopes[item_id]
            if self._is_doubted:
                # Nobody confirms the permit of a run that is over.
                scope.permit.lose()
            scope.over.set()

    def overtake(self, item_id: int) -> None:
        """End the item's run, if it goes on here or begins here soon."""
        if scope := self._scopes.get(item_id):
            scope.end(RunOvertakenError())
        elif item_id not in self._not_running:
            # Once, however many notifications come: each entry ends a run, and an item has few attempts.
            self._not_running.append(item_id)

    @property
    def items(self) -> list[int]:
        """The items that this process has claimed: they run, or wait to run."""
        return [held.item_id for held in self._held]

    def doubt_claims(self) -> None:
        """Let all runs here wait before they call Slack, until their claims are confirmed or lost."""
        self._is_doubted = True
        for scope in self._scopes.values():
            scope.permit.doubt()

    def confirm_claims(self) -> None:
        """Let the runs here call Slack again."""
        self._is_doubted = False
        for scope in self._scopes.values():
            scope.permit.confirm()

    def lose_claims(self, *, but: Collection[int] = ()) -> None:
        """End the runs here, and let them call Slack no more, except those whose claims still hold."""
        for held in self._held:
            held.is_lost = held.is_lost or held.item_id not in but
        for item_id, scope in self._scopes.items():
            if item_id not in but:
                scope.lose_claim()
