"""When an answer is kept, those who had asked the same in vain are told, once, if they may read it."""

import pytest

from bot.conversation.items import Surface
from bot.conversation.schedule import Cadence
from bot.conversation.traces.trace_store import runs
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, text_of, until
from tests.journeys.reviewing import CHIARA, reviewed
from tests.journeys.reviews.test_verified import ODD, asked_a_human, offered

DEV = "U0DEV"
OFTEN = Cadence(verified_news_seconds=0.1)
GENERAL = "C0GENERAL"


async def ask_in_vain(harness: Harness, question: str, person: str, *, channel: str = SUPPORT) -> str:
    """Ask what no document answers; return the question's ts."""
    root = await harness.ask(question, person=person, channel=channel)
    await harness.answers(root, channel=channel)
    await harness.settled()
    return root


async def solve(harness: Harness, question: str = ODD) -> None:
    """Let Ada ask a human, and Chiara keep her answer; wait until news of it were looked for."""
    root = await asked_a_human(harness, question)
    offer = await offered(harness, root)
    await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
    await harness.ephemeral(CHIARA, "I keep this as a verified answer")
    await looked(harness)


async def looked(harness: Harness) -> None:
    """Wait until everybody was told of every verified answer."""

    async def holds() -> bool:
        cursor = await owner.execute("SELECT FROM verified_answers WHERE askers_told_at IS NULL")
        return await cursor.fetchone() is None

    async with harness.owning() as owner:
        await until(holds)


def news(harness: Harness, person: str) -> list[Message]:
    """Return what a person is told of questions that were answered since."""
    direct = harness.playground.messages(f"D0{person.removeprefix('U0')}")
    return [one for one in direct if "has answered it since" in text_of(one)]


async def test_who_asked_the_same_in_vain_is_told_once_and_nobody_else(harness: Harness) -> None:
    async with reviewed(harness, cadence=OFTEN):
        root = await ask_in_vain(harness, "who waters the plants of the third floor", BEN)
        await ask_in_vain(harness, ODD, BEN, channel=GENERAL)
        await ask_in_vain(harness, "Who waters the plants on the fourth floor?", DEV)
        await ask_in_vain(harness, ODD, CHIARA)
        await solve(harness)
        (told,) = await harness.playground.until(lambda: news(harness, BEN), timeout=PATIENCE)
        async with harness.owning() as owner:
            await owner.execute("UPDATE verified_answers SET askers_told_at = NULL")
        await looked(harness)
        await harness.settled()

    text = text_of(told)
    assert "watered by Olga from facilities, every Friday." in text
    assert "Verified by chiara" in text
    assert "|you asked>" in text
    assert "<@U0DEV>" not in text
    assert [1, 0, 0, 0] == [len(news(harness, person)) for person in (BEN, ADA, CHIARA, DEV)]
    assert root


@pytest.mark.parametrize("how", ["deleted", "answered"])
async def test_who_needs_it_no_more_is_not_told(harness: Harness, how: str) -> None:
    async with reviewed(harness, cadence=Cadence(verified_news_seconds=3600)):
        root = await ask_in_vain(harness, ODD, BEN)
        again = await asked_a_human(harness)
        offer = await offered(harness, again)
        await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
        await harness.ephemeral(CHIARA, "I keep this as a verified answer")
        if how == "deleted":
            await harness.playground.person(BEN).delete(SUPPORT, root)
        else:
            later = await harness.ask(ODD, person=BEN)
            await harness.answers(later)
        await harness.settled()
    async with reviewed(harness, cadence=OFTEN):
        await looked(harness)

    assert [] == news(harness, BEN)


async def test_who_may_not_read_the_answer_is_not_told(harness: Harness) -> None:
    support = harness.playground.workspace.channels[SUPPORT]
    support.kind = "private"
    async with reviewed(harness, cadence=OFTEN):
        await ask_in_vain(harness, ODD, BEN, channel=GENERAL)
        await ask_in_vain(harness, ODD, DEV, channel=GENERAL)
        support.members.remove(BEN)
        await solve(harness)
        await harness.playground.until(lambda: news(harness, DEV), timeout=PATIENCE)

    assert [] == news(harness, BEN)


async def test_who_has_left_since_is_passed_over_and_holds_up_nobody(harness: Harness) -> None:
    async with reviewed(harness, cadence=OFTEN):
        await ask_in_vain(harness, ODD, BEN)
        await ask_in_vain(harness, ODD, DEV)
        harness.playground.faults.fail("conversations.open", "user_disabled")
        await solve(harness)
        await looked(harness)

    assert 1 == len(news(harness, BEN)) + len(news(harness, DEV))


@pytest.mark.parametrize(("days", "is_told"), [(60, True), (100, False)])
async def test_who_asked_in_vain_is_told_long_after_the_words_of_the_run_are_forgotten(
    harness: Harness, days: int, is_told: bool
) -> None:
    async with reviewed(harness, cadence=OFTEN) as bot:
        await ask_in_vain(harness, ODD, BEN)
        async with harness.owning() as owner:
            await owner.execute("UPDATE runs SET ended_at = ended_at - %s * interval '1 day'", (days,))
            await owner.execute("UPDATE inbox SET received_at = received_at - %s * interval '1 day'", (days,))
        await bot.scheduled_jobs(Surface("slack:T0LUMENPINE")).prune()
        async with harness.owning() as owner:
            left = await (await owner.execute("SELECT outcome, steps::text FROM runs")).fetchall()
        async with bot.database.transaction("default") as connection:
            listed = await runs(connection, limit=9)
        await solve(harness)
        await harness.settled()

    assert ([("admitted", "[]")] if is_told else []) == left
    assert [] == listed
    assert is_told == bool(news(harness, BEN))
