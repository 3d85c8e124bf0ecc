"""Ctrl-C ends `askback ingest` and its child processes, and stored documents stay."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import psutil

from bot.audience import ALL
from bot.knowledge.audience_store import read_as
from bot.postgres.pool import Database
from tests.knowledge.readers import making

SENTENCE = "whoever travels for the house books by rail, keeps the receipt, and hands it in within thirty days."
PATIENCE = 120.0


async def stored(database: Database) -> int:
    async with database.transaction("default") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute("SELECT count(*) AS documents FROM documents")
        row = await cursor.fetchone()
    assert row is not None
    return row["documents"]


async def begun(database: Database, process: asyncio.subprocess.Process) -> None:
    """Wait until the process has stored something."""
    async with asyncio.timeout(PATIENCE):
        while not await stored(database):
            assert process.returncode is None, "It ended before it stored anything."
            await asyncio.sleep(0.05)


async def ingesting(folder: Path, app_url: str) -> asyncio.subprocess.Process:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
    return await asyncio.create_subprocess_exec(
        # A background process of a shell ignores SIGINT, so restore the default here.
        sys.executable,
        "-c",
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from bot.cli.commands import main; main()",
        "ingest",
        str(folder),
        # The multilingual model would need half a minute of a processor for the first documents.
        env={**clean, "DATABASE_URL": app_url, "ASKBACK_EMBEDDING": "english"},
        stdout=asyncio.subprocess.PIPE,
    )


async def test_ctrl_c_ends_an_ingest_with_its_children_and_what_was_stored_stays(
    database: Database, app_url: str, tmp_path: Path
) -> None:
    content = making.word_with([f"The rule {number} says that {SENTENCE}" for number in range(100)])
    for number in range(60):
        (tmp_path / f"{number}.docx").write_bytes(content)
    process = await ingesting(tmp_path, app_url)
    await begun(database, process)
    readers = psutil.Process(process.pid).children(recursive=True)

    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    took = time.monotonic() - pressed

    print(f"Ended after {took:.1f} s.")  # noqa: T201 - `pytest -rP` shows it.
    assert 130 == process.returncode
    assert b"Documents that were read whole are stored" in said
    assert took < 60, "Two seconds on a machine that does nothing else."
    _, alive = psutil.wait_procs(readers, timeout=5)
    assert [] == alive
    assert 0 < await stored(database) < 60
