"""A question that nobody answers: one reminder, then the most likely reading, whatever is lost or dies."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Literal

import psycopg

from bot.clock import SystemClock
from bot.conversation.schedule.jobs import ScheduledJobs
from bot.conversation.schedule.pruning import Pruning
from bot.conversation.schedule.scheduler import Cadence
from bot.postgres.pool import Connection, Database
from tests.journeys.holding import held_back, is_held_back
from tests.journeys.town import ADA, BEN, PATIENCE, Message, Town, labels_of, text_of, until

AMBIGUOUS = "How many vacation days do I have?"
OFTEN = Cadence(deadlines="* * * * * *", pruning="* * * * * *", poll_seconds=0.1)
SELDOM = "0 0 1 1 *"
SOON = {"remind_after_seconds": 0.5, "expire_after_seconds": 3600}
NOBODY, WAITS, ASSUMED = "Nobody answered.", "still waits for you", "I assumed"
AT_ONCE = {"remind_after_seconds": 3600, "expire_after_seconds": 0.5}


async def test_the_asker_is_reminded_once(town: Town) -> None:
    async with town.bot(cadence=OFTEN, **SOON):
        root = await town.ask(AMBIGUOUS)
        await shown(town, root, WAITS)
        await swept(town, "remind", times=2)
        (reminder,) = [one for one in town.said(root) if WAITS in text_of(one)]
        assert f"<@{ADA}>" in text_of(reminder)

        await town.click(root, "Porto")
        (answer,) = await town.answers(root)

    assert "25" in text_of(answer)


async def test_a_question_that_nobody_answers_is_answered_with_the_assumption_stated(town: Town) -> None:
    async with town.bot(cadence=OFTEN, **AT_ONCE):
        root = await town.ask(AMBIGUOUS)
        (answer,) = await town.answers(root)
        await town.settled()
        await swept(town, "expire", times=2)

        assumed = "Porto" if "Porto" in text_of(answer).split(ASSUMED)[1] else "Hamburg"
        card = await shown(town, root, NOBODY)
    assert f"I took it to mean *{assumed}*." in text_of(card)
    assert [] == labels_of(card)


async def test_with_every_click_lost_the_question_still_ends(town: Town) -> None:
    async with town.bot(cadence=OFTEN):
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        await town.playground.until(lambda: all(one.settled for one in town.playground.deliveries()))
        town.playground.faults.drop_deliveries(1_000)
        for label in ("Porto", "Hamburg", "Just answer"):
            await town.click(root, label)
        make_due(town, "expire")
        (answer,) = await town.answers(root)

    assert ASSUMED in text_of(answer)


async def test_a_click_after_the_deadline_is_explained(town: Town) -> None:
    async with town.bot(cadence=OFTEN):
        root = await town.ask(AMBIGUOUS)
        card = await town.card(root)
        held = [dict(block) for block in card["blocks"]]
        make_due(town, "expire")
        await town.answers(root)
        settled = await shown(town, root, NOBODY)
        # What somebody sees whose client has not been told yet.
        settled["blocks"] = held
        await town.playground.person(BEN).click("C0SUPPORT", card["ts"], label="Porto")

        assert await town.whisper(BEN, "most likely meaning")
        await town.settled()
        assert 1 == len(await town.answers(root))


async def test_a_deadline_that_passes_while_the_bot_is_dead_is_met_after_the_restart(town: Town) -> None:
    async with town.bot_process() as process:
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        await town.settled()
        await process.kill()
    make_due(town, "expire")
    async with town.bot(cadence=OFTEN):
        (answer,) = await town.answers(root)

    assert ASSUMED in text_of(answer)
    assert 2 == len(town.said(root))


async def test_killed_after_the_question_expired_another_answers(town: Town) -> None:
    async with town.bot_process() as process:
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        await town.settled()
        async with held_back(town):
            await sweep(town, "expire")
            await process.kill()
    async with town.bot(cadence=OFTEN):
        (answer,) = await town.answers(root)
        await town.settled()

    assert ASSUMED in text_of(answer)
    assert 2 == len(town.said(root))


async def test_killed_after_the_reminder_was_posted_nobody_posts_another(town: Town) -> None:
    async with town.bot_process() as process, AsyncExitStack() as stack:
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        await town.settled()
        async with held_back(town):
            await sweep(town, "remind")
            await stack.enter_async_context(unfinished(town))
        await until(lambda: is_recorded(town, "reminder"))
        await process.kill()
    async with town.bot():
        await town.settled()

    assert 2 == len(town.said(root))


async def test_two_bots_give_one_reminder_and_one_answer(town: Town) -> None:
    async with town.bot(cadence=OFTEN, **SOON), town.bot(cadence=OFTEN, **SOON):
        root = await town.ask(AMBIGUOUS)
        await shown(town, root, WAITS)
        make_due(town, "expire")
        await town.answers(root)
        await swept(town, "expire", times=3)
        await town.settled()

    texts = [text_of(one) for one in town.said(root)]
    assert 3 == len(texts)
    assert [True, True, True] == [said in text for said, text in zip((NOBODY, WAITS, ASSUMED), texts, strict=True)]


async def test_a_pruned_thread_remembers_and_an_open_question_still_waits(town: Town) -> None:
    async with town.bot(cadence=Cadence(pruning=SELDOM)):
        root = await town.ask("How many vacation days do people in Hamburg get?")
        await town.answers(root)
        await town.say("And in Porto?", root)
        await town.answers(root, 2)
        asked = await town.ask(AMBIGUOUS)
        await town.card(asked)
        await town.settled()
    before = await checkpoints(town)

    async with town.bot(cadence=OFTEN, prune_after_hours=0):
        await until(lambda: has_one_checkpoint(town, root))
        after = await checkpoints(town)
        await town.say("And in Hamburg?", root)
        follow_up = (await town.answers(root, 3))[-1]
        await town.click(asked, "Porto")
        (answer,) = await town.answers(asked)

    assert (2, 1) == (of_thread(before, root), of_thread(after, root))
    assert of_thread(before, asked) == of_thread(after, asked)
    assert ("30" in text_of(follow_up), "25" in text_of(answer)) == (True, True)


async def shown(town: Town, root: str, text: str) -> Message:
    """Wait for a message of the bot that holds a text."""

    def there() -> list[Message]:
        return [one for one in town.said(root) if text in text_of(one)]

    return (await town.playground.until(there, timeout=PATIENCE))[0]


async def swept(town: Town, name: str, *, times: int) -> None:
    """Wait until a sweep that runs every second has come round so many times more."""

    async def latest() -> int:
        async with await psycopg.AsyncConnection.connect(town.database_url) as connection:
            query = "SELECT coalesce(max(defer_timestamp), 0) FROM procrastinate_periodic_defers WHERE task_name = %s"
            row = await (await connection.execute(query, (f"{name}:slack:{town.playground.team_id}",))).fetchone()
            return row[0] if row else 0

    async def began() -> bool:
        return await latest() > 0

    async def came_round() -> bool:
        return await latest() > first + times

    await until(began)
    first = await latest()
    await until(came_round)


async def sweep(town: Town, name: Literal["remind", "expire"]) -> None:
    """Let the time of the open question come, and sweep until a worker has claimed what came of it."""

    async def took_effect() -> bool:
        await (sweeps.remind() if name == "remind" else sweeps.expire())
        return await is_held_back(owner)

    make_due(town, name)
    async with Database.open(town.app_url, size=2, workspace="default") as database, town.looking() as owner:
        sweeps = ScheduledJobs(
            database, SystemClock(), workspace="default", surface=f"slack:{town.playground.team_id}",
            pruning=Pruning(database, nothing), prune_after=timedelta(),
        )  # fmt: skip
        await until(took_effect)


def make_due(town: Town, name: Literal["remind", "expire"]) -> None:
    """Let the time of the open question come."""
    with psycopg.connect(town.database_url) as owner:
        owner.execute("UPDATE asks SET remind_at = now()" if name == "remind" else "UPDATE asks SET due_at = now()")


async def nothing(_connection: Connection, _thread_id: str) -> None:
    """Prune nothing."""


@asynccontextmanager
async def unfinished(town: Town) -> AsyncGenerator[None]:
    """Hold back every run between its end and its commit while the context is open."""
    async with await psycopg.AsyncConnection.connect(town.database_url) as connection:
        await connection.execute("LOCK TABLE inbox IN SHARE MODE")
        yield
        await connection.rollback()


async def is_recorded(town: Town, kind: str) -> bool:
    """Tell whether it is known where a message of a kind is."""
    async with await psycopg.AsyncConnection.connect(town.database_url) as connection:
        cursor = await connection.execute("SELECT FROM messages WHERE kind = %s", (kind,))
        return await cursor.fetchone() is not None


async def checkpoints(town: Town) -> dict[str, int]:
    """Return how many checkpoints each thread has."""
    async with await psycopg.AsyncConnection.connect(town.database_url) as connection:
        cursor = await connection.execute("SELECT thread_id, count(*) FROM checkpoints GROUP BY thread_id")
        return dict(await cursor.fetchall())


def of_thread(counts: dict[str, int], root: str) -> int:
    """Return the count of the thread that began with a message."""
    return next(count for thread_id, count in counts.items() if thread_id.endswith(root))


async def has_one_checkpoint(town: Town, root: str) -> bool:
    """Tell whether a thread has nothing left to prune."""
    return 1 == of_thread(await checkpoints(town), root)
