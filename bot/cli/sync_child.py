"""The child process that reads one source, or embeds passages again, for `askback run`. It ends with its bot."""

import os
import signal
import sys
import threading
import time
from contextlib import closing
from typing import Final

from bot import runtime
from bot.errors import AskbackError
from bot.knowledge import source_store
from bot.knowledge.connectors.kinds import known_connector
from bot.knowledge.embeddings.change import ModelChange
from bot.knowledge.embeddings.store import serving_model
from bot.knowledge.ingest import IngestOptions, sync
from bot.knowledge.lock_store import model_lock
from bot.knowledge.upkeep import LATER, PART_SECONDS, PATIENCE_SECONDS, Job
from bot.logs import configure_logs
from bot.models.choice import OpenedEmbeddings, chosen_model
from bot.models.embedding import Embedding
from bot.postgres.pool import Database

_STDIN: Final = 0


def main() -> None:
    """Read the job from standard input and do it. Exit with `LATER` if it is still to be done."""
    job = Job.model_validate_json(_line())
    configure_logs(job.log_format, job.log_level)
    threading.Thread(target=_end_with_the_bot, daemon=True).start()
    try:
        code = runtime.run(_read(job))
    except KeyboardInterrupt:
        code = 130
    except AskbackError as error:
        # The row of the source holds the source's own errors, so this error is from the database or the model.
        sys.exit(str(error))
    sys.exit(code)


async def _read(job: Job) -> int:
    async with Database.open(job.url, size=2, workspace=job.workspace) as database:
        with closing(OpenedEmbeddings(job.embedding)) as embeddings:
            do = _change_model if job.source_id is None else _read_source
            return 0 if await do(database, job, embeddings) else LATER


async def _change_model(database: Database, job: Job, embeddings: OpenedEmbeddings) -> bool:
    """Embed for a while. Return whether no other process does it."""
    async with database.session() as held, model_lock(held, job.workspace) as is_ours:
        if is_ours:
            embedder = await _embedder(database, job, embeddings)
            await ModelChange(database, embedder, job.workspace, seconds=PART_SECONDS).run()
        return is_ours


async def _read_source(database: Database, job: Job, embeddings: OpenedEmbeddings) -> bool:
    """Read the source of the job. Return whether that is done: what was reported is not if nothing could be read."""
    async with database.transaction(job.workspace) as connection:
        due = await source_store.due_sources(connection)
    # Somebody may have read, removed or paused the source after the bot saw that it was due.
    source = next((one for one in due if one.id == job.source_id), None)
    if source is None:
        return True
    connectors = [known_connector(source.kind, source.location, job.sources)]
    options = IngestOptions(limits=job.limits, embedder_of=embeddings.of)
    only = "known" if source.is_scheduled else "reported"
    embedder = await _embedder(database, job, embeddings)
    outcome = await sync(database, embedder, job.workspace, connectors, options, only=only)
    has_given_up = any(one.path == source.location for one in outcome.failed)
    return not outcome.busy and (source.is_scheduled or not has_given_up)


async def _embedder(database: Database, job: Job, embeddings: OpenedEmbeddings) -> Embedding:
    async with database.transaction(job.workspace) as connection:
        return embeddings.of(chosen_model(job.embedding, await serving_model(connection)))


def _line() -> bytes:
    # Not `sys.stdin`: a thread that waits there keeps Python from exiting.
    line = bytearray()
    while not line.endswith(b"\n") and (chunk := os.read(_STDIN, 65_536)):
        line += chunk
    return bytes(line)


def _end_with_the_bot() -> None:
    """End this process and its children when the bot closes standard input or dies."""
    while os.read(_STDIN, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE_SECONDS)
    os.killpg(os.getpgid(0), signal.SIGKILL)
