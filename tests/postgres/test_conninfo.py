"""A database's address is parsed as PostgreSQL does, or refused without repeating it."""

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from bot.settings.database import can_be_read
from tests.support.databases import as_app

BROKEN = [
    "localhost",
    "mysql://ada:secret@127.0.0.1/askback",
    "postgresql+psycopg://ada:secret@127.0.0.1/askback",
    "postgresql://ada:secret@127.0.0.1:port/askback",
    "postgresql://ada:secret@127.0.0.1:70000/askback",
    "postgresql://ada:secret@127.0.0.1/askback?unheard=of",
    "postgresql://ada:sec%ret@127.0.0.1/askback",
    "postgresql://ada:sec/ret@127.0.0.1/askback",
]


@pytest.mark.parametrize("url", BROKEN)
def test_what_is_no_address_is_refused(url: str) -> None:
    assert not can_be_read(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:secret@db.example/askback",
        "postgres://ada:sec%2Fret@db.example:5432/askback?sslmode=require",
        "postgresql://ada@one.example:5432,two.example:5433/askback?target_session_attrs=read-write",
        "postgresql:///askback?host=/var/run/postgresql",
        "host=db.example dbname=askback user=ada",
    ],
)
def test_what_postgresql_reads_is_an_address(url: str) -> None:
    assert can_be_read(url)


async def test_an_address_that_begins_with_postgres_migrates_and_serves(database_url: str) -> None:
    url = database_url.replace("postgresql://", "postgres://", 1)
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("DROP OWNED BY CURRENT_USER; DROP OWNED BY askback_functions")

    migrate(url)

    async with (
        Database.open(as_app(url), size=1, workspace="one") as database,
        database.transaction("one") as connection,
    ):
        cursor = await connection.execute("SELECT count(*) AS items FROM inbox")
        assert {"items": 0} == await cursor.fetchone()


def test_a_command_says_in_one_line_that_the_address_is_wrong(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from bot.cli.commands import main; main()", "migrate"],
        env={"DATABASE_URL": "mysql://ada:secret@127.0.0.1/askback", "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (1, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert "DATABASE_URL" in done.stderr
    assert "secret" not in done.stderr
