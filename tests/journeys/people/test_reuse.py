"""Two people ask the same from Slack to Slack: what one of them found serves only who may read the same."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness
from tests.journeys.people.test_audiences import PEOPLE, QUESTION, SECRET, answer_to, folder, share
from tests.journeys.tracing.test_runs import listed, shown

__all__ = ["folder"]
OPEN = "What is the limit for a hotel night?"


def reuse_in(harness: Harness) -> list[tuple[int, int]]:
    """Return how many searches each run's first step made, and how many of them it reused."""
    with psycopg.connect(harness.database_url) as owner:
        rows: list[tuple[Any]] = owner.execute("SELECT steps->0->'facts' FROM runs ORDER BY id").fetchall()
    return [(facts["searches"], facts["reused"]) for (facts,) in rows]


async def test_what_one_found_serves_another_only_if_both_may_read_it(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        told = [
            await answer_to(harness, channel=PEOPLE),
            await answer_to(harness, channel="D0ADA"),
            await answer_to(harness, channel="D0BEN", person=BEN),
            await answer_to(harness, channel=SUPPORT, person=BEN),
            await answer_to(harness, channel=SUPPORT),
        ]
        await share(harness, folder, "nobody")
        told += [await answer_to(harness, channel="D0ADA"), await answer_to(harness, channel=PEOPLE)]

    assert [True, True, False, False, False, False, False] == [SECRET in one for one in told]
    # In the channel and in a direct message, Ada may read the same; when nobody may read it, so do all.
    assert [(1, 0), (1, 1), (1, 0), (1, 1), (1, 1), (1, 0), (1, 1)] == reuse_in(harness)


async def test_who_left_or_reads_a_changed_document_is_not_served_from_before(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        before = await answer_to(harness, channel="D0ADA")
        await harness.playground.person(ADA).leave(PEOPLE)
        await harness.settled()
        left = await answer_to(harness, channel="D0ADA")
        await harness.playground.person("U0CHIARA").invite(PEOPLE, ADA)
        await harness.settled()
        (folder / "bonus.md").write_text(
            "# Retention bonus\n\nThe retention bonus for the workshop is 8,250 EUR a year, paid in March.\n"
        )
        async with Database.open(harness.app_url, size=2, workspace="default") as database:
            await ingest(database, load_embedding("english"), "default", [folder])
        after = await answer_to(harness, channel="D0ADA")

    assert (True, False, False, True) == (SECRET in before, SECRET in left, SECRET in after, "8,250 EUR" in after)
    assert [(1, 0), (1, 0), (1, 0)] == reuse_in(harness)


@pytest.mark.parametrize(("kept", "reused"), [(200, 1), (0, None)])
async def test_a_trace_shows_what_was_reused_and_without_memory_nothing_is(
    harness: Harness, kept: int, reused: int | None
) -> None:
    async with harness.bot(reused_searches=kept):
        for person in (ADA, BEN):
            await harness.answers(await harness.ask(OPEN, person=person))
            await harness.settled()
        newest, _ = await listed(harness)
        told = await shown(harness, newest["reference"], with_text=False)

    assert "answered" == newest["outcome"]
    assert (reused is not None) == (f"searches 1, reused {reused}" in told)
    assert QUESTION not in told
