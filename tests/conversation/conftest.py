"""A clock that tests move, and the inbox of one workspace."""

import pytest

from bot.conversation.intake import Intake
from bot.postgres.pool import Database
from tests.support.fakes import TurnedClock


@pytest.fixture
def clock() -> TurnedClock:
    """A clock that only the test moves."""
    return TurnedClock()


@pytest.fixture
def intake(database: Database, clock: TurnedClock) -> Intake:
    """The inbox of the workspace "one"."""
    return Intake(database, clock, workspace="one", surface="slack")
