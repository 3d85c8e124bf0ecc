"""Ctrl-C ends `askback ingest` and its child processes, and stored documents stay."""

import asyncio
import os
import signal
import time
from pathlib import Path

import psutil

from bot.audience import ALL
from bot.knowledge.audience_store import read_as
from bot.postgres.pool import Database
from tests.knowledge.readers import making
from tests.support.fork_server import ForkServer, command_line

SENTENCE = "whoever travels for the house books by rail, keeps the receipt, and hands it in within thirty days."
PATIENCE = 120.0


async def stored(database: Database) -> int:
    async with database.transaction("default") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute("SELECT count(*) AS documents FROM documents")
        row = await cursor.fetchone()
    assert row is not None
    return row["documents"]


async def begun(database: Database, process: psutil.Process) -> None:
    """Wait until the process has stored something."""
    async with asyncio.timeout(PATIENCE):
        while not await stored(database):
            assert process.is_running(), "It ended before it stored anything."
            await asyncio.sleep(0.05)


async def ingesting(fork_server: ForkServer, documents: Path, kept: Path, app_url: str) -> psutil.Process:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
    # The multilingual model would need half a minute of a processor for the first documents.
    environment = {**clean, "DATABASE_URL": app_url, "ASKBACK_EMBEDDING": "english"}
    given = {"arguments": ["ingest", str(documents)], "environment": environment, "kept": str(kept)}
    return await asyncio.to_thread(fork_server.fork, command_line, given)


async def test_ctrl_c_ends_an_ingest_with_its_children_and_what_was_stored_stays(
    database: Database, app_url: str, fork_server: ForkServer, tmp_path: Path
) -> None:
    documents, kept = tmp_path / "documents", tmp_path / "kept"
    content = making.word_with([f"The rule {number} says that {SENTENCE}" for number in range(100)])
    for folder in (documents, kept):
        folder.mkdir()
    for number in range(60):
        (documents / f"{number}.docx").write_bytes(content)
    process = await ingesting(fork_server, documents, kept, app_url)
    await begun(database, process)
    readers = process.children(recursive=True)

    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    await asyncio.to_thread(process.wait, PATIENCE)
    took = time.monotonic() - pressed

    print(f"Ended after {took:.1f} s.")  # noqa: T201 - `pytest -rP` shows it.
    assert "130" == (kept / "code").read_text()
    assert "Documents that were read whole are stored" in (kept / "said").read_text()
    assert took < 60, "Two seconds on a machine that does nothing else."
    _, alive = psutil.wait_procs(readers, timeout=5)
    assert [] == alive
    assert 0 < await stored(database) < 60
