"""Whether a run ended because the database went away, which is no fault of its item."""

import asyncio
from typing import Final

import structlog
from psycopg import Error, InterfaceError, OperationalError
from psycopg_pool import PoolClosed, PoolTimeout

from bot.database import Database
from bot.errors import ClaimLostError
from bot.inbox import store

_CONNECTION: Final = "08"
_SHUTDOWNS: Final = frozenset({"57P01", "57P02", "57P03", "57P05"})
"""SQLSTATEs: the server ends connections, or takes none yet; a connection was idle for too long."""
TRIES: Final = 10
PAUSE_SECONDS: Final = 0.3


def is_outage(error: BaseException) -> bool:
    """Tell whether an error, or what it came from, is a lost connection rather than anything that a query did."""
    causes = (error.__cause__, None if error.__suppress_context__ else error.__context__)
    return _is_lost_connection(error) or any(is_outage(cause) for cause in causes if cause is not None)


async def forgive(database: Database, item_id: int) -> None:
    """Give the item an attempt for the one that an outage has cost; the database may just be coming back."""
    for _ in range(TRIES):
        try:
            async with database.connection() as connection:
                await store.allow_another_attempt(connection, item_id)
                return
        except Error:
            await asyncio.sleep(PAUSE_SECONDS)
    structlog.get_logger().warning("attempt_lost")


def _is_lost_connection(error: BaseException) -> bool:
    if isinstance(error, OperationalError):
        state = error.sqlstate
        return state is None or state.startswith(_CONNECTION) or state in _SHUTDOWNS
    return isinstance(error, (ClaimLostError, InterfaceError, PoolTimeout, PoolClosed))
