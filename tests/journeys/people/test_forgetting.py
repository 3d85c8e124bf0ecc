"""A deleted message is in no table of the database afterwards, the checkpoints included."""

import psycopg
import pytest
from psycopg import sql

from bot.postgres.checkpoints import keep_latest_checkpoints
from bot.postgres.pool import Database
from tests.journeys.changes.test_changes import delete, edit
from tests.journeys.harness import BEN, SUPPORT, Harness, is_open_card
from tests.journeys.reviewing import reviewed

SECRET, OLD_SECRET = "zebracorn", "quokkafish"
AMBIGUOUS = f"How many vacation days do I have? My cat {SECRET} wants to know."


def tables_that_hold(url: str, word: str) -> list[str]:
    """Return the tables that contain a word, in any form."""
    return all_words(url, word).get(word, [])


def all_words(url: str, *words: str) -> dict[str, list[str]]:
    """Return the tables that contain each word, in any form, without the words that none contains."""
    with psycopg.connect(url) as owner:
        tables = owner.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        texts = {
            name: _read(rows or "")
            for (name,) in tables
            for (rows,) in owner.execute(
                sql.SQL("SELECT string_agg({}::text, '') FROM {}").format(sql.Identifier(name), sql.Identifier(name))
            )
        }
    found = {word: [name for name, text in texts.items() if word in text] for word in words}
    return {word: names for word, names in found.items() if names}


async def grow_quiet(harness: Harness) -> None:
    """Drop the older checkpoints of all threads, as the job does after a quiet hour."""
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        async with database.connection() as connection:
            threads = await (await connection.execute("SELECT DISTINCT thread_id FROM checkpoints")).fetchall()
        await keep_latest_checkpoints(database, [row["thread_id"] for row in threads])


def _read(shown: str) -> str:
    """Return the rows as text, with bytes as text too."""
    parts = shown.split("\\x")
    plain = [bytes.fromhex(part[: _hexes(part)]).decode(errors="replace") for part in parts[1:]]
    return shown + "".join(plain)


def _hexes(part: str) -> int:
    length = next((at for at, sign in enumerate(part) if sign not in "0123456789abcdef"), len(part))
    return length - length % 2


@pytest.mark.parametrize("how", ["asked back", "clicked", "edited", "answered in words", "followed up"])
async def test_a_deleted_question_is_nowhere(harness: Harness, how: str) -> None:
    async with harness.bot():
        said = AMBIGUOUS.replace(SECRET, OLD_SECRET) if how == "edited" else AMBIGUOUS
        root = await harness.ask(said)
        await harness.card(root)
        await harness.settled()
        assert "inbox" in tables_that_hold(harness.database_url, OLD_SECRET if how == "edited" else SECRET)
        if how == "edited":
            await edit(harness, root, AMBIGUOUS)
            await harness.playground.until(lambda: [one for one in harness.said(root) if is_open_card(one)])
        elif how == "clicked":
            await harness.click(root, "Porto")
            await harness.answers(root)
        elif how == "answered in words":
            await harness.say("Porto", root)
            await harness.answers(root)
        elif how == "followed up":
            await harness.click(root, "Porto")
            await harness.answers(root)
            await harness.ask("And in Hamburg?", root=root)
            await harness.answers(root, 2)
        await harness.settled()

        await delete(harness, root)
        await harness.settled()
    await grow_quiet(harness)

    assert [] == tables_that_hold(harness.database_url, SECRET)
    assert [] == tables_that_hold(harness.database_url, OLD_SECRET)


async def test_a_deleted_question_that_a_colleague_was_asked_about_is_nowhere(harness: Harness) -> None:
    async with reviewed(harness):
        root = await harness.ask(f"What is the limit for a hotel night with my cat {SECRET}?")
        (answer,) = await harness.answers(root)
        await harness.settled()
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        await harness.settled()
        assert "asks" in tables_that_hold(harness.database_url, SECRET)

        await delete(harness, root)
        await harness.settled()
    await grow_quiet(harness)

    assert [] == tables_that_hold(harness.database_url, SECRET)
