"""An unanswered question gets one reminder, then an answer to the likeliest interpretation, despite crashes."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Literal

import psycopg

from bot.clock import SystemClock
from bot.conversation.schedule import Cadence, Retention, ScheduledJobs
from bot.postgres.pool import Database
from tests.journeys.harness import ADA, BEN, PATIENCE, Harness, Message, labels_of, text_of, until
from tests.journeys.holding import held_back, is_held_back

AMBIGUOUS = "How many vacation days do I have?"
OFTEN = Cadence(deadlines_seconds=0.2, pruning_seconds=0.2)
SOON = {"remind_after_seconds": 0.5, "expire_after_seconds": 3600}
NOBODY, WAITS, ASSUMED = "Nobody answered.", "still waits for you", "I assumed"
AT_ONCE = {"remind_after_seconds": 3600, "expire_after_seconds": 0.5}


async def test_the_asker_is_reminded_once(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN, **SOON):
        root = await harness.ask(AMBIGUOUS)
        await shown(harness, root, WAITS)
        await swept(harness, "remind", times=2)
        (reminder,) = [one for one in harness.said(root) if WAITS in text_of(one)]
        assert f"<@{ADA}>" in text_of(reminder)

        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)


async def test_a_question_that_nobody_answers_is_answered_with_the_assumption_stated(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN, **AT_ONCE):
        root = await harness.ask(AMBIGUOUS)
        (answer,) = await harness.answers(root)
        await harness.settled()
        await swept(harness, "expire", times=2)

        assumed = "Porto" if "Porto" in text_of(answer).split(ASSUMED)[1] else "Hamburg"
        card = await shown(harness, root, NOBODY)
    assert f"I took it to mean *{assumed}*." in text_of(card)
    assert [] == labels_of(card)


async def test_with_every_click_lost_the_question_still_ends(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN):
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.playground.until(lambda: all(one.settled for one in harness.playground.deliveries()))
        harness.playground.faults.drop_deliveries(1_000)
        for label in ("Porto", "Hamburg", "Just answer"):
            await harness.click(root, label)
        await make_due(harness, "expire")
        (answer,) = await harness.answers(root)

    assert ASSUMED in text_of(answer)


async def test_a_click_after_the_deadline_is_explained(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN):
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        held = [dict(block) for block in card["blocks"]]
        await make_due(harness, "expire")
        await harness.answers(root)
        settled = await shown(harness, root, NOBODY)
        await harness.settled()
        # The click of a person whose client still shows the old card.
        settled["blocks"] = held
        await harness.playground.person(BEN).click("C0SUPPORT", card["ts"], label="Porto")

        assert await harness.ephemeral(BEN, "most likely meaning")
        await harness.settled()
        assert 1 == len(await harness.answers(root))


async def test_a_deadline_that_passes_while_the_bot_is_dead_is_met_after_the_restart(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.settled()
        await process.kill()
    await make_due(harness, "expire")
    async with harness.bot(cadence=OFTEN):
        (answer,) = await harness.answers(root)

    assert ASSUMED in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_killed_after_the_question_expired_another_answers(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.settled()
        async with held_back(harness):
            await job(harness, "expire")
            await process.kill()
    async with harness.bot(cadence=OFTEN):
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert ASSUMED in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_killed_after_the_reminder_was_posted_nobody_posts_another(harness: Harness) -> None:
    async with harness.bot_process() as process, AsyncExitStack() as stack:
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await harness.settled()
        async with held_back(harness):
            await job(harness, "remind")
            await stack.enter_async_context(unfinished(harness))
        await until(lambda: is_recorded(harness, "reminder"))
        await process.kill()
    async with harness.bot():
        await harness.settled()

    assert 2 == len(harness.said(root))


async def test_two_bots_give_one_reminder_and_one_answer(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN, **SOON), harness.bot(cadence=OFTEN, **SOON):
        root = await harness.ask(AMBIGUOUS)
        await shown(harness, root, WAITS)
        await make_due(harness, "expire")
        await harness.answers(root)
        await swept(harness, "expire", times=3)
        await harness.settled()

    texts = [text_of(one) for one in harness.said(root)]
    assert 3 == len(texts)
    assert [True, True, True] == [said in text for said, text in zip((NOBODY, WAITS, ASSUMED), texts, strict=True)]


async def test_a_pruned_thread_remembers_and_an_open_question_still_waits(harness: Harness) -> None:
    async with harness.bot(cadence=Cadence()):
        root = await harness.ask("How many vacation days do people in Hamburg get?")
        await harness.answers(root)
        await harness.say("And in Porto?", root)
        await harness.answers(root, 2)
        asked = await harness.ask(AMBIGUOUS)
        await harness.card(asked)
        await harness.settled()
    before = await checkpoints(harness)

    async with harness.bot(cadence=OFTEN, prune_after_hours=0):
        await until(lambda: has_one_checkpoint(harness, root))
        after = await checkpoints(harness)
        await harness.say("And in Hamburg?", root)
        follow_up = (await harness.answers(root, 3))[-1]
        await harness.click(asked, "Porto")
        (answer,) = await harness.answers(asked)

    assert (2, 1) == (of_thread(before, root), of_thread(after, root))
    assert of_thread(before, asked) == of_thread(after, asked)
    assert ("30" in text_of(follow_up), "25" in text_of(answer)) == (True, True)


async def shown(harness: Harness, root: str, text: str) -> Message:
    """Wait for a message of the bot with this text."""

    def there() -> list[Message]:
        return [one for one in harness.said(root) if text in text_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[0]


@asynccontextmanager
async def jobs_of(harness: Harness) -> AsyncGenerator[ScheduledJobs]:
    """Return the jobs of the harness's bot, beside those that it runs itself."""
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        yield ScheduledJobs(
            database,
            SystemClock(),
            workspace="default",
            surface=f"slack:{harness.playground.team_id}",
            retention=Retention(checkpoints=timedelta()),
        )


async def swept(harness: Harness, name: Literal["remind", "expire"], *, times: int) -> None:
    """Run a job this many more times."""
    async with jobs_of(harness) as jobs:
        for _ in range(times):
            await (jobs.remind() if name == "remind" else jobs.expire())


async def job(harness: Harness, name: Literal["remind", "expire"]) -> None:
    """Let the open question become due, and wait until a worker has claimed the resulting item."""

    async def took_effect() -> bool:
        await (jobs.remind() if name == "remind" else jobs.expire())
        return await is_held_back(owner)

    await make_due(harness, name)
    async with jobs_of(harness) as jobs, harness.owning() as owner:
        await until(took_effect)


async def make_due(harness: Harness, name: Literal["remind", "expire"]) -> None:
    """Let the open question become due."""
    remind, expire = "UPDATE asks SET remind_at = now()", "UPDATE asks SET due_at = now()"
    async with harness.owning() as owner:
        await owner.execute(remind if name == "remind" else expire)


@asynccontextmanager
async def unfinished(harness: Harness) -> AsyncGenerator[None]:
    """Hold back every run between its end and its commit while the context is open."""
    async with await psycopg.AsyncConnection.connect(harness.database_url) as connection:
        await connection.execute("LOCK TABLE asks IN SHARE MODE")
        yield
        await connection.rollback()


async def is_recorded(harness: Harness, kind: str) -> bool:
    """Tell whether the place of a message of this kind is recorded."""
    async with await psycopg.AsyncConnection.connect(harness.database_url) as connection:
        cursor = await connection.execute("SELECT FROM messages WHERE kind = %s", (kind,))
        return await cursor.fetchone() is not None


async def checkpoints(harness: Harness) -> dict[str, int]:
    """Return the number of checkpoints of each thread."""
    async with await psycopg.AsyncConnection.connect(harness.database_url) as connection:
        cursor = await connection.execute("SELECT thread_id, count(*) FROM checkpoints GROUP BY thread_id")
        return dict(await cursor.fetchall())


def of_thread(counts: dict[str, int], root: str) -> int:
    """Return the number for the thread of a message."""
    return next(count for thread_id, count in counts.items() if thread_id.endswith(root))


async def has_one_checkpoint(harness: Harness, root: str) -> bool:
    """Tell whether a thread has nothing left to prune."""
    return 1 == of_thread(await checkpoints(harness), root)
