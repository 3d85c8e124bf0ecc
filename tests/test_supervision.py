"""A hanging process is restarted. The question that hung it is given up, and the others are answered."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from bot.conversation.intake import Intake
from bot.postgres.pool import Database
from tests.conversation.test_intake import message
from tests.support.fakes import TurnedClock
from tests.support.waiting import PATIENCE

SERVES = """
import asyncio, os, sys
from bot import runtime
from bot.supervision import supervised

serving = supervised()

async def serve():
    async with runtime.heartbeat(standstill_seconds={standstill}):
        serving.begun()
        print("serving", flush=True)
        {then}

runtime.run(serve())
"""
HOLDS_THE_INTERPRETER = "import re; re.match('(a+)+$', 'a' * 40 + 'b')"
WORKS = """
import asyncio, ctypes, sys
from bot import runtime
from bot.clock import SystemClock
from bot.postgres.pool import Database
from bot.conversation.workers import claim_store
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.supervision import supervised

class Handler:
    async def handle(self, claim):
        await asyncio.sleep(0.2)
        if claim.item.turn.question == "hold":
            ctypes.PyDLL(None).sleep(3600)  # It holds the interpreter, as an endless pattern does, but no core.
        async with self.database.transaction() as connection:
            await claim_store.end(connection, claim, now=SystemClock().now())

    async def give_up(self, claim):
        print("gave up", claim.item.turn.question, flush=True)
        return False

serving = supervised()

async def serve():
    async with Database.open(sys.argv[1], size=12, workspace="one") as database:
        handler = Handler()
        handler.database = database
        limits = WorkerLimits(slots=4, ceiling_seconds=30)
        worker = Worker(database, handler, SystemClock(), surface="slack", limits=limits)
        async with worker.running(), runtime.heartbeat(standstill_seconds=5):
            serving.begun()
            await asyncio.sleep(3600)

runtime.run(serve())
"""


def serves(then: str, *, standstill: int = 60) -> str:
    """Return a program that serves, does something then, and is ended after a standstill of so many seconds."""
    return SERVES.format(then=then, standstill=standstill)


@asynccontextmanager
async def program(text: str, *given: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    root = Path(__file__).parent.parent
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", text, *given, cwd=root, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        # It also waits for the end of both pipes.
        await asyncio.wait_for(process.wait(), PATIENCE)


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout
    said = (await process.stdout.readline()).decode().strip()
    return await line(process) if "process_died" in said else said


async def test_a_process_that_stands_still_says_where_and_is_started_again() -> None:
    async with program(serves(HOLDS_THE_INTERPRETER, standstill=1)) as process:
        assert ["serving", "serving"] == [await line(process), await line(process)]
        process.send_signal(signal.SIGTERM)
        _, said = await process.communicate()

    assert b"Timeout (0:00:01)!" in said
    assert b"in serve" in said
    assert b"aaaa" not in said
    assert process.returncode


async def test_a_loop_that_turns_is_left_alone() -> None:
    async with program(serves("await asyncio.sleep(11); print('served', flush=True)", standstill=5)) as process:
        assert ["serving", "served"] == [await line(process), await line(process)]
        assert 0 == await process.wait()


async def test_a_signal_ends_both_and_a_killed_supervisor_leaves_nobody() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        async with program(
            serves("from bot.cli.console import until_interrupted; await until_interrupted()")
        ) as process:
            await line(process)
            (child,) = psutil.Process(process.pid).children()
            process.send_signal(number)
            await process.wait()
            await asyncio.to_thread(child.wait, PATIENCE)


async def test_what_fails_before_it_serves_is_not_started_again() -> None:
    async with program(serves("pass").replace("serving.begun()", "sys.exit(3)")) as process:
        assert "" == await line(process)
        assert 3 == await process.wait()


async def test_what_dies_while_it_serves_is_started_again() -> None:
    async with program(serves("os.kill(os.getpid(), 9)")) as process:
        assert ["serving", "serving"] == [await line(process), await line(process)]


async def test_one_message_that_holds_the_process_is_given_up_and_the_others_are_answered(
    database: Database, app_url: str
) -> None:
    intake = Intake(database, TurnedClock(), workspace="one", surface="slack")
    for number, text in enumerate(["one", "hold", "two", "three", "four", "five"], 1):
        await intake.receive(message(text, ts=f"{number}.000001"))

    async with program(WORKS, app_url) as process:
        assert "gave up hold" == await line(process)
        await _nothing_waits(database)

    async with database.connection() as connection:
        cursor = await connection.execute("SELECT status, count(*) AS number FROM inbox GROUP BY status")
        assert {"finished": 5, "failed": 1} == {row["status"]: row["number"] for row in await cursor.fetchall()}


async def _nothing_waits(database: Database) -> None:
    while True:
        async with database.connection() as connection:
            cursor = await connection.execute("SELECT FROM inbox WHERE status = 'waiting' LIMIT 1")
            if await cursor.fetchone() is None:
                return
        await asyncio.sleep(0.2)
