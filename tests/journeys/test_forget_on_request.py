"""A person, a channel, a document or a workspace that was forgotten is in no column of the database any more."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final

import psycopg
from psycopg import sql

from bot.audience import ALL, read_names
from bot.forget.forget import Forgetter
from bot.knowledge import audience_store, source_store
from bot.postgres.pool import Database
from tests.conftest import cloned
from tests.databases import as_app
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, text_of
from tests.journeys.reviewing import DEV, PEOPLE, PORTO, card_saying, form, reviewed
from tests.journeys.test_changes import edit
from tests.journeys.test_forgetting import tables_that_hold

GENERAL = "C0GENERAL"
ASKED, EDITED, REMARKED, OVERHEARD, RULED, DIRECT = (
    "zebracorn", "quokkafish", "wombatree", "ibexflower", "narwhalcake", "lemurstone",
)  # fmt: skip
"""Marker words of Ada's: in a question, in its first version, in talk before and after the bot came, in a review, alone."""
OF_ADA = (ADA, ASKED, EDITED, REMARKED, OVERHEARD, RULED, DIRECT)
OF_BEN: Final = "okapiriver"
DAYS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"


def all_words(url: str, *words: str) -> dict[str, list[str]]:
    """Return the tables that contain each word, without those that contain none."""
    return {word: found for word in words if (found := tables_that_hold(url, word))}


async def live_as_ada(harness: Harness) -> str:
    """Let Ada leave words in every table; return the root of Ben's thread, in which she spoke too."""
    ada, ben = harness.playground.person(ADA), harness.playground.person(BEN)
    root = await harness.ask(f"{DAYS} My {EDITED} wants to know.")
    await harness.card(root)
    await edit(harness, root, f"{DAYS} My {ASKED} wants to know.")
    await harness.settled()
    await harness.click(root, "Porto")
    (answer,) = await harness.answers(root)
    await ada.click(SUPPORT, answer["ts"], value="good")
    bens = await ada.post(SUPPORT, f"My {REMARKED} is ill.")
    await harness.ask(f"{PORTO} My {OF_BEN} asks.", root=bens, person=BEN)
    (told,) = await harness.answers(bens)
    await harness.settled()
    await harness.say(f"My {OVERHEARD} is back.", bens)
    await ben.click(SUPPORT, told["ts"], label="Ask a human")
    view = await form(harness, "Edit…", person=ADA)
    await ada.submit(view, {"review_edited:0": f"It is 25 days [1], says the {RULED} of the office."})
    card = await card_saying(harness, "Edited by")
    await harness.settled()
    await harness.ask(HOTEL, root=bens, person=BEN)
    await harness.answers(bens, 2)
    await ada.click(PEOPLE, card["ts"], label="Keep this answer")
    await card_saying(harness, "as a verified answer")
    other = await harness.ask(f"{PORTO} My {OF_BEN} asks.", person=DEV, channel=GENERAL)
    (reused,) = await harness.answers(other, channel=GENERAL)
    assert RULED in text_of(reused)
    await harness.ask(f"{DAYS} My {DIRECT} wants to know.", channel="D0ADA")
    await harness.settled()
    return bens


@asynccontextmanager
async def forgetter(url: str, **given: Any) -> AsyncGenerator[Forgetter]:
    """Open a forgetter on a database."""
    async with Database.open(as_app(url), size=4, workspace="default") as database:
        yield Forgetter(database=database, workspace="default", **given)


async def share_with(harness: Harness, *words: str) -> None:
    """Share a part of the handbook with these readers only."""
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        async with database.transaction("default") as connection:
            await audience_store.read_as(connection, ALL)
            (source,) = await source_store.all_sources(connection)
            await audience_store.share(connection, source.id, "company", read_names(words))


@contextmanager
def without(url: str, table: str) -> Generator[None]:
    """Let no row of a table be deleted or changed while the context is open: a step that somebody left out."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        trigger = "CREATE TRIGGER leave_out BEFORE DELETE OR UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION leave_out()"
        owner.execute(sql.SQL(trigger).format(sql.Identifier(table)))
        yield
        owner.execute("DROP FUNCTION leave_out() CASCADE")


async def test_a_person_is_nowhere_afterwards_and_the_others_are_still_there(harness: Harness, server_url: str) -> None:
    await share_with(harness, ADA, "everyone")
    async with reviewed(harness):
        bens = await live_as_ada(harness)
    everywhere = all_words(harness.database_url, *OF_ADA)
    assert {*OF_ADA} == everywhere.keys()
    for table in sorted({table for tables in everywhere.values() for table in tables} - {"claims"}):
        # Any single step that is left out is seen.
        with cloned(server_url, harness.database_url) as url, without(url, table):
            async with forgetter(url) as forgetting:
                with suppress(psycopg.Error):
                    await forgetting.person(ADA)
            assert table in str(all_words(url, *OF_ADA)), table

    async with forgetter(harness.database_url, is_dry=True) as planning:
        planned = await planning.person(ADA)
    assert everywhere == all_words(harness.database_url, *OF_ADA)
    async with forgetter(harness.database_url) as forgetting:
        went = await forgetting.person(ADA)
        again = await forgetting.person(ADA)

    assert {} == all_words(harness.database_url, *OF_ADA)
    assert {"inbox", "checkpoint_blobs"} <= {*tables_that_hold(harness.database_url, OF_BEN)}
    assert went == planned
    assert not again
    assert went["verified answers"] == went["ratings"] == 1
    async with reviewed(harness):
        await harness.ask(f"And for {OF_BEN} in Hamburg?", root=bens, person=BEN)
        await harness.answers(bens, 3)
        await harness.settled()
    assert {} == all_words(harness.database_url, REMARKED, OVERHEARD, ASKED)
