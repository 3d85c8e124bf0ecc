"""A village for each test, in a database of its own."""

from collections.abc import AsyncGenerator

import pytest

from bot.postgres.pool import Database
from tests.simulation.harness import Village


@pytest.fixture
async def village(database: Database, database_url: str) -> AsyncGenerator[Village]:
    """A village in which nothing has been said yet."""
    async with Village.open(database, database_url) as village:
        yield village
