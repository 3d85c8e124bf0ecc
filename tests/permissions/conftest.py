"""A world of people, channels and documents for each test."""

import os
import random
from collections.abc import AsyncGenerator

import psycopg
import pytest

from bot.postgres.pool import Database
from tests.permissions.world import World

SEED = int(os.environ.get("PERMISSION_SEED", "0"))


@pytest.fixture
async def world(database: Database, database_url: str) -> AsyncGenerator[World]:
    """A world in which everything is shared with somebody."""
    with psycopg.connect(database_url, autocommit=True) as owner:
        world = World(database, owner, random.Random(SEED))
        await world.begin()
        yield world
