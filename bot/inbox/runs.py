"""The runs of this process, each of which ends at its ceiling, or at once when its question was changed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.errors import RunOvertakenError


class Runs:
    """What runs now, by the ids of the items."""

    def __init__(self) -> None:
        self._scopes: dict[int, asyncio.Timeout] = {}
        self._overtaken: set[int] = set()

    @asynccontextmanager
    async def bounded(self, item_id: int, ceiling_seconds: float) -> AsyncGenerator[None]:
        """Bound a run; raise `TimeoutError` at the ceiling and `RunOvertakenError` where it was overtaken."""
        try:
            async with asyncio.timeout(ceiling_seconds) as scope:
                self._scopes[item_id] = scope
                yield
        except TimeoutError as error:
            if item_id in self._overtaken:
                raise RunOvertakenError from error
            raise
        finally:
            del self._scopes[item_id]
            self._overtaken.discard(item_id)

    def overtake(self, item_id: int) -> None:
        """End the item's run, where it is one of ours."""
        scope = self._scopes.get(item_id)
        if scope is not None and not scope.expired():
            self._overtaken.add(item_id)
            scope.reschedule(asyncio.get_running_loop().time())
