"""A clock that tests turn, and the inbox of one workspace."""

import pytest

from bot.conversation.intake import Inbox
from bot.postgres.pool import Database
from tests.fakes import TurnedClock


@pytest.fixture
def clock() -> TurnedClock:
    """A clock that stands still until a test turns it."""
    return TurnedClock()


@pytest.fixture
def inbox(database: Database, clock: TurnedClock) -> Inbox:
    """Where messages and clicks of the workspace "one" come in."""
    return Inbox(database, clock, workspace="one", surface="slack")
