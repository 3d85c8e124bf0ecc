"""Compares reading with the plain way: `python -m benchmarks.documents.ingesting [--rounds N] [--write]`.

`plain_ingest` is the plain way. Both read the sample handbook with the same embedding, in turn: for the
first time, unchanged, with one section changed, with one document deleted, and after a kill in the middle. It takes
two minutes of processor time.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, LiteralString

import psycopg
from psycopg import sql
from rich.console import Console

from benchmarks.arena.arena import Arena, open_arena
from benchmarks.documents import ingesting_report
from benchmarks.documents.ingest_once import Name, Reading, read
from benchmarks.documents.ingesting_report import Killed, Results, Step
from benchmarks.documents.plain_ingest import SCHEMA
from benchmarks.project import ROOT, RUN
from bot.cli.demo import HANDBOOK
from bot.logs import configure_logs

NAMES: Final[tuple[Name, ...]] = ("Askback", "plain")
STEPS: Final = ("for the first time", "nothing changed", "one section changed", "one document deleted")
ROUNDS: Final = 5
PATIENCE_SECONDS: Final = 600.0
_STORED: Final[Mapping[Name, LiteralString]] = {
    "Askback": "SELECT path, count(*) FROM passages JOIN documents ON documents.id = document_id GROUP BY path",
    "plain": "SELECT source, count(*) FROM chunks GROUP BY source",
}
_STOPS: Final = """
    CREATE SEQUENCE storing;
    GRANT USAGE ON SEQUENCE storing TO PUBLIC;
    CREATE FUNCTION stops() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF nextval('storing') = {most} THEN PERFORM pg_sleep(3600); END IF;
            RETURN NEW;
        END $$;
    CREATE TRIGGER stops BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION stops()
"""
_STOPPED: Final = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.documents.ingesting", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of taking the time")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/benchmarks.md")
    arguments = parser.parse_args()
    configure_logs("console", "error")
    console = Console(stderr=True, highlight=False, log_path=False)
    with open_arena(documents=None) as arena:
        results = asyncio.run(measure(arena, HANDBOOK, console, rounds=arguments.rounds))
    print(ingesting_report.markdown(results))
    if arguments.write:
        ingesting_report.write(results)


async def measure(arena: Arena, documents: Path, console: Console, *, rounds: int) -> Results:
    """Count each step once with made-up vectors, and take the time of some of them in rounds with the real ones."""
    results = Results(documents=_count_of(documents))
    for name in NAMES:
        console.log(f"Counting what {name} does …")
        with tempfile.TemporaryDirectory(prefix="askback-") as folder:
            copy = Path(shutil.copytree(documents, Path(folder) / "documents"))
            await _count(arena, name, copy, results)
            results.killed[name] = await _killed(arena, name, documents)
    for number in range(rounds):
        console.log(f"Taking the time of round {number + 1} of {rounds} …")
        await _take_time(arena, documents, results, turn=number)
    return results


def _count_of(documents: Path) -> int:
    return sum(file.is_file() for file in documents.rglob("*"))


async def _count(arena: Arena, name: Name, folder: Path, results: Results) -> None:
    url = _database(arena, name, with_statements=True)
    results.steps[name] = {}
    changes = _change_nothing, _change_nothing, _change_a_section, _delete_a_document
    changed = ""
    for title, change in zip(STEPS, changes, strict=True):
        changed = change(folder)
        results.steps[name][title] = await _step(arena, name, url, folder)
    results.left[name] = _stored(name, url).get(changed, 0)


def _change_nothing(folder: Path) -> str:
    del folder
    return ""


def _change_a_section(folder: Path) -> str:
    """Add a paragraph in the middle of the longest document."""
    file = _longest(folder)
    sections = file.read_text("utf-8").split("\n## ")
    sections[len(sections) // 2] += "\nFrom now on, one more rule holds.\n"
    file.write_text("\n## ".join(sections), "utf-8")
    return file.relative_to(folder).as_posix()


def _delete_a_document(folder: Path) -> str:
    file = _longest(folder)
    file.unlink()
    return file.relative_to(folder).as_posix()


def _longest(folder: Path) -> Path:
    return max(sorted(folder.rglob("*.md")), key=lambda file: file.stat().st_size)


async def _step(arena: Arena, name: Name, url: str, folder: Path) -> Step:
    log = arena.log
    start, said = await log.position(), len(_log_of(url))
    reading = await read(name, url, folder, is_instant=True)
    written = await log.written(url, start, await log.position())
    lines = _log_of(url)[said:].splitlines()
    statements = sum("LOG:  statement: " in line or "LOG:  execute " in line for line in lines)
    return Step(reading=reading, written=written, statements=statements)


async def _killed(arena: Arena, name: Name, folder: Path) -> Killed:
    """Kill the first reading while it stores the piece in the middle, and read again."""
    whole = _database(arena, name)
    reading = await read(name, whole, folder, is_instant=True)
    complete, url = _stored(name, whole), _database(arena, name)
    await _read_and_kill(name, url, folder, most=sum(complete.values()) // 2)
    there = _stored(name, url)
    again = await read(name, url, folder, is_instant=True)
    stored = _stored(name, url)
    return Killed(
        pieces=reading.embedded,
        there=sum(there.get(path) == pieces for path, pieces in complete.items()),
        halved=sum(0 < there.get(path, 0) < pieces for path, pieces in complete.items()),
        embedded_again=again.embedded,
        missing=sum(stored.get(path, 0) < pieces for path, pieces in complete.items()),
        twice=sum(stored.get(path, 0) > pieces for path, pieces in complete.items()),
    )


async def _read_and_kill(name: Name, url: str, folder: Path, *, most: int) -> None:
    table = sql.Identifier("passages" if name == "Askback" else "chunks")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(sql.SQL(_STOPS).format(most=most, table=table))
        child = await _start(name, url, folder)
        try:
            process = await _stopped(name, owner, child)
        finally:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
        # The server does not notice by itself that its client is gone, and would go on after the pause.
        owner.execute("SELECT pg_terminate_backend(%s, 10000)", (process,))
        owner.execute(sql.SQL("DROP TRIGGER stops ON {}").format(table))


async def _stopped(name: Name, owner: psycopg.Connection, child: asyncio.subprocess.Process) -> int:
    """Return the server process that stores the piece in the middle, as soon as it does."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        stopped = None
        while stopped is None:
            if child.returncode is not None:
                raise ChildProcessError(f"{name} ended before it was killed.")
            await asyncio.sleep(0.05)
            stopped = owner.execute(_STOPPED).fetchone()
    return stopped[0]


async def _take_time(arena: Arena, folder: Path, results: Results, *, turn: int) -> None:
    for how, is_instant in {"": False, ", embedding aside": True}.items():
        urls = {name: _database(arena, name) for name in NAMES}
        for title in STEPS[:2]:
            order = NAMES if turn % 2 == 0 else NAMES[::-1]
            readings: dict[Name, Reading] = {
                name: await read(name, urls[name], folder, is_instant=is_instant) for name in order
            }
            results.rounds.setdefault(f"{title}{how}", []).append(readings)


async def _start(name: Name, url: str, folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *RUN, "benchmarks.documents.ingest_once", name, url, str(folder), cwd=ROOT
    )


def _database(arena: Arena, name: Name, *, with_statements: bool = False) -> str:
    """Return the URL of an empty database, whose statements may be logged."""
    url = arena.clone()
    with psycopg.connect(url, autocommit=True) as owner:
        if name == "plain":
            owner.execute(SCHEMA)
        if with_statements:
            owner.execute(
                sql.SQL("ALTER DATABASE {} SET log_statement = 'all'").format(sql.Identifier(owner.info.dbname))
            )
    return url


def _log_of(url: str) -> str:
    with psycopg.connect(url) as owner:
        (folder,) = owner.execute("SHOW data_directory").fetchone() or ("",)
    return (Path(folder).parent / "log").read_text("utf-8")


def _stored(name: Name, url: str) -> dict[str, int]:
    """Return the number of pieces stored of each document."""
    with psycopg.connect(url) as owner:
        return dict(owner.execute(_STORED[name]).fetchall())


if __name__ == "__main__":
    main()
