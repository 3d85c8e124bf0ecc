"""Several sources are read at the same time, and each may fail, be slow, be paused or be interrupted alone."""

import asyncio
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.errors import KnowledgeError
from bot.knowledge import source_store
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.connectors.files import Files
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.ingest import IngestOptions, sync
from bot.knowledge.lock_store import is_model_locked, model_lock, source_lock
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.tally import Ingested, Progress
from bot.postgres.pool import Connection, Database
from graph.context import ModelError
from tests.knowledge.test_connectors import known

PATIENCE = 120.0


class Gated:
    """A source of one document, which is listed when a gate opens."""

    kind = "gated"

    def __init__(self, name: str, gate: asyncio.Event | None = None) -> None:
        self.location = f"gated:{name}"
        self._name = name
        self._gate = gate
        self.has_begun = asyncio.Event()
        self.is_closed = asyncio.Event()

    async def changes(self, cursor: str) -> Changes:
        self.has_begun.set()
        if self._gate:
            await self._gate.wait()
        return Changes(paths=[f"{self._name}.md"], gone=None, cursor="1")

    async def content(self, path: str, limits: Limits) -> bytes:
        return f"# {self._name}\n\nThis is {self._name}.\n".encode()

    def url_of(self, path: str) -> str | None:
        return None

    async def aclose(self) -> None:
        self.is_closed.set()


class Broken(Gated):
    """A source that cannot be read."""

    async def changes(self, cursor: str) -> Changes:
        raise KnowledgeError("It is away.")


async def reading(database: Database, embedder: Embedder, *sources: Gated) -> "asyncio.Task[Ingested]":
    """Begin to read sources, and return when the first of them has begun."""
    task = asyncio.create_task(sync(database, embedder, "one", sources, IngestOptions(at_once=2)))
    await asyncio.wait_for(sources[0].has_begun.wait(), PATIENCE)
    return task


async def until_known(database: Database, *paths: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not {*paths} <= (await known(database)).keys():  # noqa: ASYNC110 - There is no event to wait for.
            await asyncio.sleep(0.02)


async def test_a_slow_source_and_one_that_fails_hold_up_no_other(database: Database, embedder: Embedder) -> None:
    gate = asyncio.Event()
    slow, broken, quick, last = Gated("slow", gate), Broken("broken"), Gated("quick"), Gated("last")

    task = await reading(database, embedder, slow, broken, quick, last)
    await until_known(database, "quick.md", "last.md")
    assert not task.done()
    gate.set()
    outcome = await task

    assert (3, ["gated:broken"]) == (outcome.added, [one.path for one in outcome.failed])
    assert all(one.is_closed.is_set() for one in (slow, broken, quick, last))


async def test_no_more_sources_are_read_at_a_time_than_are_allowed(database: Database, embedder: Embedder) -> None:
    gates = [asyncio.Event(), asyncio.Event(), asyncio.Event()]
    first, second, third = (Gated(str(number), gate) for number, gate in enumerate(gates))
    task = await reading(database, embedder, first, second, third)
    await asyncio.wait_for(second.has_begun.wait(), PATIENCE)

    gates[0].set()
    assert not third.has_begun.is_set()
    await asyncio.wait_for(third.has_begun.wait(), PATIENCE)
    for gate in gates:
        gate.set()

    assert 3 == (await task).added


async def test_an_embedding_that_fails_is_said_of_its_source_and_the_others_are_read(
    database: Database, embedder: Embedder
) -> None:
    class Choosy:
        def __getattr__(self, name: str) -> object:
            return getattr(embedder, name)

        def embed_passages(self, texts: list[str]) -> Matrix:
            if any("bad" in text for text in texts):
                raise ModelError("The model hangs.")
            return embedder.embed_passages(texts)

    outcome = await sync(database, Choosy(), "one", [Gated("bad"), Gated("good")])  # pyright: ignore[reportArgumentType]

    assert [("gated:bad", "The model hangs.")] == [(one.path, one.reason) for one in outcome.failed]
    assert {"good.md"} == (await known(database)).keys()


async def test_a_source_that_is_paused_while_it_is_read_ends_and_the_others_go_on(
    database: Database, embedder: Embedder
) -> None:
    gate = asyncio.Event()
    slow, other = Gated("slow", asyncio.Event()), Gated("other", gate)
    task = await reading(database, embedder, slow, other)
    async with database.transaction("one") as connection:
        source_id = await source_store.id_of(connection, slow.location)
        assert source_id is not None
        await source_store.pause(connection, source_id, is_paused=True)
    await asyncio.wait_for(slow.is_closed.wait(), PATIENCE)
    gate.set()
    outcome = await task

    assert [slow.location] == [one.path for one in outcome.warned]
    assert {"other.md"} == (await known(database)).keys()
    again = await sync(database, embedder, "one", [Gated("slow")])
    assert 1 == again.added, "A paused source is read if it is named."


async def test_who_reads_what_is_due_leaves_out_what_another_process_reads(
    database: Database, embedder: Embedder
) -> None:
    await sync(database, embedder, "one", [Gated("a"), Gated("b")])
    async with database.session() as connection, source_lock(connection, "one", "gated:a"):
        outcome = await sync(database, embedder, "one", [Gated("a"), Gated("b")], only="known")

    assert (["gated:a"], 1) == (outcome.busy, outcome.unchanged)


async def test_who_looks_whether_a_source_is_being_read_keeps_nobody_from_reading_it(
    database: Database, embedder: Embedder
) -> None:
    await sync(database, embedder, "one", [Gated("a"), Gated("b"), Gated("c"), Gated("d")])
    async with database.transaction("one") as looking, database.session() as connection:
        await looking.execute("UPDATE sources SET every = interval '1 hour', synced_at = NULL")
        assert [] == await being_read(looking)
        for name in ("a", "b", "c", "d"):
            async with source_lock(connection, "one", f"gated:{name}", waits=False) as is_ours:
                assert is_ours
                assert [f"gated:{name}"] == await being_read(looking)
        assert [] == await being_read(looking)


async def being_read(connection: Connection) -> list[str]:
    """Return the locations of the sources that are due and being read."""
    return [one.location for one in await source_store.due_sources(connection) if one.is_being_read]


async def test_who_looks_whether_the_model_is_being_changed_keeps_nobody_from_changing_it(database: Database) -> None:
    async with database.transaction("one") as looking, database.session() as connection:
        assert not await is_model_locked(looking, "one")
        async with model_lock(connection, "one") as is_ours:
            assert is_ours
            assert await is_model_locked(looking, "one")
            assert not await is_model_locked(looking, "two")
        assert not await is_model_locked(looking, "one")


async def test_each_source_has_progress_of_its_own(database: Database, embedder: Embedder, tmp_path: Path) -> None:
    open_now: set[str] = set()
    together: list[int] = []
    told: dict[str, list[tuple[float, int, str]]] = {}

    @contextmanager
    def progress_of(source: str) -> Generator[Progress]:
        open_now.add(source)
        together.append(len(open_now))
        yield lambda done, of, path, _: told.setdefault(source, []).append((done, of, path))
        open_now.discard(source)

    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# {name}\n\nThis is {name}.\n")
    sources = [Files(str(tmp_path / name)) for name in ("a", "b", "c")]
    await sync(database, embedder, "one", sources, IngestOptions(progress_of=progress_of))

    assert {str(tmp_path / name): [(1, 1, f"{name}.md")] for name in ("a", "b", "c")} == told
    assert 2 == max(together)
    assert not open_now


STUCK = """
import asyncio, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from bot import runtime
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database

embedding = load_embedding("english")
def stuck(text, *, is_query):
    print("embedding", flush=True)
    threading.Event().wait()
embedding._embed = stuck
embedding.passage_seconds = 3600

async def main():
    async with Database.open(sys.argv[1], size=2, workspace="one") as database:
        await ingest(database, embedding, "one", [Path(sys.argv[2])])
try:
    runtime.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.usefixtures("database")
async def test_ctrl_c_does_not_wait_for_what_is_being_embedded(app_url: str, tmp_path: Path) -> None:
    """The embedding never ends here. Unpatched, sixteen long passages of the multilingual model take many seconds."""
    (tmp_path / "leave.md").write_text("# Leave\n\nEverybody has 28 days of leave.\n")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        STUCK,
        app_url,
        str(tmp_path),
        stdout=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith("ASKBACK")},
    )
    assert process.stdout
    try:
        assert b"embedding\n" == await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        process.send_signal(signal.SIGINT)
        assert 130 == await asyncio.wait_for(process.wait(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
