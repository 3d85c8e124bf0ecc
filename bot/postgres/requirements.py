"""The requirements on a database, and what to do if it does not meet them (pure)."""

from dataclasses import dataclass
from typing import Final

from bot.errors import DatabaseUnfitError

OLDEST_POSTGRESQL: Final = 16
OLDEST_PGVECTOR: Final = "0.8"
"""The first version with `hnsw.iterative_scan`, which searches on until it has found enough."""

_INSTALL: Final = f"Install pgvector {OLDEST_PGVECTOR} or newer on its server, or use the image `pgvector/pgvector`."


@dataclass(frozen=True, kw_only=True)
class ServerFacts:
    """The facts about a database and our role."""

    version: int
    """PostgreSQL's major version."""
    encoding: str
    read_only: bool
    pgvector: str | None
    """The extension's version in this database."""
    installable: str | None
    """The extension's version on the server."""
    database: str
    role: str
    """Our role's name."""


def require_fit(server: ServerFacts) -> None:
    """Check the facts. Raises `DatabaseUnfitError` that says what to do."""
    if server.version < OLDEST_POSTGRESQL:
        raise DatabaseUnfitError(
            f"The database is PostgreSQL {server.version}, and Askback needs {OLDEST_POSTGRESQL} or newer. "
            "Upgrade the server, or name another in DATABASE_URL."
        )
    if server.read_only:
        raise DatabaseUnfitError("The database is read-only, like a standby. Name another one in DATABASE_URL.")
    if server.encoding != "UTF8":
        raise DatabaseUnfitError(
            f"The database's encoding is {server.encoding}, which cannot hold everything that people write. "
            "Make another with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in DATABASE_URL."
        )
    _require_pgvector(server)


def not_allowed(server: ServerFacts, why: str) -> DatabaseUnfitError:
    """Return the error that says which rights an administrator must grant."""
    return DatabaseUnfitError(
        f'The role "{server.role}" may not do what Askback needs: {why}. Let an administrator run in that database, '
        "all of this: CREATE EXTENSION IF NOT EXISTS vector; "
        f'ALTER DATABASE "{server.database}" OWNER TO "{server.role}"; '
        "If the tables are another role's, name that one in ASKBACK_OWNER_DATABASE_URL."
    )


def _require_pgvector(server: ServerFacts) -> None:
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
