"""Checks a database's address (pure)."""

from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

HOW_TO_WRITE: Final = "write postgresql://user:password@host:5432/database, and %2F for a slash in the password"
_HIGHEST_PORT: Final = 65_535


def can_be_read(url: str) -> bool:
    """Tell whether PostgreSQL's library accepts an address. The library's error would repeat the password."""
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:
        return False
    # An unescaped slash ends the host, so the library reads the password before the slash as the port.
    return all(_is_port(port) for port in str(parts.get("port") or "").split(","))


def _is_port(port: str) -> bool:
    return not port or (port.isdecimal() and 0 < int(port) <= _HIGHEST_PORT)
