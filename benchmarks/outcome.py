"""What became of the questions, by what people see in the threads and by what the threads remember."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from benchmarks.contestants import Contestant, Json

PATIENCE_SECONDS = 60.0
"""So long each bot has for what it still owes; none tries anything again after more than half of that."""
CALM_SECONDS = 3.0
"""So long nothing may happen before a thread counts as left alone."""
IDLE_CPU_SECONDS = 0.3
"""What a process may use in that time for its heartbeats and polls."""
LOOK_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of the questions of a script."""

    right: int
    """Threads with exactly the answers that were asked for, all of them remembered."""
    lost: int
    """Answers that never came, or that the thread does not know of afterwards."""
    doubled: int
    """Answers more than were asked for."""


async def outcome_of(bot: Contestant, roots: Sequence[str], *, wanted: int = 1, holding: str = "") -> Outcome:
    """Wait until the bot has nothing more to do, and return what became of the questions in the threads.

    Where the answers must hold something, any others count only as too many.
    """

    def fitting(root: str) -> int:
        return sum(holding in text_of(one) for one in bot.answered(root))

    await at_rest(bot, lambda: all(fitting(root) >= wanted for root in roots))
    known = [min(wanted, await _questions_known(bot, root)) for root in roots]
    fewer = [wanted - min(wanted, fitting(root), kept) for root, kept in zip(roots, known, strict=True)]
    return counted(fewer, [max(0, len(bot.answered(root)) - wanted) for root in roots])


def counted(fewer: Sequence[int], more: Sequence[int]) -> Outcome:
    """Return the outcome of threads that lack so many answers, and have so many too many."""
    right = sum(not lost and not doubled for lost, doubled in zip(fewer, more, strict=True))
    return Outcome(right=right, lost=sum(fewer), doubled=sum(more))


async def at_rest(bot: Contestant, has_said_all: Callable[[], bool] = lambda: True) -> None:
    """Wait until the bot has said all it should, or for a minute; then until it does nothing any more."""
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
    """Return what an answer says, without its sources."""
    return "\n".join(block["text"] for block in answer.get("blocks", ()) if block["type"] == "markdown")


async def state_of(bot: Contestant, root: str) -> dict[str, Any]:
    """Return what the thread's latest checkpoint holds."""
    async with AsyncPostgresSaver.from_conn_string(bot.database_url) as saver:
        cursor = await saver.conn.execute(
            "SELECT max(thread_id) AS id FROM checkpoints WHERE thread_id LIKE '%%' || %(root)s", {"root": root}
        )
        row = await cursor.fetchone()
        kept = await saver.aget_tuple({"configurable": {"thread_id": row["id"]}}) if row and row["id"] else None
    return kept.checkpoint["channel_values"] if kept else {}


def _is_all_told(bot: Contestant) -> bool:
    return all(one.settled for one in bot.playground.deliveries())


async def _nothing_waits(bot: Contestant) -> bool:
    """Tell whether the inbox is worked off; one that keeps none has it empty."""
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
