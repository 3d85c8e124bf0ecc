"""Several receivers and workers as processes of their own: if one dies, nothing is lost or shown twice."""

import asyncio
import sys

import psycopg

from tests.journeys.harness import BotProcess, Harness, is_answer, text_of
from tests.journeys.holding import slow_writer
from tests.models.groq_server import GroqServer

PLAIN = "What is the limit for a hotel night?"


async def test_with_a_worker_killed_and_another_cut_off_and_a_receiver_killed_all_is_answered_once(
    harness: Harness,
) -> None:
    hurries = asyncio.Event()
    async with GroqServer.serve(slow_writer(PLAIN, hurries)) as groq:
        settings = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}
        async with (
            harness.bot_process("receive") as receiver,
            harness.bot_process("receive"),
            harness.bot_process("work", **settings) as worker,
            harness.bot_process("work", **settings) as other,
        ):
            roots = [await harness.ask(PLAIN) for _ in range(6)]
            await harness.playground.until(lambda: _begun(harness, roots) >= 6)
            await worker.kill()
            cut(harness, other)
            hurries.set()
            await receiver.kill()
            roots += [await harness.ask(PLAIN) for _ in range(6)]
            await harness.playground.until(lambda: all(_answered(harness, root) for root in roots))
            await harness.settled()

    for root in roots:
        (answer,) = harness.said(root)
        assert "145 EUR" in text_of(answer)


async def test_a_receiver_loads_neither_graph_nor_models() -> None:
    heavy = "{'langgraph', 'onnxruntime', 'groq'}"
    asked = f"import sys, bot.cli.commands, bot.receiver; print(*sorted({heavy} & {{*sys.modules}}))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", asked, stdout=asyncio.subprocess.PIPE)
    loaded, _ = await asyncio.wait_for(process.communicate(), 600)

    assert (0, b"") == (process.returncode, loaded.strip())


def cut(harness: Harness, process: BotProcess) -> None:
    """End all connections of a process to the database."""
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        ended = owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY(%s)", (process.ports,)
        ).fetchall()
    assert ended


def _begun(harness: Harness, roots: list[str]) -> int:
    return sum(any("145" in text_of(one) for one in harness.said(root)) for root in roots)


def _answered(harness: Harness, root: str) -> bool:
    return any(is_answer(one) for one in harness.said(root))
