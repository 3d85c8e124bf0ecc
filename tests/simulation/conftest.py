"""A simulation for each test, in a database of its own."""

from collections.abc import AsyncGenerator

import pytest

from bot.postgres.pool import Database
from tests.simulation.harness import Simulation


@pytest.fixture
async def simulation(database: Database, database_url: str) -> AsyncGenerator[Simulation]:
    """A simulation without any message."""
    async with Simulation.open(database, database_url) as simulation:
        yield simulation
