"""The runs of this process, each of which ends at its ceiling, when its question was changed, or with its claim."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.database import Connection
from bot.errors import ClaimLostError, RunOvertakenError
from bot.inbox.lifeline import watched


@dataclass
class _Scope:
    """A run that goes on."""

    bound: asyncio.Timeout
    reason: Exception | None = None
    """Why it is ended before its time."""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, reason: Exception) -> None:
        if not self.bound.expired():
            self.reason = reason
            self.bound.reschedule(asyncio.get_running_loop().time())


class Runs:
    """What runs now, by the ids of the items."""

    def __init__(self) -> None:
        self._scopes: dict[int, _Scope] = {}

    @asynccontextmanager
    async def bounded(self, item_id: int, ceiling_seconds: float, claim: Connection) -> AsyncGenerator[None]:
        """Bound a run; raise `TimeoutError` at the ceiling, `RunOvertakenError` or `ClaimLostError` before it.

        Where the item still runs here, its connection is gone, for the database has given the claim to us: it is ended.
        """
        if earlier := self._scopes.get(item_id):
            earlier.end(ClaimLostError())
            await earlier.over.wait()
        scope = _Scope(asyncio.timeout(ceiling_seconds))
        self._scopes[item_id] = scope
        try:
            async with scope.bound, watched(claim, lambda: scope.end(ClaimLostError())):
                yield
        except TimeoutError as error:
            if scope.reason is not None:
                raise scope.reason from error
            raise
        finally:
            if self._scopes[item_id] is scope:
                del self._scopes[item_id]
            scope.over.set()

    def overtake(self, item_id: int) -> None:
        """End the item's run, where it is one of ours."""
        if scope := self._scopes.get(item_id):
            scope.end(RunOvertakenError())
