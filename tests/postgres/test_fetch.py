"""One statement, and what it found in the shape that a store wants."""

from dataclasses import dataclass

import pytest

from bot.postgres import fetch
from bot.postgres.pool import Database

PEOPLE = (
    "SELECT name, age FROM (VALUES ('Ada', 36), ('Ben', 41)) AS person (name, age) WHERE age > %(over)s ORDER BY age"
)
NAMES = "SELECT name FROM (VALUES ('Ada', 36), ('Ben', 41)) AS person (name, age) WHERE age > %(over)s ORDER BY age"


@dataclass(frozen=True, kw_only=True)
class Person:
    """A row."""

    name: str
    age: int


async def test_what_a_statement_found_comes_in_the_shape_that_is_asked_for(database: Database) -> None:
    ada, ben = Person(name="Ada", age=36), Person(name="Ben", age=41)
    async with database.transaction("one") as connection:
        assert [ada, ben] == await fetch.rows(connection, Person, PEOPLE, over=0)
        assert ada == await fetch.row(connection, Person, PEOPLE, over=0)
        assert ben == await fetch.only(connection, Person, PEOPLE, over=40)
        assert {"Ada": 36, "Ben": 41} == await fetch.pairs(connection, PEOPLE, over=0)
        assert ["Ada", "Ben"] == await fetch.values(connection, NAMES, over=0)
        assert "Ada" == await fetch.value(connection, NAMES, over=0)
        assert 1 == await fetch.count(connection, NAMES, over=40)
        assert await fetch.found(connection, NAMES, over=40)


async def test_a_statement_that_found_nothing_says_so(database: Database) -> None:
    async with database.transaction("one") as connection:
        assert ([], {}) == (
            await fetch.values(connection, NAMES, over=99),
            await fetch.pairs(connection, PEOPLE, over=99),
        )
        assert await fetch.row(connection, Person, PEOPLE, over=99) is None
        assert await fetch.value(connection, NAMES, over=99) is None
        assert 0 == await fetch.count(connection, NAMES, over=99)
        assert not await fetch.found(connection, NAMES, over=99)
        with pytest.raises(ValueError, match="not enough values"):
            await fetch.only(connection, Person, PEOPLE, over=99)
