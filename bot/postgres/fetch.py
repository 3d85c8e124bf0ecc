"""Runs one statement of a store, and returns what it found in the shape that the store wants."""

from collections.abc import Callable
from typing import Any, LiteralString, TypeVar

from bot.postgres.pool import Connection

R = TypeVar("R")


async def rows(connection: Connection, of: Callable[..., R], query: LiteralString, /, **given: Any) -> list[R]:
    """Return what `of` makes of each row: a class whose fields have the columns' names, or a function."""
    cursor = await connection.execute(query, given or None)
    return [of(**row) for row in await cursor.fetchall()]


async def row(connection: Connection, of: Callable[..., R], query: LiteralString, /, **given: Any) -> R | None:
    """Return what `of` makes of the first row; None if there is none."""
    cursor = await connection.execute(query, given or None)
    first = await cursor.fetchone()
    return of(**first) if first else None


async def only(connection: Connection, of: Callable[..., R], query: LiteralString, /, **given: Any) -> R:
    """Return what `of` makes of the only row of a statement that always has one."""
    (made,) = await rows(connection, of, query, **given)
    return made


async def values(connection: Connection, query: LiteralString, /, **given: Any) -> list[Any]:
    """Return the values of the only column."""
    cursor = await connection.execute(query, given or None)
    columns = [row.values() for row in await cursor.fetchall()]
    return [value for (value,) in columns]


async def value(connection: Connection, query: LiteralString, /, **given: Any) -> Any:
    """Return the only column's value in the first row; None if there is no row."""
    every = await values(connection, query, **given)
    return every[0] if every else None


async def count(connection: Connection, query: LiteralString, /, **given: Any) -> int:
    """Return how many rows the statement found or changed. In `Database.at_once` nobody knows that in time."""
    many = (await connection.execute(query, given or None)).rowcount
    if many < 0:
        raise RuntimeError("A pipeline does not know how many rows a statement found.")
    return many


async def found(connection: Connection, query: LiteralString, /, **given: Any) -> bool:
    """Tell whether the statement found or changed a row. Like `count`, it is not for `Database.at_once`."""
    return await count(connection, query, **given) > 0


async def pairs(connection: Connection, query: LiteralString, /, **given: Any) -> dict[Any, Any]:
    """Return the values of the second of two columns, by those of the first."""
    cursor = await connection.execute(query, given or None)
    return dict(tuple(row.values()) for row in await cursor.fetchall())
