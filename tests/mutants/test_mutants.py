"""A guard is needed only if something breaks without it: each scenario breaks without its guard."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

import psycopg
import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from bot.postgres.pool import Connection, Database, prepare
from tests.mutants import scenarios
from tests.mutants.guards import GUARDS, Guard
from tests.simulation.harness import Simulation
from tests.support.databases import as_app

IN_VAIN_SECONDS = 12.0
"""Time to wait for a result that a mutant never produces."""


class Altered(AsyncConnection[DictRow]):
    """A connection that replaces a part of a statement."""

    alterations: tuple[tuple[str, str], ...] = ()
    times = 0

    async def execute(self, query: Any, params: Any = None, **given: Any) -> Any:
        for said, instead in self.alterations:
            if said and isinstance(query, str) and said in query:
                type(self).times += 1
                query = query.replace(said, instead)
        return await super().execute(cast("Any", query), params, **given)


@asynccontextmanager
async def altered(url: str, kind: type[Altered]) -> AsyncGenerator[Database]:
    """Open a database through such connections."""
    pool = AsyncConnectionPool[Connection](
        url,
        connection_class=kind,
        min_size=1,
        max_size=20,
        open=False,
        configure=partial(prepare, workspace="nobody"),
        kwargs={"row_factory": dict_row},
    )
    async with pool:
        yield Database(pool, url=url, workspace="nobody")


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
async def test_with_the_guard_all_is_well(guard: Guard, database: Database, database_url: str) -> None:
    async with Simulation.open(database, database_url, parts=guard.behind) as simulation:
        assert [] == await guard.scenario(simulation)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
async def test_without_the_guard_the_same_breaks(
    guard: Guard, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scenarios, "PATIENCE_SECONDS", IN_VAIN_SECONDS)

    class Here(Altered):
        alterations = (guard.sql, guard.other_net)

    if guard.schema:
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute(guard.schema)  # pyright: ignore[reportArgumentType, reportCallIssue]
    async with (
        altered(as_app(database_url), Here) as database,
        Simulation.open(database, database_url, parts=guard.parts) as simulation,
    ):
        assert await guard.scenario(simulation)
        assert Here.times or not guard.sql[0], "the statement reads otherwise now: so must the mutant"
