"""The outcome of questions, by what people see in the threads and by what the threads remember."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection

from benchmarks.arena.contestants import Contestant, Json

PATIENCE_SECONDS = 60.0
"""Seconds for the missing answers; no bot retries anything after more than half of that."""
CALM_SECONDS = 3.0
"""Seconds without any activity until a bot counts as idle."""
IDLE_CPU_SECONDS = 0.3
"""Processor time that an idle process may use for heartbeats and polls."""
LOOK_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a script."""

    right: int
    """Threads with exactly the right answers, all of them remembered."""
    lost: int
    """Answers that never came, or that the thread's memory lost."""
    doubled: int
    """Answers too many."""


async def outcome_of(bot: Contestant, roots: Sequence[str], *, wanted: int = 1, holding: str = "") -> Outcome:
    """Wait until the bot is idle, and return the outcome of the threads.

    If answers must hold a text, all other answers count as too many.
    """

    def fitting(root: str) -> int:
        return sum(holding in text_of(one) for one in bot.answered(root))

    await at_rest(bot, lambda: all(fitting(root) >= wanted for root in roots))
    known = [min(wanted, await _questions_known(bot, root)) for root in roots]
    fewer = [wanted - min(wanted, fitting(root), kept) for root, kept in zip(roots, known, strict=True)]
    return counted(fewer, [max(0, len(bot.answered(root)) - wanted) for root in roots])


def counted(fewer: Sequence[int], more: Sequence[int]) -> Outcome:
    """Return the outcome of threads by their missing and surplus answers."""
    right = sum(not lost and not doubled for lost, doubled in zip(fewer, more, strict=True))
    return Outcome(right=right, lost=sum(fewer), doubled=sum(more))


async def at_rest(bot: Contestant, has_said_all: Callable[[], bool] = lambda: True) -> None:
    """Wait for all answers, at most a minute; then until the bot is idle."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (has_said_all() and _is_all_told(bot) and await _nothing_waits(bot)):  # noqa: ASYNC110 (nobody tells)
                await asyncio.sleep(LOOK_SECONDS)
    before, now = _activity(bot), (-1, 0.0)
    while now[0] != before[0] or now[1] - before[1] > IDLE_CPU_SECONDS:
        before = _activity(bot)
        await asyncio.sleep(CALM_SECONDS)
        now = _activity(bot)


def text_of(answer: Json) -> str:
    """Return an answer's text without its sources."""
    return "\n".join(block["text"] for block in answer.get("blocks", ()) if block["type"] == "markdown")


async def state_of(bot: Contestant, root: str) -> dict[str, Any]:
    """Return the content of the thread's latest checkpoint."""
    async with AsyncPostgresSaver.from_conn_string(bot.database_url) as saver:
        assert isinstance(saver.conn, AsyncConnection)
        cursor = await saver.conn.execute(
            "SELECT max(thread_id) AS id FROM checkpoints WHERE thread_id LIKE '%%' || %(root)s", {"root": root}
        )
        row = await cursor.fetchone()
        kept = await saver.aget_tuple({"configurable": {"thread_id": row["id"]}}) if row and row["id"] else None
    return kept.checkpoint["channel_values"] if kept else {}


def _is_all_told(bot: Contestant) -> bool:
    return all(one.settled for one in bot.playground.deliveries())


async def _nothing_waits(bot: Contestant) -> bool:
    """Tell whether the inbox is empty; the plain bot has none."""
    async with await psycopg.AsyncConnection.connect(bot.database_url) as connection:
        cursor = await connection.execute("SELECT FROM inbox WHERE status IN ('waiting', 'asking') LIMIT 1")
        return await cursor.fetchone() is None


def _activity(bot: Contestant) -> tuple[int, float]:
    slack = bot.playground
    return len(slack.calls()) + sum(len(one.attempts) for one in slack.deliveries()), bot.cpu_seconds()


async def _questions_known(bot: Contestant, root: str) -> int:
    state = await state_of(bot, root)
    if "messages" in state:
        return sum(message.type == "human" for message in state["messages"])
    return len(state.get("memory", {}).get("exchanges", ()))
