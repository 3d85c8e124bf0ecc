"""A database with the handbook in it, ingested once, and a harness for each test."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager

import psycopg
import pytest

from bot.cli.demo import HANDBOOK, remember_sample
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import BuiltInEmbedding
from playground import Playground
from tests.conftest import cloned
from tests.journeys.harness import Harness
from tests.support.databases import as_app
from tests.support.fork_server import ForkServer, in_place_of
from tests.support.waiting import be_patient


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot be patient with Slack and with servers."""
    be_patient(monkeypatch)


@pytest.fixture(autouse=True)
def forked_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fork server fork the processes that read sources, because loading takes most of their time."""
    monkeypatch.setattr("bot.knowledge.upkeep.START", in_place_of("bot.cli.sync_child"))


@pytest.fixture(scope="session")
def handbook_template(server_url: str, template_url: str) -> Generator[str]:
    """A migrated database that holds the sample handbook, to be cloned."""
    with handbook_in(server_url, template_url, "english") as url:
        yield url


@contextmanager
def handbook_in(server_url: str, template_url: str, kind: BuiltInEmbedding) -> Generator[str]:
    """Clone a migrated database, and store the sample handbook in it with vectors of a kind."""
    with cloned(server_url, template_url) as url:
        asyncio.run(_ingest(url, kind))
        with psycopg.connect(url, autocommit=True) as owner:
            # PostgreSQL does it by itself within a minute. Without statistics a search takes three times as long.
            owner.execute("VACUUM ANALYZE documents, passages, embeddings, sources, audiences, places")
        yield url


@pytest.fixture
def handbook_url(server_url: str, handbook_template: str) -> Generator[str]:
    """A database of the test's own that holds the handbook."""
    with cloned(server_url, handbook_template) as url:
        yield url


@pytest.fixture
async def harness(handbook_url: str, fork_server: ForkServer) -> AsyncGenerator[Harness]:
    """The playground and a database; the bot is not there yet."""
    async with Playground.open(ack_seconds=10.0, retry_pauses=(0.2, 1.0, 3.0)) as playground:
        yield Harness(playground, handbook_url, fork_server)


async def _ingest(url: str, kind: BuiltInEmbedding) -> None:
    remember_sample(embedder := load_embedding(kind))
    async with Database.open(as_app(url), size=4, workspace="default") as database:
        await ingest(database, embedder, "default", [HANDBOOK])
