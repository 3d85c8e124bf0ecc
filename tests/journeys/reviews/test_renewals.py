"""Before a verified answer ends, those to whom it was told are asked, once, whether it held."""

from collections.abc import AsyncGenerator
from typing import Any

import psycopg
import pytest

from bot.audience import Names
from bot.conversation.schedule import Cadence
from bot.parts import maintain_intake_of
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, labels_of, text_of, until
from tests.journeys.reviewing import CHIARA, HOTEL, open_card, reviewed, unsure
from tests.journeys.reviews.test_verified import edited, keep, told
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import reading

OFTEN = Cadence(verified_news_seconds=0.1)
OTHERWISE = "How much may a room cost?"


@pytest.fixture
async def groq() -> AsyncGenerator[GroqServer]:
    """A model whose drafts about hotels fall short."""
    async with GroqServer.serve(unsure) as server:
        yield server


async def ends_soon(harness: Harness) -> None:
    """Let all verified answers end within the week."""
    async with harness.owning() as owner:
        await owner.execute("UPDATE verified_answers SET valid_until = now() + interval '3 days'")


def days_left(harness: Harness) -> int:
    """Return for how many days the verified answer is told."""
    with psycopg.connect(harness.database_url) as owner:
        row = owner.execute(
            "SELECT extract(day FROM valid_until - now())::int FROM verified_answers WHERE retired_at IS NULL"
        ).fetchone()
        return row[0] if row else 0


def asked(harness: Harness, channel: str) -> list[Message]:
    """Return what asks in a direct message whether an answer held."""
    return [one for one in harness.playground.messages(channel) if "Yes, it is right" in labels_of(one)]


async def noted(harness: Harness) -> None:
    """Wait until it is noted that somebody was asked."""

    async def is_noted() -> bool:
        cursor = await owner.execute("SELECT FROM verified_answers WHERE holds_asked_at IS NOT NULL")
        return await cursor.fetchone() is not None

    async with harness.owning() as owner:
        await until(is_noted)


async def asked_of_ben(harness: Harness) -> Message:
    """Wait for the question whether the answer held that Ben was told. A click counts once it is noted."""
    (message, *_) = await harness.playground.until(lambda: asked(harness, "D0BEN"), timeout=PATIENCE)
    await noted(harness)
    return message


async def test_an_answer_that_was_used_is_asked_about_and_told_on(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, cadence=OFTEN):
        await edited(harness)
        await keep(harness)
        assert "Verified by @chiara" in await told(harness)
        assert [] == asked(harness, "D0BEN")
        await ends_soon(harness)
        message = await asked_of_ben(harness)
        assert f"I told you what chiara answered to “{HOTEL}”" in text_of(message)
        await harness.playground.person(BEN).click("D0BEN", message["ts"], label="Yes, it is right")
        await harness.playground.until(lambda: [] == asked(harness, "D0BEN"), timeout=PATIENCE)
        await harness.settled()

        assert 89 <= days_left(harness)
        await ends_soon(harness)
        # Nobody has used it since, so nobody is asked, and it ends.
        assert "Verified by @chiara" in await told(harness, person=ADA)
        await harness.playground.until(lambda: asked(harness, "D0ADA"), timeout=PATIENCE)
    assert [] == asked(harness, "D0BEN")


async def test_an_answer_that_nobody_used_ends_and_nobody_is_asked_or_told(harness: Harness, groq: GroqServer) -> None:
    async def asks(_answer: object, _people: object) -> None:
        raise AssertionError("Somebody was asked.")

    async def reads(_: str) -> Names:
        raise AssertionError("Somebody was to be asked.")

    async with reviewed(harness, groq) as bot:
        await edited(harness)
        await keep(harness)
        await harness.settled()
        posted = len(harness.playground.calls("chat.postMessage"))
        intake = maintain_intake_of(bot.settings, bot.database)
        await ends_soon(harness)
        assert not await intake.ask_next(asks, reads)
        async with harness.owning() as owner:
            await owner.execute("UPDATE verified_answers SET valid_until = now() - interval '1 second'")
        assert not await intake.ask_next(asks, reads)
        assert posted == len(harness.playground.calls("chat.postMessage"))

        root = await harness.ask(HOTEL, person=BEN)
        await open_card(harness)
        await harness.settled()
        assert "Verified by" not in str(harness.said(root))


async def test_an_answer_that_does_not_hold_is_told_no_more_until_its_writer_says_so(
    harness: Harness, groq: GroqServer
) -> None:
    async with reviewed(harness, groq, cadence=OFTEN):
        await edited(harness)
        await keep(harness)
        await told(harness)
        await ends_soon(harness)
        message = await asked_of_ben(harness)
        await harness.playground.person(BEN).click("D0BEN", message["ts"], label="No")

        def heard() -> list[Message]:
            return [one for one in harness.playground.messages("D0CHIARA") if f"<@{BEN}> says that" in text_of(one)]

        (doubt,) = await harness.playground.until(heard, timeout=PATIENCE)
        root = await harness.ask(HOTEL, person=ADA)
        await open_card(harness)
        await harness.settled()
        assert "Verified by" not in str(harness.said(root))
        await harness.playground.person(CHIARA).click("D0CHIARA", doubt["ts"], label="It is right: use it again")
        await harness.settled()

        assert "Verified by @chiara" in await told(harness)


async def test_who_was_not_asked_judges_nothing(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, cadence=OFTEN):
        await edited(harness)
        await keep(harness)
        await told(harness)
        await ends_soon(harness)
        message = await asked_of_ben(harness)
        harness.playground.workspace.channels["D0BEN"].members.append(ADA)
        await harness.playground.person(ADA).click("D0BEN", message["ts"], label="No")
        await harness.ephemeral(ADA, "no answer to keep or retire")
        await harness.settled()

        assert "Verified by @chiara" in await told(harness, person=ADA)


async def test_who_may_not_read_the_answer_any_more_is_not_asked(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, cadence=OFTEN):
        await edited(harness)
        await keep(harness)
        await told(harness)
        await told(harness, person=ADA)
        async with harness.owning() as owner:
            await owner.execute("UPDATE audiences SET names = ARRAY['person:' || %s]", (ADA,))
        await ends_soon(harness)
        await harness.playground.until(lambda: asked(harness, "D0ADA"), timeout=PATIENCE)
        await noted(harness)

    assert [] == asked(harness, "D0BEN")


async def test_a_process_that_dies_after_it_asked_does_not_ask_again(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, cadence=OFTEN):
        await edited(harness)
        await keep(harness)
        await told(harness)
        await ends_soon(harness)
        await noted(harness)
        async with harness.owning() as owner:
            await owner.execute("UPDATE verified_answers SET holds_asked_at = NULL")
        await noted(harness)

    assert 1 == len(asked(harness, "D0BEN"))


async def test_an_answer_that_is_liked_also_holds_for_the_question_as_it_was_asked(
    harness: Harness, groq: GroqServer
) -> None:
    def sees_it(request: dict[str, Any]) -> Reply:
        asked = str(request["messages"][-1]["content"])
        return reading(same_as=1) if OTHERWISE in asked and "Colleagues have answered" in asked else unsure(request)

    groq.script = sees_it
    async with reviewed(harness, groq):
        await edited(harness)
        await keep(harness)
        root = await harness.ask(OTHERWISE, person=BEN)
        (answer,) = await harness.answers(root)
        await harness.settled()
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], value="good")
        await harness.settled()
        groq.script = unsure

        assert "Verified by @chiara" in await told(harness, OTHERWISE, person=ADA)
