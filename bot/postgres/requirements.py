"""What a database must be for Askback to live in it, and what to do where it is not (pure)."""

from dataclasses import dataclass
from typing import Final

from bot.errors import DatabaseUnfitError

OLDEST_POSTGRESQL: Final = 16
OLDEST_PGVECTOR: Final = "0.8"
"""It searches on until it has found enough (`hnsw.iterative_scan`)."""

_INSTALL: Final = f"Install pgvector {OLDEST_PGVECTOR} or newer on its server, or use the image `pgvector/pgvector`."


@dataclass(frozen=True, kw_only=True)
class Server:
    """What a database says of itself, and of us."""

    version: int
    """PostgreSQL's major version."""
    encoding: str
    read_only: bool
    pgvector: str | None
    """The version of the extension in this database."""
    installable: str | None
    """The version that the server could give it."""
    database: str
    role: str
    """Who we are, as the server sees it."""


def require_fit(server: Server) -> None:
    """Raise `DatabaseUnfitError`, which says what to do, where Askback cannot live in the database."""
    if server.version < OLDEST_POSTGRESQL:
        raise DatabaseUnfitError(
            f"The database is PostgreSQL {server.version}, and Askback needs {OLDEST_POSTGRESQL} or newer. "
            "Upgrade the server, or name another in DATABASE_URL."
        )
    if server.read_only:
        raise DatabaseUnfitError("The database can only be read, like a standby. Name another in DATABASE_URL.")
    if server.encoding != "UTF8":
        raise DatabaseUnfitError(
            f"The database keeps text as {server.encoding}, and people write more than that holds. "
            "Make another with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in DATABASE_URL."
        )
    _require_pgvector(server)


def not_allowed(server: Server, why: str) -> DatabaseUnfitError:
    """Return the error that says what an administrator grants a role that may do too little."""
    return DatabaseUnfitError(
        f'The role "{server.role}" may not do what Askback needs: {why}. Let an administrator run in that database, '
        "whatever is there already: CREATE EXTENSION IF NOT EXISTS vector; "
        f'ALTER DATABASE "{server.database}" OWNER TO "{server.role}"; '
        "If the tables are another role's, name that one in ASKBACK_OWNER_DATABASE_URL."
    )


def _require_pgvector(server: Server) -> None:
    version = server.pgvector or server.installable
    if version is None:
        raise DatabaseUnfitError(f"The database's server lacks the extension pgvector. {_INSTALL}")
    if _is_old(version):
        way = _INSTALL if _is_old(server.installable) else "Let an administrator run: ALTER EXTENSION vector UPDATE;"
        raise DatabaseUnfitError(f"The database's pgvector is {version}, which is too old. {way}")


def _is_old(version: str | None) -> bool:
    return _numbers(version or "0") < _numbers(OLDEST_PGVECTOR)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]
