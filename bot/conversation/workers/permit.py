"""Fencing: a run may call Slack only while it holds its claim.

A call may outlast its run. If the claim is lost, another process may call Slack for the item, so each call first asks
for the permit. While the process has no session, nobody knows whether the claim holds, and the call waits.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from bot.errors import PermitLostError


class Permit:
    """The permit of one run, and of all that it begins, to call Slack."""

    def __init__(self) -> None:
        self.is_lost = False
        self._is_sure = asyncio.Event()
        self._is_sure.set()

    def doubt(self) -> None:
        """Let calls wait until it is known whether the claim still holds."""
        self._is_sure.clear()

    def confirm(self) -> None:
        """Let calls go on: the claim still holds."""
        self._is_sure.set()

    def lose(self) -> None:
        """Refuse all further calls, also those that wait already."""
        self.is_lost = True
        self._is_sure.set()

    async def require(self) -> None:
        """Wait while the permit is in doubt; raise `PermitLostError` if it is lost."""
        await self._is_sure.wait()
        if self.is_lost:
            raise PermitLostError


_current: ContextVar[Permit | None] = ContextVar("permit", default=None)
"""Tasks inherit it, so that it holds for everything that a run has begun."""


@contextmanager
def taken() -> Generator[Permit]:
    """Give the context, and the tasks that begin in it, a permit of their own."""
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
