"""The role of functions: no login, with few rights, for what must see more rows than the serving role may."""

from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.errors import DuplicateObject, InsufficientPrivilege

from bot.errors import DatabaseUnfitError
from bot.postgres.connecting import connected

FUNCTION_ROLE: Final = "askback_functions"

_IS_USABLE: Final = "SELECT FROM pg_roles WHERE rolname = %s AND pg_has_role(current_user, oid, 'SET')"


def ensure(owner_url: str) -> None:
    """Create the role, unless it exists, and let the owner give functions to it.

    Raises `DatabaseUnfitError` that says who can do this.
    """
    with connected(owner_url, autocommit=True) as connection:
        if connection.execute(_IS_USABLE, (FUNCTION_ROLE,)).fetchone() is not None:
            return
        role, owner = sql.Identifier(FUNCTION_ROLE), sql.Identifier(connection.info.user)
        try:
            _create(connection, role)
            connection.execute(sql.SQL("GRANT {} TO {}").format(role, owner))
        except InsufficientPrivilege as error:
            raise DatabaseUnfitError(
                f'The role "{connection.info.user}" may not create the role {FUNCTION_ROLE}, as which a few functions '
                f"run. Let an administrator run CREATE ROLE {FUNCTION_ROLE} NOLOGIN; (unless it exists) and "
                f'GRANT {FUNCTION_ROLE} TO "{connection.info.user}"; then run `askback migrate`.'
            ) from error


def _create(connection: psycopg.Connection[Any], role: sql.Identifier) -> None:
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (FUNCTION_ROLE,)).fetchone() is not None:
        return
    try:
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(role))
    except DuplicateObject:
        # Another process was faster; roles are the whole server's.
        return
