"""Connections outside the pool: of the owner who migrates, and of a command that looks whether it may serve."""

from typing import Final

import psycopg
from psycopg.rows import TupleRow

CONNECT_SECONDS: Final = 10
"""As for the pool. psycopg would wait for 130 seconds for a server that says nothing."""


def connected(url: str, *, autocommit: bool = False) -> psycopg.Connection[TupleRow]:
    """Connect to a database."""
    return psycopg.connect(url, autocommit=autocommit, connect_timeout=CONNECT_SECONDS)
