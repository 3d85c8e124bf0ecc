"""The vector index of a model that no migration knows. Only the owner may create it."""

from hashlib import sha256
from typing import Final

from psycopg import sql

from bot.postgres.connecting import connected
from bot.postgres.pool import Connection

_LOCK: Final = "SELECT pg_try_advisory_lock(4207304)"
_IS_VALID: Final = "SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass(%s)"
_CREATE: Final = """
    CREATE INDEX CONCURRENTLY {name} ON embeddings
    USING hnsw ((embedding::halfvec({dimensions})) halfvec_cosine_ops) WHERE model = {model}
"""


def ensure(owner_url: str, model: str, dimensions: int) -> None:
    """Create a model's index unless it exists or is being created. Meanwhile everybody may read and write."""
    with connected(owner_url, autocommit=True) as connection:
        name = name_of(model)
        # Not one that waits: the index waits for everybody who looked at the database before.
        if connection.execute(_LOCK).fetchone() != (True,):
            return
        found = connection.execute(_IS_VALID, (name,)).fetchone()
        if found == (False,):
            # Its creation was interrupted.
            connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        if found != (True,):
            connection.execute(
                sql.SQL(_CREATE).format(
                    name=sql.Identifier(name), dimensions=sql.Literal(dimensions), model=sql.Literal(model)
                )
            )


async def is_there(connection: Connection, model: str) -> bool:
    """Tell whether a model's index exists and can be used. The serving role may know."""
    cursor = await connection.execute(_IS_VALID, (name_of(model),))
    row = await cursor.fetchone()
    return bool(row and row["is_valid"])


def name_of(model: str) -> str:
    """Return the name of a model's index."""
    return f"embeddings_by_{sha256(model.encode()).hexdigest()[:16]}"
