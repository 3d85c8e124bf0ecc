"""The serving role: a login that cannot become another role, under row-level security."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg.rows import class_row

from bot.errors import DatabaseUnfitError, DatabaseUnsafeError
from bot.postgres.connecting import connected
from bot.postgres.function_role import FUNCTION_ROLE

APP_ROLE: Final = "askback_app"

_LOOK: Final = """
    WITH of_ours AS (
        SELECT c.oid, c.relname FROM pg_class c
        WHERE c.relkind IN ('r', 'p')
          AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('alembic_version'))
          AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
          AND NOT EXISTS (
            SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
          )
    )
    SELECT session_user::text AS name,
           rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication AS is_mighty,
           ARRAY(SELECT other.rolname::text FROM pg_roles other
                 WHERE other.rolname <> session_user AND pg_has_role(session_user, other.oid, 'MEMBER')) AS others,
           ARRAY(SELECT relname::text FROM pg_class WHERE relowner = pg_roles.oid) AS owned,
           ARRAY(SELECT nspname::text FROM pg_namespace WHERE has_schema_privilege(session_user, oid, 'CREATE'))
               AS schemas,
           has_database_privilege(session_user, current_database(), 'CREATE, TEMPORARY') AS may_create,
           ARRAY(SELECT relname::text FROM of_ours
                 WHERE relname <> ALL(%(wordless)s)
                   AND has_table_privilege(session_user, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
                   AND NOT row_security_active(oid)
                 ORDER BY relname) AS unbound,
           ARRAY(SELECT proname::text FROM pg_proc
                 WHERE prosecdef
                   AND proowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('alembic_version'))
                 ORDER BY proname) AS owners_functions,
           NOT EXISTS (
               SELECT FROM pg_roles functions
               WHERE functions.rolname = %(function_role)s AND NOT (
                   rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication
                   OR EXISTS (SELECT FROM pg_auth_members WHERE member = functions.oid)
                   OR EXISTS (
                       SELECT FROM of_ours WHERE has_table_privilege(functions.oid, of_ours.oid, 'SELECT, UPDATE')
                   )
               )
           ) AS functions_see_too_much
    FROM pg_roles WHERE rolname = session_user
"""
WORDLESS: Final = ("alembic_version", "budgets", "checkpoint_migrations", "knowledge_versions", "processes")
"""Our tables without anybody's words."""


@dataclass(frozen=True, kw_only=True)
class Login:
    """The rights of the logged-in role."""

    name: str
    is_mighty: bool
    """Whether it is a superuser, bypasses row-level security, or may create roles or replicate."""
    others: list[str]
    """Roles that it could become."""
    owned: list[str]
    schemas: list[str]
    """Schemas in which it may create something."""
    may_create: bool
    """Whether it may create schemas or temporary tables."""
    unbound: list[str]
    """Readable tables with words of all workspaces."""
    owners_functions: list[str]
    """Functions that run with all rights of the owner."""
    functions_see_too_much: bool
    """Whether the role of functions is missing, may log in, or may do more than a few functions need."""


def require_bound(login: Login) -> None:
    """Check that the role sees only its workspace. Raises `DatabaseUnsafeError` that says what to do."""
    if more := [*(["its attributes"] if login.is_mighty else []), *login.others, *login.owned]:
        raise DatabaseUnsafeError(
            f"The role {APP_ROLE} has too many rights ({', '.join(more)}). Let an administrator remove its attributes "
            "SUPERUSER, BYPASSRLS, CREATEROLE and REPLICATION, its memberships, and what it owns."
        )
    if login.may_create or login.schemas:
        raise DatabaseUnsafeError(
            f"The role {APP_ROLE} may create tables. Run `askback migrate`; if that does not help, let an "
            "administrator revoke CREATE and TEMPORARY from it and from PUBLIC, in this database and its schemas."
        )
    if login.unbound:
        raise DatabaseUnsafeError(
            f"Row-level security does not bind {APP_ROLE} in {', '.join(login.unbound)}. Run `askback migrate`."
        )
    if login.owners_functions:
        raise DatabaseUnsafeError(
            f"The functions {', '.join(login.owners_functions)} run with the rights of the tables' owner instead of "
            f"{FUNCTION_ROLE}. Let the owner run ALTER FUNCTION … OWNER TO {FUNCTION_ROLE} for each."
        )
    if login.functions_see_too_much:
        raise DatabaseUnsafeError(
            f"The role {FUNCTION_ROLE} has too many rights. Let an administrator remove its attributes, its "
            "memberships, and its rights on whole tables."
        )


async def require_safe(connection: AsyncConnection[Any]) -> None:
    """Check that the role can only serve one workspace. Raises `DatabaseUnsafeError` if not."""
    async with connection.cursor(row_factory=class_row(Login)) as cursor:
        await cursor.execute(_LOOK, {"wordless": list(WORDLESS), "function_role": FUNCTION_ROLE})
        login = (await cursor.fetchall())[0]
    require_ours(login.name)
    require_bound(login)


def require_ours(name: str) -> None:
    """Check that the login is the serving role. Raises `DatabaseUnsafeError` that says what to do."""
    if name != APP_ROLE:
        raise DatabaseUnsafeError(
            f'DATABASE_URL logs in as "{name}" instead of {APP_ROLE}. Set ASKBACK_OWNER_DATABASE_URL to the '
            "address of the database's owner, run `askback migrate --create-role`, and set DATABASE_URL to the "
            "address that it prints."
        )


def create(owner_url: str, password: str) -> None:
    """Create the serving role with a password. Raises `DatabaseUnfitError` that says who can do this."""
    with connected(owner_url) as connection:
        word = "ALTER" if exists(connection) else "CREATE"
        # Send the password's SCRAM verifier, because the server would log a password.
        proof = connection.pgconn.encrypt_password(password.encode(), APP_ROLE.encode(), b"scram-sha-256").decode()
        statement = sql.SQL(f"{word} ROLE {{}} LOGIN PASSWORD {{}}")
        try:
            connection.execute(statement.format(sql.Identifier(APP_ROLE), sql.Literal(proof)))
        except InsufficientPrivilege as error:
            raise DatabaseUnfitError(
                f'The role "{connection.info.user}" may not do this. Let an administrator run {word} ROLE {APP_ROLE} '
                "LOGIN PASSWORD '…'; then run `askback migrate`, and put that password into DATABASE_URL."
            ) from error


def can_log_in(url: str) -> bool:
    """Tell whether the server accepts the address's login."""
    try:
        connected(url).close()
    except psycopg.OperationalError:
        return False
    return True


def exists(connection: psycopg.Connection[Any]) -> bool:
    """Tell whether the serving role exists."""
    return connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (APP_ROLE,)).fetchone() is not None


def address(owner_url: str, password: str) -> str:
    """Return the owner's database address for the serving role."""
    if "://" not in owner_url:
        return make_conninfo(owner_url, user=APP_ROLE, password=password)
    parts = urlsplit(owner_url)
    place = f"{APP_ROLE}:{quote(password, safe='')}@{parts.netloc.rpartition('@')[2]}"
    return urlunsplit(parts._replace(netloc=place))


def password_in(url: str) -> str | None:
    """Return the serving role's password in an address."""
    parts = conninfo_to_dict(url)
    return str(parts["password"]) if parts.get("user") == APP_ROLE and parts.get("password") else None
