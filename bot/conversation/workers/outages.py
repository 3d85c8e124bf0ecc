"""Whether a run ended because the database went away, which is not its item's fault."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Final

from psycopg import Error, InterfaceError, OperationalError
from psycopg_pool import PoolClosed, PoolTimeout

from bot.conversation import store, transitions
from bot.conversation.items import ClaimedItem, Item
from bot.conversation.workers import claim_store
from bot.errors import ClaimLostError, PermitLostError
from bot.postgres.pool import Database

_CONNECTION: Final = "08"
_SHUTDOWNS: Final = frozenset({"57P01", "57P02", "57P03", "57P05"})
"""SQLSTATEs: the server ends connections, or takes none yet; a connection was idle for too long."""
TRIES: Final = 10
PAUSE_SECONDS: Final = 0.3
ELSEWHERE_SECONDS: Final = 2.0


def is_outage(error: BaseException) -> bool:
    """Tell whether an error or its cause is a lost connection, and not the fault of a query."""
    causes = (error.__cause__, None if error.__suppress_context__ else error.__context__)
    return _is_lost_connection(error) or any(is_outage(cause) for cause in causes if cause is not None)


class AttemptRefunds:
    """Refunds the attempts that outages have cost."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._under_way = Counter[int]()

    async def let_go(self, claim: ClaimedItem) -> bool:
        """Release a claim and refund its attempt after an outage, while the database may be coming back.

        Return whether that was stored.
        """
        self._under_way[claim.item.id] += 1
        try:
            for _ in range(TRIES):
                try:
                    # Together, or a repeat would refund again what was not released.
                    async with self._database.transaction() as connection:
                        await store.change(connection, [claim.item.id], transitions.given_back)
                        with suppress(ClaimLostError):
                            await claim_store.release(connection, claim)
                        return True
                except Error:
                    await asyncio.sleep(PAUSE_SECONDS)
            return False
        finally:
            self._under_way[claim.item.id] -= 1

    async def reconsidered(self, item: Item) -> Item:
        """Return an item whose attempts count once nothing more is given back, here or, for a moment, elsewhere.

        A claim is free as soon as its connection is cut, so others may run the item before the attempt was given back.
        """
        await asyncio.sleep(ELSEWHERE_SECONDS)
        while self._under_way[item.id]:  # noqa: ASYNC110 — it is seldom, and nobody is in a hurry.
            await asyncio.sleep(PAUSE_SECONDS)
        async with self._database.connection() as connection:
            stored = await store.item_by_id(connection, item.id)
        return replace(item, attempts=stored.attempts, attempts_allowed=stored.attempts_allowed)


def _is_lost_connection(error: BaseException) -> bool:
    if isinstance(error, OperationalError):
        state = error.sqlstate
        return state is None or state.startswith(_CONNECTION) or state in _SHUTDOWNS
    return isinstance(error, (ClaimLostError, PermitLostError, InterfaceError, PoolTimeout, PoolClosed))
