"""Who is who in the tests' databases: an owner that is no superuser, as on a managed server, and who serves."""

import psycopg
from psycopg import sql

from benchmarks.databases import as_app, let_serve

__all__ = ["as_app", "drop_database", "make_database", "make_roles"]
OWNER, PASSWORD = "askback_owner", "owns"


def make_roles(server_url: str) -> None:
    """Let both roles exist on a server; the owner may look at sessions and end them, for the tests do so."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        create = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE pg_signal_backend, pg_read_all_stats")
        connection.execute(create.format(sql.Identifier(OWNER), sql.Literal(PASSWORD)))
    let_serve(server_url)


def make_database(server_url: str, name: str, template: str = "") -> str:
    """Make a database of the owner's, with what only a superuser may bring into it; return its URL as its owner."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        # Page by page, as is usual, takes more than twice the processor time.
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} STRATEGY file_copy")
        connection.execute(create.format(*map(sql.Identifier, (name, template or "template1", OWNER))))
    server = f"{server_url.rsplit('/', 1)[0]}/{name}"
    if not template:
        with psycopg.connect(server) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return as_role(server, OWNER, PASSWORD)


def drop_database(server_url: str, name: str) -> None:
    """Drop a database, whoever uses it."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def as_role(url: str, role: str, password: str) -> str:
    """Return a database's URL as a role."""
    return f"postgresql://{role}:{password}@{url.rpartition('@')[2]}"
