"""A database that cannot be migrated says why, in a sentence and without its password."""

import io
import socket

import pytest
from rich.console import Console

from bot.checkup import examine
from bot.errors import DatabaseUnreachableError
from bot.migrations import migrate
from bot.settings import Settings


@pytest.fixture
def closed_url() -> str:
    """A database where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"postgresql://ada:secret@127.0.0.1:{port}/askback"


def test_a_database_that_is_not_there_is_an_error_of_ours(closed_url: str) -> None:
    with pytest.raises(DatabaseUnreachableError, match="does not answer") as raised:
        migrate(closed_url)

    assert "secret" not in str(raised.value)


async def test_the_doctor_says_how_to_mend_a_database_that_is_not_there(closed_url: str) -> None:
    said = io.StringIO()

    assert not await examine(Settings.model_validate({"DATABASE_URL": closed_url}), Console(file=said, width=100))

    assert "mend The database does not answer" in said.getvalue()
    assert "Look at DATABASE_URL" in said.getvalue()
    assert "secret" not in said.getvalue()
