"""The serving role is a separate login that cannot become another role; each fault is one sentence."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import LiteralString

import psycopg
import pytest
from psycopg import errors

from bot.errors import DatabaseUnfitError, DatabaseUnreachableError, DatabaseUnsafeError
from bot.postgres import embedded, serving_role
from bot.postgres.addresses import Addresses
from bot.postgres.migrations import make_ready, migrate
from bot.postgres.pool import Database
from tests.postgres.test_migrations import change, empty, person, within
from tests.support.databases import as_app, make_database, make_roles, short_lived
from tests.support.fork_server import ForkServer

ESCAPES = (
    "SET ROLE askback_owner",
    "SELECT set_config('role', 'askback_owner', false)",
    "SET SESSION AUTHORIZATION askback_owner",
    "GRANT askback_owner TO askback_app",
    "ALTER ROLE askback_app BYPASSRLS",
    "ALTER TABLE passages DISABLE ROW LEVEL SECURITY",
    "DROP POLICY of_the_workspace ON passages",
    "CREATE TABLE mine (words text)",
    "CREATE TEMPORARY TABLE mine (words text)",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "TRUNCATE passages CASCADE",
    "COPY passages TO PROGRAM 'cat'",
    "SELECT lo_import('/etc/passwd')",
    "SET row_security = off; SELECT FROM passages",
)
FLAWS = {
    "ALTER ROLE askback_app BYPASSRLS": "has too many rights",
    "ALTER ROLE askback_app CREATEROLE": "has too many rights",
    "GRANT askback_owner TO askback_app": r"has too many rights \(.*askback_owner",
    "GRANT pg_read_all_data TO askback_app": r"has too many rights \(pg_read_all_data",
    "ALTER TABLE passages OWNER TO askback_app": r"has too many rights \(.*passages",
    "GRANT TEMPORARY ON DATABASE {database} TO PUBLIC": "may create tables",
    "GRANT CREATE ON SCHEMA public TO askback_app": "may create tables",
    "ALTER TABLE passages DISABLE ROW LEVEL SECURITY": "does not bind askback_app in passages",
    "ALTER TABLE checkpoint_blobs DISABLE ROW LEVEL SECURITY": "does not bind askback_app in checkpoint_blobs",
    "CREATE TABLE notes (words text); ALTER TABLE notes OWNER TO askback_owner; GRANT SELECT ON notes TO PUBLIC":
        "does not bind askback_app in notes",
    "ALTER FUNCTION passages_by_text OWNER TO askback_owner": "passages_by_text run with the rights of the",
    "ALTER ROLE askback_functions LOGIN": "askback_functions has too many rights",
    "GRANT pg_read_all_data TO askback_functions": "askback_functions has too many rights",
    "GRANT SELECT ON passages TO askback_functions": "askback_functions has too many rights",
}  # fmt: skip


@pytest.mark.parametrize("escape", ESCAPES)
def test_there_is_no_way_out(app_url: str, escape: str) -> None:
    with psycopg.connect(app_url, autocommit=True) as connection, pytest.raises(errors.Error) as raised:
        connection.execute(escape.encode())

    assert isinstance(raised.value, (errors.InsufficientPrivilege, errors.InvalidParameterValue))


@pytest.mark.parametrize(
    "reset", ["RESET ROLE", "SELECT set_config('role', 'none', false)", "RESET ALL", "DISCARD ALL"]
)
def test_whatever_is_taken_back_it_is_still_the_role_that_serves(app_url: str, reset: str) -> None:
    with psycopg.connect(app_url, autocommit=True) as connection:
        connection.execute(reset.encode())
        found = connection.execute("SELECT session_user, current_user").fetchone()

        assert ("askback_app", "askback_app") == found
        assert [] == connection.execute("SELECT id FROM passages").fetchall()


async def test_the_owner_does_not_serve(database_url: str) -> None:
    with pytest.raises(DatabaseUnsafeError, match=r"ASKBACK_OWNER_DATABASE_URL .* `askback migrate --create-role`"):
        async with Database.open(database_url, size=1, workspace="one"):
            pass


@pytest.mark.parametrize(("flaw", "said"), FLAWS.items())
async def test_a_role_that_could_do_more_does_not_serve(
    server_url: str, database_url: str, flaw: LiteralString, said: str
) -> None:
    change(within(server_url, database_url), flaw)
    try:
        with pytest.raises(DatabaseUnsafeError, match=said):
            async with Database.open(as_app(database_url), size=1, workspace="one"):
                pass
    finally:
        change(
            server_url,
            "ALTER ROLE askback_app NOBYPASSRLS NOCREATEROLE; REVOKE pg_read_all_data, askback_owner FROM askback_app;"
            "ALTER ROLE askback_functions NOLOGIN; REVOKE pg_read_all_data FROM askback_functions",
        )


@pytest.mark.parametrize(
    "statement",
    ["SELECT text FROM passages", "SELECT title FROM documents", "SELECT text FROM verified_answers",
     "SELECT FROM inbox", "SELECT FROM checkpoints", "DELETE FROM passages", "UPDATE documents SET title = ''",
     "CREATE TABLE mine (words text)"],
)  # fmt: skip
def test_the_role_of_functions_reads_no_text(database_url: str, statement: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("SET ROLE askback_functions")
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_its_policy_lets_the_index_on_words_be_used(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("SET ROLE askback_functions; SET enable_seqscan = off")
        plan = connection.execute("EXPLAIN SELECT id FROM passages WHERE words @@ 'hotel'::tsquery").fetchall()

    assert "passages_by_words" in str(plan)


def test_every_function_with_rights_of_its_own_is_of_that_role(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        found = connection.execute(
            "SELECT proname, proowner::regrole::text, proconfig FROM pg_proc WHERE prosecdef ORDER BY proname"
        ).fetchall()

    assert {"forget_verified_answers", "knowledge_changed", "passages_by_text"} == {name for name, *_ in found}
    assert {"askback_functions"} == {owner for _, owner, _ in found}
    # Otherwise a session could put a table of its own in the place of ours.
    assert all("search_path=pg_catalog, public, pg_temp" in settings for *_, settings in found)


@pytest.mark.parametrize("may_create", [True, False])
def test_who_may_not_create_the_role_of_functions_is_told_what_an_administrator_runs(
    fork_server: ForkServer, tmp_path: Path, may_create: bool
) -> None:
    """On a server of its own, because roles are the whole server's."""
    with short_lived() as superuser:
        make_roles(superuser)
        url = make_database(superuser, "upgraded")
        change(superuser, "DROP ROLE askback_functions")
        if may_create:
            change(superuser, "ALTER ROLE askback_owner CREATEROLE")
        code, said = fork_server.run("migrate", tmp_path, ASKBACK_OWNER_DATABASE_URL=url)
        if not may_create:
            assert (1, 1) == (code, len(said.splitlines()))
            assert 'GRANT askback_functions TO "askback_owner"' in said
            change(superuser, "CREATE ROLE askback_functions NOLOGIN; GRANT askback_functions TO askback_owner")
            code, said = fork_server.run("migrate", tmp_path, ASKBACK_OWNER_DATABASE_URL=url)

    assert (0, "The database is up to date.\n") == (code, said)


async def test_migrating_takes_back_what_a_clone_grants_everybody(server_url: str, database_url: str) -> None:
    change(within(server_url, database_url), "GRANT TEMPORARY ON DATABASE {database} TO PUBLIC")

    migrate(database_url)

    async with Database.open(as_app(database_url), size=1, workspace="one"):
        pass


def test_a_deployment_that_knew_the_owner_only_is_told_what_to_do(
    fork_server: ForkServer, tmp_path: Path, database_url: str
) -> None:
    code, said = fork_server.run("inbox list", tmp_path, DATABASE_URL=database_url)

    assert (1, 1) == (code, len(said.splitlines()))
    assert 'DATABASE_URL logs in as "askback_owner"' in said
    assert "run `askback migrate --create-role`" in said


def test_an_upgrade_is_three_settings_and_one_command(fork_server: ForkServer, tmp_path: Path, server_url: str) -> None:
    with empty(server_url) as url:
        code, said = fork_server.run("migrate", tmp_path, DATABASE_URL=url)
        assert (1, 1) == (code, len(said.splitlines()))
        assert "Set ASKBACK_OWNER_DATABASE_URL" in said

        code, said = fork_server.run("migrate --create-role", tmp_path)
        assert (1, True) == (code, "Set ASKBACK_OWNER_DATABASE_URL" in said), "The embedded database is not meant."

        code, said = fork_server.run("migrate --create-role", tmp_path, ASKBACK_OWNER_DATABASE_URL=url)
        assert 0 == code
        found = re.search(r"^postgresql://askback_app:\S+$", said, re.MULTILINE)
        assert found

        assert 0 == fork_server.run("inbox list", tmp_path, DATABASE_URL=found[0])[0]
    serving_role.create(server_url, "serves/only")


@pytest.mark.parametrize("given", ["kept by hand\n", None])
def test_the_password_may_stand_in_a_file(
    fork_server: ForkServer, tmp_path: Path, server_url: str, given: str | None
) -> None:
    file = tmp_path / "password"
    if given:
        file.write_text(given)
    with empty(server_url) as url:
        command = f"migrate --create-role --password-file {file}"
        assert 0 == fork_server.run(command, tmp_path, ASKBACK_OWNER_DATABASE_URL=url)[0]
        psycopg.connect(serving_role.address(url, file.read_text().strip())).close()

    assert given or 0o600 == file.stat().st_mode & 0o777
    serving_role.create(server_url, "serves/only")


def test_an_owner_that_may_not_create_roles_says_who_does(server_url: str) -> None:
    with empty(server_url) as url, person(url) as (name, own_url), pytest.raises(DatabaseUnfitError) as raised:
        serving_role.create(own_url, "secret")

    assert f'"{name}" may not do this. Let an administrator run ALTER ROLE askback_app LOGIN PASSWORD' in str(
        raised.value
    )


def test_who_does_not_migrate_sees_that_it_was_done(database_url: str) -> None:
    here = Addresses(serving=as_app(database_url), owner=None)
    make_ready(here)

    change(database_url, "UPDATE alembic_version SET version_num = '0017'")
    with pytest.raises(DatabaseUnfitError, match=r"Set ASKBACK_OWNER_DATABASE_URL .* run `askback migrate`"):
        make_ready(here)


def test_a_wrong_password_is_an_error_of_ours(database_url: str) -> None:
    wrong = serving_role.address(database_url, "wrong")
    with pytest.raises(DatabaseUnreachableError, match="password authentication failed"):
        make_ready(Addresses(serving=wrong, owner=None))


@pytest.mark.parametrize(
    ("owner", "serving"),
    [
        ("postgresql://ada:a%2Fb@db.example:5432/askback?sslmode=require",
         "postgresql://askback_app:x%2Fy@db.example:5432/askback?sslmode=require"),
        ("postgres://db.example/askback", "postgres://askback_app:x%2Fy@db.example/askback"),
        ("user=ada dbname=askback host=db.example", "user=askback_app dbname=askback host=db.example password=x/y"),
    ],
)  # fmt: skip
def test_its_address_is_the_owners_with_another_name(owner: str, serving: str) -> None:
    assert serving == serving_role.address(owner, "x/y")
    assert "x/y" == serving_role.password_in(serving)
    assert serving_role.password_in(owner) is None


def test_the_embedded_server_makes_its_role_by_itself_and_keeps_it() -> None:
    with TemporaryDirectory(prefix="askback-") as name, embedded.running(Path(name), {"fsync": "off"}) as url:
        # As an earlier version left it.
        change(url, "CREATE ROLE askback_app NOLOGIN; GRANT askback_app TO postgres")
        serving = embedded.serving_url(Path(name), url)
        assert serving == embedded.serving_url(Path(name), url)
        assert 0o600 == Path(name, "password.app").stat().st_mode & 0o777

        make_ready(Addresses(serving=serving, owner=url))
        make_ready(Addresses(serving=serving, owner=None))


@pytest.mark.parametrize("other", ["DROP ROLE askback_app", "ALTER ROLE askback_app PASSWORD 'other'"])
def test_a_folder_whose_cluster_was_replaced_keeps_the_password_of_the_role(other: LiteralString) -> None:
    with TemporaryDirectory(prefix="askback-") as name, embedded.running(Path(name), {"fsync": "off"}) as url:
        serving = embedded.serving_url(Path(name), url)
        change(url, other)

        assert serving == embedded.serving_url(Path(name), url)
        psycopg.connect(serving).close()
