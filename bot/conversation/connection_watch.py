"""A run's connection, watched: with it the run's claim ends, and then another may run the item already.

The run itself would notice only when it next asks the database for something, and until then speak in Slack with the
other. PostgreSQL tells who holds a connection nothing but that it is closed, and that only who looks.
"""

import asyncio
import select
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

from bot.postgres.pool import Connection

LOOK_SECONDS: Final = 0.2
HESITATION_SECONDS: Final = 0.5
"""How long a run, or an order, waits that follows a run which did not end: by then that one has noticed."""

_GONE: Final = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)
"""The other side has hung up; the last is Linux's word for having said its last."""


@asynccontextmanager
async def watched(connection: Connection, lost: Callable[[], None]) -> AsyncGenerator[None]:
    """Call `lost` soon after the server has hung up, while the context is open."""
    watching = asyncio.create_task(_watch(connection, lost), name="lifeline")
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def is_cut(connection: Connection) -> bool:
    """Tell whether the connection is of no use any more."""
    if connection.closed:
        return True
    looking = select.poll()
    looking.register(connection.fileno(), _GONE)
    return bool(looking.poll(0))


async def _watch(connection: Connection, lost: Callable[[], None]) -> None:
    while not is_cut(connection):  # noqa: ASYNC110 — the loop can watch a socket for one, and psycopg is the one.
        await asyncio.sleep(LOOK_SECONDS)
    lost()
