"""Measures searches among many passages: `python -m benchmarks.scale [--sizes N …] [--folder PATH] [--write]`.

A million passages take a quarter of an hour on two processors, 4 GB of memory for the build of the index, and 10 GB of
disk. `--folder` keeps the databases, so that they can be measured again. The documents are copies of some thousand
passages, with other words and moved vectors; only the originals are embedded, once. Each question is asked by people
who may read different shares of the documents, in turn, so that a busy machine slows all of them.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import psycopg
from psycopg import sql
from rich.console import Console

from benchmarks.arena.arena import database_at, fill
from benchmarks.databases import as_app, let_serve
from benchmarks.project import EVALS
from benchmarks.scale import report as scale_report
from benchmarks.scale.corpus import MODEL, OTHERS, SHARES, WORKSPACE, Built, grow
from benchmarks.scale.originals import write_originals
from benchmarks.scale.report import Row, Size
from bot.audience import ALL, Names
from bot.knowledge import search_store, store
from bot.knowledge.audience_store import reading_as
from bot.knowledge.documents import Document, NewPassage, ReadDocument
from bot.knowledge.search import CANDIDATES, EXACT_BELOW, INDEX_EFFORT, Library, Search, everything
from bot.logs import configure_logs
from bot.models.embedding import MiniLm
from bot.postgres import embedded
from bot.postgres.migrations import migrate, restrict
from bot.postgres.pool import Database

SIZES: Final = (10_000, 100_000)
QUESTIONS: Final = EVALS / "questions.jsonl"
BASE: Final = "originals"
ROUNDS: Final = 3
"""How often everybody asks each question. The first time is not measured."""
SERVER: Final = {
    "shared_buffers": "4GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    "autovacuum": "off",
}
EVERYTHING: Final = 10**9
STORED, STORED_TOGETHER = 1_000, 20
"""Passages that are stored to see how fast that is, and how many a document has."""
ALL_OF_IT: Final = "all"
SMALL_WORKSPACE: Final = f"one of {OTHERS} other workspaces"


@dataclass(kw_only=True)
class Person:
    """Somebody who may read a part, with the measurements."""

    label: str
    names: Names
    workspace: str = WORKSPACE
    milliseconds: list[float] = field(default_factory=list[float])
    recalls: list[float] = field(default_factory=list[float])


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="numbers of passages")
    parser.add_argument("--folder", type=Path, help="where the databases are kept")
    parser.add_argument("--questions", type=int, default=24, help="asked by each asker")
    parser.add_argument("--write", action="store_true", help="write docs/scale.md and its picture")
    arguments = parser.parse_args()
    configure_logs("console", "error")
    console = Console(stderr=True, highlight=False, log_path=False)
    with _server(arguments.folder) as server_url:
        sizes = [measure(server_url, passages, arguments.questions, console) for passages in arguments.sizes]
    print(scale_report.table(sizes))
    if arguments.write:
        scale_report.write(sizes)


@contextmanager
def _server(folder: Path | None) -> Generator[str]:
    with tempfile.TemporaryDirectory(prefix="askback-") as temporary:
        place = folder or Path(temporary)
        place.mkdir(exist_ok=True)
        place.chmod(0o755)  # If we are root, the server runs as another account.
        with embedded.running(place / "server", SERVER) as url:
            let_serve(url)
            yield url


def measure(server_url: str, passages: int, count: int, console: Console) -> Size:
    """Make the database if it is missing, and ask everybody's questions."""
    name = f"scale_{passages}"
    with psycopg.connect(server_url, autocommit=True) as superuser:
        if not _exists(superuser, name):
            console.log(f"Making {passages:,} passages …")
            _make(server_url, superuser, name, passages)
    url = database_at(server_url, name)
    restrict(url)
    console.log(f"Asking among {passages:,} passages …")
    askers = asyncio.run(_ask(url, count))
    rows = [
        Row(
            label=asker.label,
            passages=_readable(url, asker),
            milliseconds=asker.milliseconds,
            recall=float(np.mean(asker.recalls)),
        )
        for asker in askers
    ]
    return Size(passages=passages, rows=rows, built=_built(url), stored=asyncio.run(_stored(url)))


def _exists(superuser: psycopg.Connection, name: str) -> bool:
    return superuser.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is not None


def _make(server_url: str, superuser: psycopg.Connection, name: str, passages: int) -> None:
    if not _exists(superuser, BASE):
        superuser.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(BASE)))
        migrate(database_at(server_url, BASE))
        with tempfile.TemporaryDirectory() as folder:
            write_originals(Path(folder))
            asyncio.run(fill(database_at(server_url, BASE), Path(folder)))
    unfinished = sql.Identifier(f"unfinished_{name}")
    superuser.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(unfinished))
    superuser.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(unfinished, sql.Identifier(BASE)))
    with psycopg.connect(database_at(server_url, f"unfinished_{name}"), autocommit=True) as owner:
        built = [asdict(one) for one in grow(owner, passages)]
        owner.execute("CREATE TABLE built AS SELECT %s::jsonb AS told", (json.dumps(built),))
    superuser.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(unfinished, sql.Identifier(name)))


def _built(url: str) -> list[Built]:
    with psycopg.connect(url) as owner:
        (told,) = owner.execute("SELECT told FROM built").fetchone() or ([],)
    return [Built(**one) for one in told]


def _readable(url: str, asker: Person) -> int:
    with psycopg.connect(url) as owner:
        (count,) = owner.execute(
            "SELECT count(*) FROM passages JOIN audiences ON audiences.id = audience_id"
            " WHERE passages.workspace = %s AND (%s OR names && %s)",
            (asker.workspace, asker.names == ALL, [*asker.names]),
        ).fetchone() or (0,)
    return count


async def _ask(url: str, count: int) -> Sequence[Person]:
    askers = [
        Person(label=ALL_OF_IT, names=ALL),
        *(Person(label=f"{share:.1%}".replace(".0%", "%"), names=frozenset({name})) for name, share in SHARES.items()),
        Person(label=SMALL_WORKSPACE, names=ALL, workspace="w00"),
    ]
    lines = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    questions = [line["question"] for line in lines[:: len(lines) // count]][:count]
    model = MiniLm.load()
    async with Database.open(as_app(url), size=1, workspace=WORKSPACE) as database:
        for number in range(ROUNDS):
            for question in questions:
                for asker in askers:
                    await _asked(database, model, asker, question, is_measured=number > 0)
        for question in questions:
            for asker in askers:
                asker.recalls.append(await _recall(database, model, asker, question))
    return askers


async def _asked(database: Database, model: MiniLm, asker: Person, question: str, *, is_measured: bool) -> None:
    async def reader() -> Names:
        return asker.names

    search = Search(Library(database, asker.workspace, reader=reader), model)
    began = time.perf_counter()
    found = await search.search(question, limit=10)
    if is_measured:
        asker.milliseconds.append(1000 * (time.perf_counter() - began))
    assert found


async def _recall(database: Database, model: MiniLm, asker: Person, question: str) -> float:
    """Return the share of the ten nearest passages that the search finds, as it chooses, without its words."""
    sought = search_store.SearchRequest(query="", vector=model.embed_query(question), model=model.model)

    async def reader() -> Names:
        return asker.names

    async def nearest(exact_below: int) -> set[int]:
        async with reading_as(database, asker.workspace, reader) as connection:
            await search_store.tune_index(connection, INDEX_EFFORT)
            found = await search_store.search_passages(
                connection, sought, candidates=CANDIDATES, exact_below=exact_below
            )
        return {row.id for row in [row for row in found if not row.namesake][:10]}

    exact = await nearest(EVERYTHING)
    return len(await nearest(EXACT_BELOW) & exact) / len(exact)


async def _stored(url: str) -> float:
    """Store some documents as the bot does, with vectors as if embedded, and return how many passages a second."""
    chance = np.random.default_rng(7)
    async with Database.open(as_app(url), size=1, workspace=WORKSPACE) as database:
        async with reading_as(database, WORKSPACE, everything) as connection:
            cursor = await connection.execute(
                "SELECT text, embedding FROM passages JOIN embeddings ON passage_id = passages.id ORDER BY id LIMIT %s",
                (STORED,),
            )
            rows = await cursor.fetchall()
        vectors = np.array([row["embedding"].to_numpy() for row in rows], dtype=np.float32)
        vectors += chance.normal(scale=0.02, size=vectors.shape).astype(np.float32)
        pieces = [NewPassage(heading_path=("Stored",), text=row["text"]) for row in rows]
        began = time.perf_counter()
        for number in range(0, len(rows), STORED_TOGETHER):
            part = slice(number, number + STORED_TOGETHER)
            document = Document(path=f"stored/{number}.md", title=f"Stored {number}", blocks=(), language="en")
            read = ReadDocument(document=document, hash="", pieces=pieces[part])
            prepared = store.Prepared(read=read, vectors=vectors[part], model=MODEL)
            async with database.transaction(WORKSPACE) as connection:
                await store.replace_document(connection, WORKSPACE, 0, prepared)
        seconds = time.perf_counter() - began
    with psycopg.connect(url) as owner:
        owner.execute("DELETE FROM documents WHERE starts_with(path, 'stored/')")
    return len(rows) / seconds


if __name__ == "__main__":
    main()
