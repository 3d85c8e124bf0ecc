"""A clock that tests move, and the inbox of one workspace."""

import pytest

from bot.conversation.intake import Inbox
from bot.postgres.pool import Database
from tests.support.fakes import TurnedClock


@pytest.fixture
def clock() -> TurnedClock:
    """A clock that only the test moves."""
    return TurnedClock()


@pytest.fixture
def inbox(database: Database, clock: TurnedClock) -> Inbox:
    """The inbox of the workspace "one"."""
    return Inbox(database, clock, workspace="one", surface="slack")
