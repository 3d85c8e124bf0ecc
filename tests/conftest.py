"""Real PostgreSQL for every test: one server a session, one migrated template, one clone a test."""

import uuid
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from bot import embedded
from bot.database import Database
from bot.migrations import migrate


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """The session's PostgreSQL server, as its owner."""
    folder = _reachable(tmp_path_factory.mktemp("postgres"))
    yield embedded.start(folder)
    embedded.stop(folder)


@pytest.fixture(scope="session")
def template_url(server_url: str) -> str:
    """A database that is migrated once and cloned for each test."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE askback_template")
    url = server_url.rsplit("/", 1)[0] + "/askback_template"
    migrate(url)
    return url


@pytest.fixture
def database_url(server_url: str, template_url: str) -> Generator[str]:
    """A migrated database of the test's own, as its owner."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    template = template_url.rsplit("/", 1)[1]
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
        )
    yield server_url.rsplit("/", 1)[0] + "/" + name
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
async def database(database_url: str) -> AsyncGenerator[Database]:
    """The test's database, as the application sees it."""
    async with Database.open(database_url, size=10) as database:
        yield database


def _reachable(folder: Path) -> Path:
    # As root the server runs under another account, which must be able to walk into pytest's private folders.
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == 0 and parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(parent.stat().st_mode | 0o055)
    return folder
