"""Migrates a database to the current schema with Alembic, or says why it cannot."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.script.revision import ResolutionError
from alembic.util import CommandError
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue, UndefinedTable
from psycopg.rows import class_row
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from bot.errors import DatabaseUnfitError, DatabaseUnreachableError
from bot.postgres import function_role, serving_role
from bot.postgres.addresses import Addresses
from bot.postgres.connecting import connected
from bot.postgres.requirements import ServerFacts, not_allowed, require_fit
from bot.postgres.serving_role import APP_ROLE

_WHAT_IT_IS: Final = """
    SELECT current_setting('server_version_num')::integer / 10000 AS version,
           current_setting('server_encoding') AS encoding,
           current_setting('transaction_read_only')::boolean AS read_only,
           (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
           (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS installable,
           current_database() AS database, current_user AS role
"""
_IS_RESTRICTED: Final = """
    SELECT FROM pg_database
    WHERE datname = current_database()
      AND NOT has_database_privilege('askback_app', oid, 'TEMPORARY, CREATE')
      AND NOT has_schema_privilege('askback_app', 'public', 'CREATE')
      AND has_database_privilege('askback_app', oid, 'CONNECT')
      AND has_schema_privilege('askback_app', 'public', 'USAGE')
      AND has_schema_privilege('askback_functions', 'public', 'USAGE')
"""


_RIGHTS: Final = """
    REVOKE TEMPORARY, CREATE ON DATABASE {database} FROM PUBLIC, askback_app;
    REVOKE CREATE ON SCHEMA public FROM PUBLIC, askback_app;
    GRANT CONNECT ON DATABASE {database} TO askback_app;
    GRANT USAGE ON SCHEMA public TO askback_app, askback_functions;
"""
"""Rights on the database itself. Dumps and clones lack these rights, so each migration grants them again."""
_FIRST: Final = "0201"
"""The first revision of version 0.1.0. Earlier schemas were never released and cannot be upgraded."""
_TOO_NEW: Final = "A newer Askback has upgraded the database. Install that version, or restore the backup from before."
_TOO_OLD: Final = (
    "The database is from before Askback 0.1.0 and cannot be upgraded. Create an empty database (or remove the data "
    "folder), run `askback migrate`, and ingest your documents again."
)


def make_ready(addresses: Addresses) -> None:
    """Migrate the database as its owner. Without the owner's address, check that it was migrated.

    Raises `DatabaseUnreachableError`, `DatabaseUnsafeError`, or `DatabaseUnfitError` if Askback cannot use it.
    """
    if addresses.owner:
        migrate(addresses.owner)
    else:
        require_current(addresses.serving)


def migrate(url: str) -> None:
    """Create or upgrade everything in the database at `url`, as its owner.

    Raises `DatabaseUnreachableError`, or `DatabaseUnfitError` if Askback cannot use it.
    """
    with answering():
        server = _look(url)
        require_fit(server)
        with connected(url) as connection:
            if not serving_role.exists(connection):
                raise DatabaseUnfitError(f"The role {APP_ROLE} does not exist. Run `askback migrate --create-role`.")
        function_role.ensure(url)
        with _allowed(server):
            command.upgrade(_config(url), "head")
            restrict(url)


def restrict(url: str) -> None:
    """As the owner, grant the serving role the use of the database, and let nobody else create anything there."""
    with connected(url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(4207301)")
        if connection.execute(_IS_RESTRICTED).fetchone() is None:
            database = sql.Identifier(connection.info.dbname)
            connection.execute(sql.SQL(_RIGHTS).format(database=database))


def require_current(url: str) -> None:
    """As the serving role, check that the database is up to date. Raises an error that says what to do."""
    with answering(), connected(url) as connection:
        serving_role.require_ours(connection.info.user)
        try:
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except (UndefinedTable, InsufficientPrivilege):
            found = None
    scripts = ScriptDirectory.from_config(_config(url))
    if found is None or found[0] != scripts.get_current_head():
        raise DatabaseUnfitError(
            "The database's tables do not match this Askback. Set ASKBACK_OWNER_DATABASE_URL to the address "
            "of the database's owner, and run `askback migrate`."
        )


def _look(url: str) -> ServerFacts:
    with connected(url) as connection:
        return connection.cursor(row_factory=class_row(ServerFacts)).execute(_WHAT_IT_IS).fetchall()[0]


@contextmanager
def answering() -> Generator[None]:
    """Turn the libraries' connection errors into `DatabaseUnreachableError`."""
    try:
        yield
    except (psycopg.OperationalError, OperationalError) as error:
        raise DatabaseUnreachableError(f"The database does not answer: {_origin(error)}") from error


@contextmanager
def _allowed(server: ServerFacts) -> Generator[None]:
    try:
        yield
    except (psycopg.ProgrammingError, psycopg.DataError, ProgrammingError) as error:
        origin = _origin(error)
        if not isinstance(origin, (InsufficientPrivilege, InvalidParameterValue)):
            raise
        raise not_allowed(server, origin.diag.message_primary or "a right is missing") from error
    except CommandError as error:
        if not isinstance(error.__cause__, ResolutionError):
            raise
        raise DatabaseUnfitError(_TOO_OLD if error.__cause__.argument < _FIRST else _TOO_NEW) from error


def _origin(error: psycopg.Error | DBAPIError) -> BaseException | None:
    return error.orig if isinstance(error, DBAPIError) else error


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_scripts()))
    config.attributes["url"] = url
    return config


def _scripts() -> Path:
    # A wheel holds the revisions inside this package; a checkout holds them beside it.
    packaged = Path(__file__).parents[1] / "alembic"
    return packaged if packaged.exists() else packaged.parent.parent / "alembic"
