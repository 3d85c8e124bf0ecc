"""If a database cannot be migrated, the error says why, in one sentence and without its password."""

import io
import socket
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from rich.console import Console

from bot.cli.doctor import examine
from bot.errors import DatabaseUnfitError, DatabaseUnreachableError
from bot.postgres import connecting
from bot.postgres.connecting import CONNECT_SECONDS, connected
from bot.postgres.migrations import migrate
from bot.postgres.requirements import ServerFacts, require_fit
from bot.settings import Settings
from tests.support.databases import as_app

FIT = ServerFacts(
    version=18, encoding="UTF8", read_only=False, pgvector=None, installable="0.8.5", database="answers", role="ada"
)


@pytest.fixture
def closed_url() -> str:
    """The URL of a database that does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"postgresql://ada:secret@127.0.0.1:{port}/askback"


def test_a_database_that_is_not_there_is_an_error_of_ours(closed_url: str) -> None:
    with pytest.raises(DatabaseUnreachableError, match="does not answer") as raised:
        migrate(closed_url)

    assert "secret" not in str(raised.value)


def test_nobody_waits_for_minutes_for_a_server_that_says_nothing(database_url: str) -> None:
    with connected(database_url) as connection:
        assert str(CONNECT_SECONDS) == connection.info.get_parameters()["connect_timeout"]

    elsewhere = {
        file.name for file in Path(connecting.__file__).parent.glob("*.py") if "psycopg.connect(" in file.read_text()
    }
    assert {"connecting.py"} == elsewhere


@pytest.mark.parametrize(
    ("flaw", "said"),
    [
        ({"version": 15}, "is PostgreSQL 15, and Askback needs 16 or newer. Upgrade the server"),
        ({"installable": None}, r"lacks the extension pgvector\. Install pgvector 0\.8 or newer"),
        ({"installable": "0.7.4"}, r"pgvector is 0\.7\.4, which is too old\. Install pgvector 0\.8"),
        ({"pgvector": "0.7.4"}, r"pgvector is 0\.7\.4, which is too old\. .*ALTER EXTENSION vector UPDATE;"),
    ],
)
def test_a_server_in_which_it_cannot_live_is_told_from_what_it_says(flaw: dict[str, object], said: str) -> None:
    with pytest.raises(DatabaseUnfitError, match=said):
        require_fit(ServerFacts(**{**vars(FIT), **flaw}))


@pytest.mark.parametrize("present", [None, "0.8.0", "0.10.1", "1.0"])
def test_a_server_with_what_is_needed_will_do(present: str | None) -> None:
    require_fit(ServerFacts(**{**vars(FIT), "pgvector": present}))


def test_a_server_without_pgvector_is_named_with_what_to_install(server_url: str) -> None:
    with empty(server_url) as url:
        change(url, "ALTER DATABASE {database} SET extension_control_path = '/nowhere'")

        with pytest.raises(DatabaseUnfitError, match="lacks the extension pgvector"):
            migrate(url)


def test_an_older_pgvector_is_named_with_what_upgrades_it(server_url: str, database_url: str) -> None:
    change(within(server_url, database_url), "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")

    with pytest.raises(DatabaseUnfitError, match="ALTER EXTENSION vector UPDATE"):
        migrate(database_url)


def test_a_database_that_can_only_be_read_is_named(server_url: str) -> None:
    with empty(server_url) as url:
        change(url, "ALTER DATABASE {database} SET default_transaction_read_only = on")

        with pytest.raises(DatabaseUnfitError, match="read-only"):
            migrate(url)


def test_a_database_that_cannot_hold_every_character_is_named(server_url: str) -> None:
    with (
        empty(server_url, "TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'") as url,
        pytest.raises(DatabaseUnfitError, match="encoding is LATIN1"),
    ):
        migrate(url)


def test_what_an_owner_lacks_is_named_until_it_has_it(server_url: str) -> None:
    """Run the commands of the message as an administrator; askback_app exists."""
    with empty(server_url) as url, person(url) as (name, own_url):
        with pytest.raises(DatabaseUnfitError, match=r"may not create the role askback_functions.*GRANT"):
            migrate(own_url)

        change(url, "GRANT askback_functions TO {person}", name)
        with pytest.raises(DatabaseUnfitError, match="permission denied for schema public") as raised:
            migrate(own_url)
        assert f'ALTER DATABASE "{url.rsplit("/", 1)[1]}" OWNER TO "{name}"' in str(raised.value)
        assert "secret" not in str(raised.value)

        change(url, "ALTER DATABASE {database} OWNER TO {person}", name)
        with pytest.raises(DatabaseUnfitError, match="permission denied to create extension"):
            migrate(own_url)

        change(url, "CREATE EXTENSION vector")
        migrate(own_url)


def test_tables_of_another_role_are_named(server_url: str, database_url: str) -> None:
    url = within(server_url, database_url)
    with person(url) as (name, own_url):
        change(url, "GRANT askback_functions TO {person}", name)

        with pytest.raises(DatabaseUnfitError, match=r"alembic_version.*name that one in ASKBACK_OWNER_DATABASE_URL"):
            migrate(own_url)


def test_a_database_of_a_newer_askback_is_named_with_the_ways_back(database_url: str) -> None:
    change(database_url, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(DatabaseUnfitError, match=r"newer Askback.*restore the backup"):
        migrate(database_url)


@pytest.mark.parametrize("revision", ["0027", "0125"])
def test_a_database_from_before_the_first_release_is_named_with_what_to_do(
    database_url: str, revision: LiteralString
) -> None:
    change(database_url, f"UPDATE alembic_version SET version_num = '{revision}'")

    with pytest.raises(DatabaseUnfitError, match=r"before Askback 0\.1\.0.*ingest your documents again"):
        migrate(database_url)


def test_nothing_of_the_job_queue_is_left(database_url: str) -> None:
    for statement in (
        "CREATE TYPE procrastinate_job_status AS ENUM ('todo', 'doing')",
        "CREATE TABLE procrastinate_jobs (id bigserial PRIMARY KEY, status procrastinate_job_status)",
        """
        CREATE FUNCTION procrastinate_notify() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER procrastinate_notified AFTER INSERT ON procrastinate_jobs
            FOR EACH ROW EXECUTE FUNCTION procrastinate_notify()
        """,
        "UPDATE alembic_version SET version_num = '0203'",
    ):
        change(database_url, statement)

    migrate(database_url)

    with psycopg.connect(database_url) as connection:
        left = connection.execute(
            """
            SELECT relname FROM pg_class WHERE starts_with(relname, 'procrastinate')
            UNION ALL SELECT proname FROM pg_proc WHERE starts_with(proname, 'procrastinate')
            UNION ALL SELECT typname FROM pg_type WHERE starts_with(typname, 'procrastinate')
            """
        ).fetchall()
    assert [] == left


def test_the_job_queue_of_another_schema_stays_whole(database_url: str) -> None:
    for statement in (
        "CREATE SCHEMA theirs",
        "CREATE TYPE theirs.procrastinate_job_status AS ENUM ('todo', 'doing')",
        "CREATE TABLE theirs.procrastinate_jobs (id bigserial PRIMARY KEY, status theirs.procrastinate_job_status)",
        """
        CREATE FUNCTION theirs.procrastinate_notify() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER procrastinate_notified AFTER INSERT ON theirs.procrastinate_jobs
            FOR EACH ROW EXECUTE FUNCTION theirs.procrastinate_notify()
        """,
        "ALTER DATABASE {database} SET search_path = public, theirs",
        "UPDATE alembic_version SET version_num = '0203'",
    ):
        change(database_url, statement)

    migrate(database_url)

    with psycopg.connect(database_url) as connection:
        left = connection.execute(
            """
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = to_regclass('theirs.procrastinate_jobs') AND attnum > 0 AND NOT attisdropped
            UNION ALL SELECT tgname FROM pg_trigger WHERE tgname = 'procrastinate_notified'
            """
        ).fetchall()
    assert [("id",), ("status",), ("procrastinate_notified",)] == left


def test_answers_that_were_shared_before_stay_shared(database_url: str) -> None:
    for statement in (
        """
        ALTER TABLE shared_answers ALTER COLUMN ts SET NOT NULL, DROP COLUMN thread_ts, DROP COLUMN answer_channel,
            DROP COLUMN answer_ts, DROP COLUMN due_at, DROP COLUMN is_unwanted
        """,
        """
        CREATE UNIQUE INDEX shared_answers_standing ON shared_answers (workspace, message_key)
            WHERE taken_back_at IS NULL
        """,
        """
        INSERT INTO shared_answers (workspace, message_key, channel, ts, person, shared_at, taken_back_at)
        VALUES ('default', 'C1:1', 'C1', '2', 'U1', now(), NULL), ('default', 'C1:1', 'C1', '1', 'U1', now(), now())
        """,
        "UPDATE alembic_version SET version_num = '0204'",
    ):
        change(database_url, statement)

    migrate(database_url)

    with psycopg.connect(database_url) as connection:
        shared = connection.execute("SELECT ts, is_unwanted, due_at FROM shared_answers ORDER BY ts").fetchall()
    assert [("1", True, None), ("2", False, None)] == shared


async def test_the_doctor_says_what_an_unfit_database_lacks(server_url: str) -> None:
    said = io.StringIO()
    with empty(server_url) as url, person(url) as (_, own_url):
        settings = Settings.model_validate({"DATABASE_URL": as_app(url), "ASKBACK_OWNER_DATABASE_URL": own_url})

        assert not await examine(settings, Console(file=said, width=100))

    assert "fix  The role" in said.getvalue()
    assert "Look at DATABASE_URL" not in said.getvalue()


async def test_the_doctor_says_how_to_fix_a_database_that_is_not_there(closed_url: str) -> None:
    said = io.StringIO()

    assert not await examine(Settings.model_validate({"DATABASE_URL": closed_url}), Console(file=said, width=100))

    assert "fix  The database does not answer" in said.getvalue()
    assert "Look at DATABASE_URL" in said.getvalue()
    assert "secret" not in said.getvalue()


@contextmanager
def empty(server_url: str, how: str = "") -> Generator[str]:
    """An empty database, as the server's owner."""
    server, name = server_url.rsplit("/", 1)[0], f"empty_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name} {how}".encode())
        try:
            yield f"{server}/{name}"
        finally:
            owner.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def person(url: str) -> Generator[tuple[str, str]]:
    """A role that may only log in: its name, and the database's URL for it."""
    name = f"ada_{uuid.uuid4().hex[:8]}"
    change(url, "CREATE ROLE {person} LOGIN PASSWORD 'secret'", name)
    try:
        yield name, f"postgresql://{name}:secret@{url.split('@')[1]}"
    finally:
        change(url, "ALTER DATABASE {database} OWNER TO CURRENT_USER", name)
        change(url, "DROP OWNED BY {person} CASCADE; DROP ROLE {person}", name)


def within(server_url: str, url: str) -> str:
    """A database as its server's superuser."""
    return f"{server_url.rsplit('/', 1)[0]}/{url.rsplit('/', 1)[1]}"


def change(url: str, statement: LiteralString, person: str = "") -> None:
    """Run statements in a database as the server's owner."""
    names = {"database": sql.Identifier(url.rsplit("/", 1)[1])} | ({"person": sql.Identifier(person)} if person else {})
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(sql.SQL(statement).format(**names))
