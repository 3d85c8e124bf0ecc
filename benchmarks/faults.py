"""The same mishaps for every bot: what becomes of the questions, by what people see in the threads."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from benchmarks.contestants import CHANNEL, PEOPLE, Contestant
from benchmarks.questions import AMBIGUOUS, READINGS, plain

THREADS = 5
CLICKS = 20
CALM_SECONDS = 3.0
"""So long nothing may happen before a thread counts as left alone."""
IDLE_CPU_SECONDS = 0.3
"""What a process may use in that time for its heartbeats and polls."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of the questions of a script."""

    right: int
    """Threads with exactly the answers that were asked for, all of them remembered."""
    lost: int
    """Answers that never came, or that the thread does not know of afterwards."""
    doubled: int
    """Answers more than were asked for."""


Script: TypeAlias = Callable[[Contestant], Awaitable[Outcome]]


async def events_come_four_times(bot: Contestant) -> Outcome:
    """Deliver each event twice, and a mention is two events."""
    bot.playground.faults.duplicate(2 * THREADS)
    return await outcome_of(bot, await _ask_all(bot))


async def messages_of_a_thread_come_at_once(bot: Contestant) -> Outcome:
    """Ask two questions in a thread at the same moment."""
    roots = await _ask_all(bot)
    for number, root in enumerate(roots):
        await bot.ask(plain(number + 1), root=root, person=PEOPLE[1])
    return await outcome_of(bot, roots, wanted=2)


async def people_click_at_once(bot: Contestant) -> Outcome:
    """Let two people press the buttons of each card ten times each."""
    cards = await _cards(bot)
    for card in cards:
        for number in range(CLICKS):
            person = bot.playground.person(PEOPLE[number % 2])
            await person.click(CHANNEL, card["ts"], label=READINGS[number // 2 % 2])
    return await outcome_of(bot, [card["thread_ts"] for card in cards])


async def killed_in_the_middle(bot: Contestant) -> Outcome:
    """Kill the process while it works on the questions, and start it again."""
    async with _held_back(bot, THREADS):
        roots = await _ask_all(bot)
    return await outcome_of(bot, roots)


async def restarted_with_open_questions(bot: Contestant) -> Outcome:
    """Kill the process while its cards wait; people click when it is back."""
    cards = await _cards(bot)
    await bot.kill()
    await bot.start()
    return await _click_each(bot, cards)


async def killed_after_the_click(bot: Contestant) -> Outcome:
    """Kill the process when it has acknowledged the clicks, and start it again."""
    cards = await _cards(bot)
    async with _held_back(bot, THREADS):
        await _click_all(bot, cards)
    return await outcome_of(bot, [card["thread_ts"] for card in cards])


async def slack_says_slow_down(bot: Contestant) -> Outcome:
    """Ask twelve questions at once in a channel, where Slack takes about one message a second."""
    return await outcome_of(bot, [await bot.ask(plain(number)) for number in range(12)])


QUICK: Mapping[str, Script] = {
    "each event comes four times": events_come_four_times,
    "two questions at once in a thread": messages_of_a_thread_come_at_once,
    "twenty clicks on a card at once": people_click_at_once,
}
WITH_RESTARTS: Mapping[str, Script] = {
    "killed in the middle of an answer": killed_in_the_middle,
    "killed while its question waits, then a click": restarted_with_open_questions,
    "killed right after a click": killed_after_the_click,
}


async def _ask_all(bot: Contestant) -> list[str]:
    return [await bot.ask(plain(number)) for number in range(THREADS)]


async def _cards(bot: Contestant) -> list[dict[str, Any]]:
    roots = [await bot.ask(AMBIGUOUS) for _ in range(THREADS)]
    return [await bot.card(root) for root in roots]


async def _click_all(bot: Contestant, cards: Sequence[dict[str, Any]]) -> None:
    clicked = [await bot.playground.person(PEOPLE[0]).click(CHANNEL, card["ts"], label=READINGS[0]) for card in cards]
    await bot.playground.until(lambda: all(delivery.settled for delivery in clicked), 60.0)


async def _click_each(bot: Contestant, cards: Sequence[dict[str, Any]]) -> Outcome:
    await _click_all(bot, cards)
    return await outcome_of(bot, [card["thread_ts"] for card in cards])


@asynccontextmanager
async def _held_back(bot: Contestant, runs: int) -> AsyncGenerator[None]:
    """Keep runs from reading documents, so that they are in the middle when the process is killed and started anew."""
    async with await psycopg.AsyncConnection.connect(bot.database_url) as connection:
        await connection.execute("LOCK TABLE documents IN ACCESS EXCLUSIVE MODE")
        yield
        async with asyncio.timeout(60):
            while await _waiting(bot) < runs:  # noqa: ASYNC110 (a lock tells nobody that it is waited for)
                await asyncio.sleep(0.05)
        await bot.kill()
    await bot.start()


async def _waiting(bot: Contestant) -> int:
    async with await psycopg.AsyncConnection.connect(bot.database_url) as connection:
        cursor = await connection.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'documents'::regclass"
        )
        row = await cursor.fetchone()
    return row[0] if row else 0


async def outcome_of(bot: Contestant, roots: Sequence[str], *, wanted: int = 1) -> Outcome:
    """Wait until the bot leaves the threads alone, and return what became of the questions in them."""
    await _calm(bot)
    answers = [len(bot.answered(root)) for root in roots]
    known = [min(wanted, await _remembered(bot, root)) for root in roots]
    fewer = [wanted - min(wanted, shown, kept) for shown, kept in zip(answers, known, strict=True)]
    more = [max(0, shown - wanted) for shown in answers]
    right = sum(not lost and not doubled for lost, doubled in zip(fewer, more, strict=True))
    return Outcome(right=right, lost=sum(fewer), doubled=sum(more))


async def _calm(bot: Contestant) -> None:
    """Wait until the bot is neither told nor says anything, and does not compute either."""
    before, now = _activity(bot), (-1, 0.0)
    while now[0] != before[0] or now[1] - before[1] > IDLE_CPU_SECONDS:
        before = _activity(bot)
        await asyncio.sleep(CALM_SECONDS)
        now = _activity(bot)


def _activity(bot: Contestant) -> tuple[int, float]:
    slack = bot.playground
    return len(slack.calls()) + sum(len(one.attempts) for one in slack.deliveries()), bot.cpu_seconds()


async def _remembered(bot: Contestant, root: str) -> int:
    """Return how many questions the thread's state still knows."""
    async with AsyncPostgresSaver.from_conn_string(bot.database_url) as saver:
        cursor = await saver.conn.execute(
            "SELECT max(thread_id) AS id FROM checkpoints WHERE thread_id LIKE '%%' || %(root)s", {"root": root}
        )
        row = await cursor.fetchone()
        kept = await saver.aget_tuple({"configurable": {"thread_id": row["id"]}}) if row and row["id"] else None
    return _questions(kept.checkpoint["channel_values"]) if kept else 0


def _questions(state: dict[str, Any]) -> int:
    if "messages" in state:
        return sum(message.type == "human" for message in state["messages"])
    return len(state.get("memory", {}).get("exchanges", ()))
