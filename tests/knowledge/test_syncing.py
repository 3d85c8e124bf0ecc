"""An ingest ends at once if it is interrupted, also while something is embedded."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

PATIENCE = 120.0

STUCK = """
import asyncio, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from bot import runtime
from bot.knowledge.ingest import ingest
from bot.models.multilingual import load_embedding
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
        sys.executable, "-c", STUCK, app_url, str(tmp_path), stdout=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith("ASKBACK")},
    )  # fmt: skip
    assert process.stdout
    try:
        assert b"embedding\n" == await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        process.send_signal(signal.SIGINT)
        assert 130 == await asyncio.wait_for(process.wait(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
