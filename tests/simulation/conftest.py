"""A simulation for each test, in a database of its own."""

from collections.abc import AsyncGenerator

import pytest

from bot.conversation.workers import outages
from bot.postgres.pool import Database
from tests.simulation.harness import Simulation

FASTER = 10
"""How much sooner a host tries again to give an attempt back, and another one stops waiting for that."""


@pytest.fixture(autouse=True)
def soon_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let both pauses keep their proportion: a killed host tries in vain, and each test that kills waits for it."""
    monkeypatch.setattr(outages, "PAUSE_SECONDS", outages.PAUSE_SECONDS / FASTER)
    monkeypatch.setattr(outages, "ELSEWHERE_SECONDS", outages.ELSEWHERE_SECONDS / FASTER)


@pytest.fixture
async def simulation(database: Database, database_url: str) -> AsyncGenerator[Simulation]:
    """A simulation without any message."""
    async with Simulation.open(database, database_url) as simulation:
        yield simulation
