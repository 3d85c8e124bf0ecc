"""Brings a database to the current schema with Alembic, or says why that cannot be."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script.revision import ResolutionError
from alembic.util import CommandError
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue
from psycopg.rows import class_row
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from bot.errors import DatabaseUnfitError, DatabaseUnreachableError
from bot.postgres.requirements import Server, not_allowed, require_fit

_WHAT_IT_IS: Final = """
    SELECT current_setting('server_version_num')::integer / 10000 AS version,
           current_setting('server_encoding') AS encoding,
           current_setting('transaction_read_only')::boolean AS read_only,
           (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
           (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS installable,
           current_database() AS database, current_user AS role
"""


def migrate(url: str) -> None:
    """Create or upgrade everything in the database at `url`, as its owner.

    Raises `DatabaseUnreachableError`, or `DatabaseUnfitError` where Askback cannot live in it.
    """
    with _answering():
        server = _look(url)
        require_fit(server)
        with _allowed(server):
            command.upgrade(_config(url), "head")
            _serve(url)


def _look(url: str) -> Server:
    with psycopg.connect(url) as connection:
        return connection.cursor(row_factory=class_row(Server)).execute(_WHAT_IT_IS).fetchall()[0]


def _serve(url: str) -> None:
    # A pool whose connections may not do so would only say that it has none.
    with psycopg.connect(url) as connection:
        connection.execute("SET ROLE askback_app")


@contextmanager
def _answering() -> Generator[None]:
    try:
        yield
    except (psycopg.OperationalError, OperationalError) as error:
        raise DatabaseUnreachableError(f"The database does not answer: {_origin(error)}") from error


@contextmanager
def _allowed(server: Server) -> Generator[None]:
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
        raise DatabaseUnfitError(
            "The database was upgraded by a newer Askback. Install that, or restore the backup from before it."
        ) from error


def _origin(error: psycopg.Error | DBAPIError) -> BaseException | None:
    return error.orig if isinstance(error, DBAPIError) else error


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_scripts()))
    config.attributes["url"] = url
    return config


def _scripts() -> Path:
    # A wheel carries the revisions inside this package; in a checkout they lie beside it.
    packaged = Path(__file__).parents[1] / "alembic"
    return packaged if packaged.exists() else packaged.parent.parent / "alembic"
