"""Who may speak: a run, for as long as its claim holds.

A call to Slack may wait long for its turn, and what is being said when a run ends is said to its end. If the claim is
lost, another may run the item by then and speak for it: so each call asks first whether its run still has the permit.
While the process has no session nobody knows, and the call waits.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from bot.errors import PermitLostError


class Permit:
    """The permit of one run, and of all that it begins, to call Slack."""

    def __init__(self) -> None:
        self._is_lost = False
        self._is_sure = asyncio.Event()
        self._is_sure.set()

    def doubt(self) -> None:
        """Let everything wait that is to be said, until it is known whether the claim still holds."""
        self._is_sure.clear()

    def confirm(self) -> None:
        """Let it be said: the claim still holds."""
        self._is_sure.set()

    def lose(self) -> None:
        """Let nothing more be said, though it waits for its turn already."""
        self._is_lost = True
        self._is_sure.set()

    async def require(self) -> None:
        """Wait while the permit is in doubt; raise `PermitLostError` if it is lost."""
        await self._is_sure.wait()
        if self._is_lost:
            raise PermitLostError


_current: ContextVar[Permit | None] = ContextVar("permit", default=None)
"""Tasks inherit it, so that it holds for whatever a run has begun."""


@contextmanager
def taken() -> Generator[Permit]:
    """Let what is done in the context, and in tasks begun there, speak with a permit of its own."""
    permit = Permit()
    token = _current.set(permit)
    try:
        yield permit
    finally:
        _current.reset(token)


async def require() -> None:
    """Raise `PermitLostError` if the current run has lost its permit; outside of runs none is needed."""
    if permit := _current.get():
        await permit.require()
