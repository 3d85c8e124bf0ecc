"""A person, a channel, a document or a workspace that was forgotten is in no column of the database any more."""

import asyncio
import io
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, LiteralString

import psycopg
import pytest
from psycopg import sql
from rich.console import Console

from bot.audience import ALL, read_names
from bot.bot import Bot
from bot.cli.administration import administering
from bot.cli.forget import forget
from bot.conversation.address import Placed
from bot.forget.forget import Forgetter
from bot.knowledge import audience_store, source_store
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.conftest import cloned
from tests.journeys.changes.test_changes import edit
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, text_of
from tests.journeys.holding import slow_writer
from tests.journeys.knowledge.test_slack_sources import add
from tests.journeys.knowledge.test_slack_sources import write as write_in_channel
from tests.journeys.people.test_forgetting import all_words, tables_that_hold
from tests.journeys.reviewing import CHIARA, DEV, PEOPLE, PORTO, card_saying, form, press, reviewed
from tests.journeys.reviews.test_flags import flag
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import oblige
from tests.support.databases import as_app

GENERAL = "C0GENERAL"
ASKED, EDITED, REMARKED, OVERHEARD, RULED, OBJECTED, DIRECT = (
    "zebracorn",
    "quokkafish",
    "wombatree",
    "ibexflower",
    "narwhalcake",
    "axolotlhat",
    "lemurstone",
)
"""Marker words of Ada's: in a question, its first version, talk before and after the bot came, a review, an objection,
alone.
"""
OF_ADA = (ADA, ASKED, EDITED, REMARKED, OVERHEARD, RULED, OBJECTED, DIRECT)
OF_BEN: Final = "okapiriver"
DAYS = "How many vacation days do I have?"
HARBOUR, PARKED, OTHER = "Quollhaven", "tapirbus", "castlebus"
OF_DOCUMENT = (HARBOUR, PARKED)
PARKING = "How much does parking for a bus cost a day?"
HOTEL = "What is the limit for a hotel night?"


class Answering(Console):
    """A terminal at which somebody gives an answer."""

    def __init__(self, answer: str) -> None:
        super().__init__(file=io.StringIO(), width=200)
        self._answer = answer

    def input(self, *_: Any, **__: Any) -> str:
        """Return the answer."""
        return self._answer


async def live_as_ada(harness: Harness) -> str:
    """Let Ada leave words in every table; return the root of Ben's thread, in which she spoke too."""
    ada, ben = harness.playground.person(ADA), harness.playground.person(BEN)
    root = await harness.ask(f"{DAYS} My {EDITED} wants to know.")
    await harness.card(root)
    await edit(harness, root, f"{DAYS} My {ASKED} wants to know.")
    await harness.settled()
    await harness.click(root, "Porto")
    (answer,) = await harness.answers(root)
    await harness.settled()
    await ada.click(SUPPORT, answer["ts"], value="good")
    bens = await ada.post(SUPPORT, f"My {REMARKED} is ill.")
    await harness.ask(f"{PORTO} My {OF_BEN} asks.", root=bens, person=BEN)
    (told,) = await harness.answers(bens)
    await harness.settled()
    await harness.say(f"My {OVERHEARD} is back.", bens)
    await flag(harness, told, person=ADA, words=f"The {OBJECTED} is newer.")
    async with harness.owning() as owner:
        await owner.execute("UPDATE sources SET owner = %(ada)s", {"ada": ADA})
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


def streaming(harness: Harness, groq: GroqServer) -> AbstractAsyncContextManager[Bot]:
    """Run the bot with a model, and without reviewers, who would have to see an answer before it appears."""
    return harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url)


@asynccontextmanager
async def forgetter(url: str, **given: Any) -> AsyncGenerator[Forgetter]:
    """Open a forgetter on a database."""
    async with Database.open(as_app(url), size=4, workspace="default") as database:
        yield Forgetter(database=database, workspace="default", **given)


async def share_with(harness: Harness, *words: str) -> None:
    """Share a part of the handbook with these readers only."""
    async with (
        Database.open(harness.app_url, size=2, workspace="default") as database,
        database.transaction("default") as connection,
    ):
        await audience_store.read_as(connection, ALL)
        (source,) = await source_store.all_sources(connection)
        await audience_store.share(connection, source.id, "company", read_names(words))


def write(folder: Path) -> None:
    """Write two documents that answer the same question; one of them is to be forgotten."""
    for name, word, price in ((HARBOUR, PARKED, 7), ("Castle", OTHER, 9)):
        text = f"# Parking at the {name}\n\nParking for a {word} costs {price} EUR a day at the {name}.\n"
        (folder / f"{name.lower()}.md").write_text(text)


async def read(harness: Harness, folder: Path) -> None:
    """Read a folder as a source."""
    async with Database.open(harness.app_url, size=4, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [folder])


async def forget_document(url: str, folder: Path, **given: Any) -> Counter[str]:
    """Forget the document."""
    async with forgetter(url, **given) as forgetting:
        async with forgetting.database.transaction("default") as connection:
            await audience_store.read_as(connection, ALL)
            sources = await source_store.all_sources(connection)
        source = next(one for one in sources if one.location == str(folder))
        return await forgetting.documents(source.id, source.location, [f"{HARBOUR.lower()}.md"])


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
    planted = {table for tables in everywhere.values() for table in tables}
    assert {"asks", "audiences", "feedback", "flags", "preferences", "runs", "sources", "phrasings"} < planted
    for table in sorted(planted):
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
    assert (1, 2) == (went["verified answers"], went["ratings"])
    async with reviewed(harness):
        await harness.ask(f"And for {OF_BEN} in Hamburg?", root=bens, person=BEN)
        await harness.answers(bens, 3)
        await harness.settled()
    assert {} == all_words(harness.database_url, REMARKED, OVERHEARD, ASKED)


async def test_a_document_is_nowhere_afterwards_and_its_source_does_not_bring_it_back(
    harness: Harness, server_url: str, tmp_path: Path
) -> None:
    write(tmp_path)
    await read(harness, tmp_path)
    async with reviewed(harness):
        root = await harness.ask(PARKING)
        await harness.click(root, f"Parking at the {HARBOUR}")
        (answer,) = await harness.answers(root)
        await harness.settled()
        await flag(harness, answer, words=f"The {PARKED} costs more now.")
        await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        await press(harness, "Approve")
        card = await card_saying(harness, "Approved by")
        await harness.settled()
        await harness.playground.person(CHIARA).click(PEOPLE, card["ts"], label="Keep this answer")
        await card_saying(harness, "as a verified answer")
        open_root = await harness.ask(PARKING, person=BEN)
        await harness.card(open_root)
        await harness.settled()
    everywhere = all_words(harness.database_url, *OF_DOCUMENT)
    assert {*OF_DOCUMENT} == everywhere.keys()
    planted = {table for tables in everywhere.values() for table in tables}
    assert {"asks", "checkpoint_blobs", "documents", "feedback", "passages", "preferences", "runs"} <= planted
    for table in sorted(planted - {"passages", "sources"}):
        with cloned(server_url, harness.database_url) as url, without(url, table):
            with suppress(psycopg.Error):
                await forget_document(url, tmp_path)
            assert table in str(all_words(url, *OF_DOCUMENT)), table

    planned = await forget_document(harness.database_url, tmp_path, is_dry=True)
    assert everywhere == all_words(harness.database_url, *OF_DOCUMENT)
    went = await forget_document(harness.database_url, tmp_path)
    assert went == planned
    assert not await forget_document(harness.database_url, tmp_path)
    await read(harness, tmp_path)
    async with reviewed(harness):
        await harness.ask("How much does parking for a bus cost a day at the Castle?", root=root)
        await harness.settled()

    assert {} == all_words(harness.database_url, *OF_DOCUMENT)
    assert "passages" in tables_that_hold(harness.database_url, OTHER)


async def test_killed_anywhere_it_is_finished_by_another_one(harness: Harness, server_url: str) -> None:
    async with reviewed(harness):
        await live_as_ada(harness)
    place = 0
    for place in range(100):
        with cloned(server_url, harness.database_url) as url:
            left = [place]

            async def remove(_: Placed, left: list[int] = left) -> None:
                left[0] -= 1
                if left[0] < 0:
                    raise RuntimeError

            async with forgetter(url, remove=remove) as forgetting:
                with suppress(RuntimeError):
                    await forgetting.person(ADA)
            was_killed = left[0] < 0
            assert was_killed == bool(all_words(url, *OF_ADA))
            async with forgetter(url) as forgetting:
                await forgetting.person(ADA)
            assert {} == all_words(url, *OF_ADA)
        if not was_killed:
            break
    assert place > 2


async def test_what_somebody_said_is_not_read_from_slack_again(harness: Harness) -> None:
    root = await harness.playground.person(ADA).post(SUPPORT, f"My {REMARKED} is ill.")
    await harness.playground.person(BEN).post(SUPPORT, f"And my {OF_BEN}.", thread_ts=root)
    async with reviewed(harness):
        async with forgetter(harness.database_url) as forgetting:
            await forgetting.person(ADA)
        await harness.say(f"My {OVERHEARD} is back.", root)
        await harness.ask(PORTO, root=root, person=BEN)
        await harness.answers(root)
        await harness.settled()

    assert "checkpoint_blobs" in tables_that_hold(harness.database_url, OF_BEN)
    assert "checkpoint_blobs" in tables_that_hold(harness.database_url, OVERHEARD), "That came later."
    assert [] == tables_that_hold(harness.database_url, REMARKED)


async def test_a_run_that_is_writing_does_not_bring_a_person_back(harness: Harness) -> None:
    hurries = asyncio.Event()
    async with GroqServer.serve(slow_writer(HOTEL, hurries)) as groq, streaming(harness, groq):
        root = await harness.ask(f"{HOTEL} My {ASKED} asks.")
        await harness.playground.until(lambda: "145 EUR" in str(harness.said(root)), timeout=PATIENCE)
        async with forgetter(harness.database_url) as forgetting:
            await forgetting.person(ADA)
        hurries.set()
        await harness.settled()

    assert {} == all_words(harness.database_url, ASKED, ADA)


async def test_a_run_that_is_writing_does_not_bring_a_document_back(harness: Harness, tmp_path: Path) -> None:
    hurries = asyncio.Event()
    write(tmp_path)
    await read(harness, tmp_path)

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return oblige(request)
        price = 7 if f"{PARKED} costs" in str(request) else 9
        return Says(f"Parking costs {price} EUR a day [1]. " * 12, held_until=hurries, held_at=20)

    async with GroqServer.serve(script) as groq, streaming(harness, groq):
        root = await harness.ask(f"How much does parking for a {PARKED} cost a day at the {HARBOUR}?", person=BEN)
        await harness.playground.until(lambda: "7 EUR" in str(harness.said(root)), timeout=PATIENCE)
        await forget_document(harness.database_url, tmp_path)
        hurries.set()
        await harness.settled()

    # Only Ben's own question names it.
    assert {HARBOUR: ["inbox"]} == {
        HARBOUR: [one for one in tables_that_hold(harness.database_url, HARBOUR) if one in ("inbox", "passages")]
    }
    with psycopg.connect(harness.database_url) as owner:
        row = owner.execute("SELECT string_agg(encode(blob, 'escape'), ' ') FROM checkpoint_blobs").fetchone()
    assert row is not None
    (blobs,) = row
    assert "7 EUR" not in (blobs or "")
    assert "# Parking" not in (blobs or "")


async def test_a_channel_is_nowhere_afterwards_and_the_others_are(harness: Harness, server_url: str) -> None:
    await share_with(harness, SUPPORT, "everyone")
    async with reviewed(harness):
        await live_as_ada(harness)
    async with forgetter(harness.database_url) as forgetting:
        went = await forgetting.channel(SUPPORT)
        assert not await forgetting.channel(SUPPORT)

    assert went["stored messages and commands"] > 5
    # How soon Slack may be called there again holds no words.
    assert {SUPPORT: ["budgets"]} == all_words(harness.database_url, SUPPORT, ASKED, EDITED, REMARKED, OVERHEARD)
    assert "inbox" in tables_that_hold(harness.database_url, GENERAL)
    assert "inbox" in tables_that_hold(harness.database_url, DIRECT)


async def test_of_a_workspace_nothing_is_left(harness: Harness) -> None:
    async with reviewed(harness):
        await live_as_ada(harness)
    async with forgetter(harness.database_url) as forgetting:
        await forgetting.everything()

    with psycopg.connect(harness.database_url) as owner:
        tables = owner.execute(
            "SELECT table_name FROM information_schema.columns"
            " WHERE column_name = 'workspace' AND table_schema = 'public'"
        ).fetchall()
        left = {
            name for (name,) in tables if owner.execute(sql.SQL("SELECT FROM {}").format(sql.Identifier(name))).rowcount
        }
    assert {"knowledge_versions"} == left
    assert {} == all_words(harness.database_url, *OF_ADA, OF_BEN, "vacation")


@pytest.mark.parametrize(("kind", "gone"), [("person", ADA), ("channel", GENERAL)])
async def test_where_untagged_questions_stood_is_forgotten(harness: Harness, kind: str, gone: str) -> None:
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        owner.execute(
            "INSERT INTO channel_modes (workspace, channel, since, changed_by) VALUES ('default', %s, now(), %s)",
            (GENERAL, ADA),
        )
        for person, unwanted_by in ((ADA, None), (BEN, ADA)):
            owner.execute(
                """
                INSERT INTO untagged_questions (workspace, message_key, channel, ts, person, due_at, unwanted_by)
                VALUES ('default', %s, %s, '1', %s, now(), %s)
                """,
                (person, GENERAL, person, unwanted_by),
            )
    async with forgetter(harness.database_url) as forgetting:
        counts = await getattr(forgetting, kind)(gone)

    assert {"person": 1, "channel": 2}[kind] == counts["untagged questions"]
    assert {} == all_words(harness.database_url, gone)


@pytest.mark.parametrize("answer", ["n", "y"])
async def test_the_command_asks_first_and_removes_the_answers_in_slack(harness: Harness, answer: str) -> None:
    async with reviewed(harness):
        root = await harness.ask(f"{PORTO} My {ASKED} asks.")
        await harness.answers(root)
        await harness.settled()
    console = Answering(answer)
    async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
        done = await forget(here, "the person U0ADA", lambda one: one.person(ADA), is_dry=False, is_sure=False)
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()

    assert done == (answer == "y")
    assert "This would go with the person U0ADA" in said
    assert bool(harness.said(root)) == bool(all_words(harness.database_url, ASKED)) == (answer == "n")
    assert ("Forgotten with the person U0ADA" in said) == (answer == "y")


async def test_a_persons_threads_in_a_channel_that_is_a_source_are_forgotten_for_good(harness: Harness) -> None:
    theirs = write_in_channel(harness, f"My {ASKED} is ill.", person=ADA)
    write_in_channel(harness, f"Get well, says my {OF_BEN}.", root=theirs, person=BEN)
    write_in_channel(harness, f"The {PARKED} stops here.", person=CHIARA)
    await add(harness)

    async with forgetter(harness.database_url) as it:
        counts = await it.person(ADA)
    late = write_in_channel(harness, f"My {ASKED} is well.", person=ADA)
    await add(harness)

    assert 1 == counts["documents"]
    assert [PARKED] == [*all_words(harness.database_url, ADA, ASKED, OF_BEN, PARKED)]
    assert late not in await texts_of(harness, "SELECT path FROM documents")


async def test_a_channel_that_is_a_source_is_forgotten_with_its_documents(harness: Harness) -> None:
    write_in_channel(harness, f"My {ASKED} is ill.", person=ADA)
    await add(harness)

    async with forgetter(harness.database_url) as it:
        await it.channel(PEOPLE)

    assert {} == all_words(harness.database_url, ADA, ASKED)
    assert "slack:" not in await texts_of(harness, "SELECT location FROM sources")


async def texts_of(harness: Harness, query: LiteralString) -> str:
    """Return the first column of all rows."""
    async with harness.owning() as owner:
        return "\n".join(row[0] for row in await (await owner.execute(query)).fetchall())
