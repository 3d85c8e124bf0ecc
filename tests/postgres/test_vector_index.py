"""The index of a provider's embedding model is created by the owner, once, whole, and seen by the serving role."""

from pathlib import Path

import psycopg
import pytest

from bot.cli.start import make_ready
from bot.errors import SettingsError
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres import vector_index
from bot.postgres.addresses import Addresses
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.support.databases import as_app

MODEL = 'openai:o\'clock "x"@1024|passage: '


def indexes(owner_url: str) -> dict[str, bool]:
    """Return whether each index of a provider's model is valid, by its name."""
    with psycopg.connect(owner_url) as owner:
        found = owner.execute(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
            " WHERE indrelid = 'embeddings'::regclass AND relname ~ '^embeddings_by_[0-9a-f]{16}$'"
        )
        return dict(found.fetchall())


async def test_it_is_created_once_whatever_the_models_name_is(database: Database, database_url: str) -> None:
    async with database.transaction("one") as connection:
        assert not await vector_index.is_there(connection, MODEL)
    for _ in range(2):
        vector_index.ensure(database_url, MODEL, 1024)

    assert {vector_index.name_of(MODEL): True} == indexes(database_url)
    async with database.transaction("one") as connection:
        assert await vector_index.is_there(connection, MODEL)


async def test_one_whose_creation_was_interrupted_is_created_again(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nEverybody gets 28 days.\n")
    await ingest(database, load_embedding("english"), "one", [tmp_path])
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("UPDATE embeddings SET model = %s", (MODEL,))
        with pytest.raises(psycopg.errors.DataException, match="expected 1024 dimensions, not 384"):
            vector_index.ensure(database_url, MODEL, 1024)
        assert {vector_index.name_of(MODEL): False} == indexes(database_url)
        owner.execute("DELETE FROM embeddings")

    vector_index.ensure(database_url, MODEL, 1024)

    assert {vector_index.name_of(MODEL): True} == indexes(database_url)


def test_while_another_process_creates_it_nobody_waits_and_nothing_is_dropped(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(4207304)")
        vector_index.ensure(database_url, MODEL, 1024)

    assert {} == indexes(database_url)


@pytest.mark.parametrize("choice", ["auto", "english"])
def test_a_built_in_model_gets_none(database_url: str, choice: str) -> None:
    make_ready(Settings(embedding=choice), Addresses(serving=as_app(database_url), owner=database_url))

    assert {} == indexes(database_url)


def test_migrating_creates_that_of_the_settings(database_url: str) -> None:
    found = Addresses(serving=as_app(database_url), owner=database_url)
    make_ready(Settings(embedding="openai:bge-m3", embedding_dimensions=1024), found)

    assert {vector_index.name_of("openai:bge-m3@1024"): True} == indexes(database_url)
    with pytest.raises(SettingsError, match="needs ASKBACK_EMBEDDING_DIMENSIONS"):
        make_ready(Settings(embedding="openai:bge-m3"), found)


def test_the_serving_role_creates_none(database_url: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        vector_index.ensure(as_app(database_url), MODEL, 1024)
