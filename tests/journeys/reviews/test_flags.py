"""Who dislikes an answer may say what was wrong, and who looks after its documents is told, once, and settles it."""

import io
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from rich.console import Console

from bot.audience import ALL, Names, read_names
from bot.cli import runs
from bot.cli.administration import administering
from bot.cli.demo import HANDBOOK_HOST
from bot.cli.doctor import _examine_sources as examine_sources
from bot.cli.knowledge import sources
from bot.clock import SystemClock
from bot.contributions.flag import Report
from bot.conversation.schedule import Cadence
from bot.knowledge import audience_store, source_store
from bot.knowledge.flags.flagging import DatabaseFlagIntake
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from playground.protocol.faults import FOREVER
from playground.wire import Json
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, labels_of, text_of, until
from tests.journeys.reviewing import CHIARA, DEV, PEOPLE

OFTEN = Cadence(flag_news_seconds=0.1)
ASKED = "How much does parking a bus at the harbour cost?"
PRIVATE = "zebracorn"
TEXT = "# Parking at the harbour\n\nParking a bus at the harbour costs {price} EUR a day.\n"
WORDS = "It went up in March."


@pytest.fixture
async def folder(harness: Harness, tmp_path: Path) -> Path:
    """A folder with one document, whose source Chiara owns."""
    (tmp_path / "parking.md").write_text(TEXT.format(price=7))
    await read(harness, tmp_path)
    await own(harness, tmp_path, CHIARA)
    return tmp_path


async def read(harness: Harness, folder: Path) -> None:
    """Read a folder as a source."""
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [folder])


async def own(harness: Harness, folder: Path, owner: str) -> None:
    """Set the owner of a source."""
    settings = Settings.model_validate(harness.settings)
    async with administering(settings, harness.app_url, Console(quiet=True)) as here:
        assert await sources.set_source(here, str(folder), upkeep=sources.UpkeepChange(owner=owner))


async def share(harness: Harness, folder: Path, *words: str) -> None:
    """Let only these people read a source."""
    async with (
        Database.open(harness.app_url, size=2, workspace="default") as database,
        database.transaction("default") as connection,
    ):
        await audience_store.read_as(connection, ALL)
        source_id = await source_store.id_of(connection, str(folder))
        assert source_id
        await audience_store.share(connection, source_id, "", read_names(words))


async def answered(harness: Harness, question: str = ASKED, *, person: str = ADA, channel: str = SUPPORT) -> Message:
    """Ask, and return the answer."""
    root = await harness.ask(question, person=person, channel=channel)
    (answer,) = await harness.answers(root, channel=channel)
    await harness.settled()
    return answer


async def dislike(harness: Harness, answer: Message, *, person: str = BEN, channel: str = SUPPORT) -> Json:
    """Press 👎, and return the modal that opens."""
    who = harness.playground.person(person)
    (bad,) = [
        element["negative_button"]["value"]
        for block in answer["blocks"]
        for element in block.get("elements", [])
        if element["type"] == "feedback_buttons"
    ]
    await who.click(channel, answer["ts"], value=bad)
    return await harness.playground.until(lambda: who.open_view, timeout=PATIENCE)


async def flag(harness: Harness, answer: Message, *, person: str = BEN, channel: str = SUPPORT, **entered: str) -> None:
    """Press 👎 and say what was wrong, by default that it is out of date; then close what says thank you."""
    view = await dislike(harness, answer, person=person, channel=channel)
    who = harness.playground.person(person)
    values = {f"flag_{name}": value for name, value in {"reason": "outdated", **entered}.items()}
    await who.submit(view, values)
    await who.close_view(who.open_view or {})


def told(harness: Harness, channel: str = "D0CHIARA") -> list[Message]:
    """Return what says in a conversation that there are doubts about a document."""
    return [one for one in harness.playground.messages(channel) if "there are doubts about" in text_of(one)]


async def told_once(harness: Harness, channel: str = "D0CHIARA") -> Message:
    """Wait until a conversation is told of a document, and return the only message."""
    await harness.playground.until(lambda: told(harness, channel), timeout=PATIENCE)
    await looked(harness)
    (message,) = told(harness, channel)
    return message


async def looked(harness: Harness) -> None:
    """Wait until all flagged documents were taken up: of each, the first flags are told, and later ones are not."""

    async def holds() -> bool:
        cursor = await owner.execute(
            "SELECT FROM flags WHERE settled_at IS NULL GROUP BY document_id HAVING bool_and(told_at IS NULL)"
        )
        return await cursor.fetchone() is None

    async with harness.owning() as owner:
        await until(holds)


def outcomes(harness: Harness, channel: str = "D0BEN") -> list[Message]:
    """Return what tells a reader what came of their report."""
    return [one for one in harness.playground.messages(channel) if "you reported" in text_of(one)]


async def outcome_once(harness: Harness, channel: str = "D0BEN") -> Message:
    """Wait until a reader is told what came of their report, and return the only message."""
    await harness.playground.until(lambda: outcomes(harness, channel), timeout=PATIENCE)

    async def holds() -> bool:
        return await (await owner.execute("SELECT FROM reports")).fetchone() is None

    async with harness.owning() as owner:
        await until(holds)
    (message,) = outcomes(harness, channel)
    return message


def rows(harness: Harness, query: str) -> list[tuple[Any, ...]]:
    """Return what the database holds."""
    with psycopg.connect(harness.database_url) as owner:
        return owner.execute(query.encode()).fetchall()


@asynccontextmanager
async def flagging(harness: Harness, **given: Any) -> AsyncGenerator[None]:
    """Run a bot that looks for flagged documents often."""
    async with harness.bot(cadence=OFTEN, **given):
        yield


@pytest.mark.usefixtures("folder")
async def test_the_owner_is_told_once_and_readers_see_the_doubt_until_the_owner_settles_it(harness: Harness) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        await flag(harness, answer, words=WORDS)
        message = await told_once(harness)
        await flag(harness, answer, person=DEV, reason="wrong")
        doubted = await answered(harness, f"{ASKED} Please.")
        await harness.playground.person(CHIARA).click("D0CHIARA", message["ts"], label="It is right")
        await harness.playground.until(lambda: not labels_of(told(harness)[0]), timeout=PATIENCE)
        again = await answered(harness, f"{ASKED} Please.")

    assert "Parking at the harbour" in text_of(message)
    assert f"A reader says that it is out of date: “{WORDS}”" in text_of(message)
    assert "<@" not in text_of(message)
    assert "How much" not in text_of(message)
    assert "was reported on" in text_of(doubted)
    assert "was reported on" not in text_of(again)
    assert [(2, 2)] == rows(harness, "SELECT count(*), count(settled_at) FROM flags")


async def test_a_changed_document_settles_its_flags(harness: Harness, folder: Path) -> None:
    async with flagging(harness):
        await flag(harness, await answered(harness))
        message = await told_once(harness)
        (folder / "parking.md").write_text(TEXT.format(price=9))
        await read(harness, folder)
        await harness.playground.person(CHIARA).click("D0CHIARA", message["ts"], label="It is right")
        await harness.ephemeral(CHIARA, "This changed nothing")
        again = await answered(harness, f"{ASKED} Please.")

    assert "9 EUR" in text_of(again)
    assert "out of date" not in text_of(again)
    assert [] == rows(harness, "SELECT FROM flags")


async def test_who_reported_a_document_is_told_once_that_it_changed(harness: Harness, folder: Path) -> None:
    (folder / "parking.md").write_text(f"---\nurl: https://{HANDBOOK_HOST}/parking\n---\n{TEXT.format(price=7)}")
    await read(harness, folder)
    async with flagging(harness):
        await flag(harness, await answered(harness), words=WORDS)
        await told_once(harness)
        (folder / "parking.md").write_text(f"---\nurl: https://{HANDBOOK_HOST}/p\n---\n{TEXT.format(price=9)}")
        await read(harness, folder)
        message = await outcome_once(harness)

    assert f"you reported *<https://{HANDBOOK_HOST}/p|Parking at the harbour>*. It has changed since" in text_of(
        message
    )
    assert WORDS not in text_of(message)


async def test_who_reported_a_document_is_told_that_it_was_removed(harness: Harness, folder: Path) -> None:
    (folder / "boats.md").write_text("# Boats\n\nRenting a rowing boat costs 12 EUR an hour.\n")
    async with flagging(harness):
        await flag(harness, await answered(harness))
        (folder / "parking.md").unlink()
        await read(harness, folder)
        message = await outcome_once(harness)

    assert "is no longer among my documents" in text_of(message)


async def test_what_is_about_to_be_read_again_is_not_called_removed(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        await flag(harness, await answered(harness))
    outcomes: list[str] = []

    async def tell(report: Report) -> bool:
        outcomes.append(report.outcome)
        return True

    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        intake = DatabaseFlagIntake(database=database, clock=SystemClock(), workspace="default")

        async def changing(_person: str) -> Names:
            async with audience_store.transaction_as(database, "default", ALL) as connection:
                source_id = await source_store.id_of(connection, str(folder))
                assert source_id
                await source_store.report(connection, source_id, "parking.md", is_outdated=True)
            return ALL

        await changing(ADA)
        assert not await intake.answer_next(tell, reading_all)

        (folder / "parking.md").write_text(TEXT.format(price=9))
        await read(harness, folder)
        assert not await intake.answer_next(tell, changing), "It changed again meanwhile."

        await read(harness, folder)
        assert await intake.answer_next(tell, reading_all)

    assert ["changed"] == outcomes


async def reading_all(_person: str) -> Names:
    """Return the names under which somebody reads everything."""
    return ALL


async def test_who_reported_a_document_is_told_what_its_owner_says_and_the_owner_is_not(
    harness: Harness, folder: Path
) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        await flag(harness, answer)
        await flag(harness, answer, person=CHIARA, reason="wrong")
        message = await told_once(harness)
        await harness.playground.person(CHIARA).click("D0CHIARA", message["ts"], label="It is right")
        outcome = await outcome_once(harness)
        view = await say_again(harness, answer)

    assert "Its owner says that it is right" in text_of(outcome)
    assert [] == outcomes(harness, "D0CHIARA")
    assert "has said that it is right" in str(view)
    assert folder


async def say_again(harness: Harness, answer: Message) -> Json:
    """Report the same once more, and return what Ben reads then."""
    ben = harness.playground.person(BEN)
    await ben.submit(await dislike(harness, answer), {"flag_reason": "wrong"})
    return ben.open_view or {}


async def test_who_may_read_a_reported_document_no_more_is_not_told(harness: Harness, folder: Path) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        await flag(harness, answer)
        await flag(harness, answer, person=DEV)
        await share(harness, folder, ADA, DEV)
        (folder / "parking.md").write_text(TEXT.format(price=9))
        await read(harness, folder)
        await outcome_once(harness, "D0DEV")

    assert [] == outcomes(harness)


@pytest.mark.usefixtures("folder")
async def test_who_takes_a_report_back_is_told_nothing(harness: Harness) -> None:
    async with harness.bot(cadence=Cadence(flag_news_seconds=3600)):
        answer = await answered(harness)
        for undone in ({"reason": "take_back"}, {"reason": "off_topic"}):
            await flag(harness, answer)
            assert [(1,)] == rows(harness, "SELECT count(*) FROM reports")
            await flag(harness, answer, **undone)
            assert [] == rows(harness, "SELECT FROM reports")
        await flag(harness, answer)
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], value="good")
        await harness.settled()

    assert [] == rows(harness, "SELECT FROM reports")


async def test_the_thanks_promise_an_owner_only_if_there_may_be_one(harness: Harness, folder: Path) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        first = await say_again(harness, answer)
        await harness.playground.person(BEN).close_view(first)
        await told_once(harness)
        second = await say_again(harness, answer)
        await harness.playground.person(BEN).close_view(second)
        async with harness.owning() as owner:
            await owner.execute("DELETE FROM flags")
        await own(harness, folder, "nobody")
        third = await say_again(harness, answer)

    assert "I will tell the owner of *Parking at the harbour*, if I find one" in str(first)
    assert "I have told the owner of *Parking at the harbour* before" in str(second)
    assert "I found nobody to tell about *Parking at the harbour*" in str(third)


async def test_an_owner_gets_the_link_of_the_document_and_of_an_answer_that_they_can_open(
    harness: Harness, folder: Path
) -> None:
    (folder / "parking.md").write_text(f"---\nurl: https://{HANDBOOK_HOST}/parking\n---\n{TEXT.format(price=7)}")
    await read(harness, folder)
    async with harness.bot(cadence=Cadence(flag_news_seconds=3600)):
        public = await answered(harness)
        private = await answered(harness, channel="D0BEN", person=BEN)
        await flag(harness, public, named="yes", words=WORDS)
        await flag(harness, private, channel="D0BEN", named="yes", reason="wrong")
        await flag(harness, public, person=DEV)
    async with flagging(harness):
        message = await told_once(harness)

    assert f"*<https://{HANDBOOK_HOST}/parking|Parking at the harbour>*" in text_of(message)
    assert 1 == text_of(message).count("|the answer>")
    assert f"“{WORDS}” (<{harness.playground.url}archives/{SUPPORT}/p" in text_of(message)


@pytest.mark.usefixtures("folder")
async def test_what_was_said_can_be_changed_and_taken_back_and_is_counted_once(harness: Harness) -> None:
    async with harness.bot(cadence=Cadence(flag_news_seconds=3600)):
        answer = await answered(harness)
        view = await dislike(harness, answer)
        ben = harness.playground.person(BEN)
        assert "take_back" not in str(view)
        await ben.submit(view, {"flag_reason": "wrong", "flag_words": WORDS, "flag_named": "yes"})
        assert "I will tell the owner of" in str(ben.open_view)
        assert "I will tell you, once" in str(ben.open_view)
        await ben.close_view(ben.open_view or {})
        await flag(harness, answer, reason="outdated")
        assert [("outdated", False)] == rows(harness, "SELECT reason, is_named FROM flags")
        assert [("outdated", None)] == rows(harness, "SELECT reason, words FROM feedback")
        await flag(harness, answer, reason="off_topic")
        assert [] == rows(harness, "SELECT FROM flags")
        await flag(harness, answer, reason="wrong")
        await ben.click(SUPPORT, answer["ts"], value="good")
        await harness.settled()
        assert [] == rows(harness, "SELECT FROM flags")
        assert [("good", None)] == rows(harness, "SELECT verdict, reason FROM feedback")
        await flag(harness, answer, reason="wrong")
        view = await dislike(harness, answer)
        assert "take_back" in str(view)
        await ben.submit(view, {"flag_reason": "take_back"})
        assert [] == rows(harness, "SELECT FROM flags")
        assert [] == rows(harness, "SELECT FROM feedback")


@pytest.mark.usefixtures("folder")
async def test_who_closes_the_modal_has_rated_sees_so_and_flagged_nothing(harness: Harness) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        await dislike(harness, answer)
        ben = harness.playground.person(BEN)
        await ben.close_view(ben.open_view or {})
        await harness.ephemeral(BEN, "I have noted that this did not help")
        await harness.settled()

    assert [("bad", None)] == rows(harness, "SELECT verdict, reason FROM feedback")
    assert [] == rows(harness, "SELECT FROM flags")


async def test_an_owner_who_may_not_read_the_document_is_not_told(harness: Harness, folder: Path) -> None:
    await share(harness, folder, ADA)
    async with flagging(harness):
        answer = await answered(harness, channel="D0ADA")
        await flag(harness, answer, person=ADA, channel="D0ADA", words=PRIVATE)
        await looked(harness)
        assert [] == told(harness)
        await share(harness, folder, ADA, DEV)
        await own(harness, folder, DEV)
        message = await told_once(harness, "D0DEV")

    assert PRIVATE in text_of(message)
    assert ASKED not in text_of(message)
    assert [] == told(harness)


async def test_a_document_names_its_owner_and_without_one_the_reviewers_are_told(
    harness: Harness, folder: Path
) -> None:
    (folder / "parking.md").write_text(f"---\nowner: Dev\n---\n{TEXT.format(price=7)}")
    (folder / "boats.md").write_text("# Boats\n\nRenting a rowing boat costs 12 EUR an hour.\n")
    await read(harness, folder)
    await own(harness, folder, "nobody")
    async with flagging(harness, review_channel=PEOPLE):
        await flag(harness, await answered(harness), named="yes")
        of_dev = await told_once(harness, "D0DEV")
        await flag(harness, await answered(harness, "How much does renting a rowing boat cost?"), reason="wrong")
        card = await told_once(harness, PEOPLE)
        await harness.playground.person(CHIARA).click(PEOPLE, card["ts"], label="It is right")
        await harness.playground.until(lambda: not labels_of(told(harness, PEOPLE)[0]), timeout=PATIENCE)

    assert f"<@{BEN}> says that it is out of date" in text_of(of_dev)
    assert "Boats" in text_of(card)


async def test_a_forged_click_or_modal_changes_nothing(harness: Harness, folder: Path) -> None:
    (folder / "secret.md").write_text("# Secret\n\nThe lemurstone is blue.\n")
    await read(harness, folder)
    await share(harness, folder, ADA, CHIARA)
    ((hidden,),) = rows(harness, "SELECT max(id) FROM passages")
    async with flagging(harness):
        answer = await answered(harness, channel="D0ADA")
        await flag(harness, answer, person=ADA, channel="D0ADA")
        message = await told_once(harness)
        ((document,),) = rows(harness, "SELECT document_id FROM flags")
        limit = await answered(harness, "What is the limit for a hotel night?")
        # Dev presses Chiara's button, for the same document, below a message of his.
        ours = await harness.ask("What is the limit for a hotel night?", person=DEV, channel="D0DEV")
        (own_answer,) = await harness.answers(ours, channel="D0DEV")
        forged = next(block for block in message["blocks"] if block["type"] == "actions")
        own_answer["blocks"].append(forged)
        dev = harness.playground.person(DEV)
        await dev.click("D0DEV", own_answer["ts"], label="It is right")
        await harness.ephemeral(DEV, "This changed nothing")
        # He says that an answer cites what he may not read, and that he rated one that he did not.
        view = await dislike(harness, limit, person=DEV)
        metadata = view["private_metadata"]
        view["private_metadata"] = json.dumps({**json.loads(metadata), "token": f"bad|{hidden}"})
        await dev.submit(view, {"flag_reason": "wrong", "flag_words": PRIVATE})
        await dev.close_view(dev.open_view or {})
        view = await dislike(harness, limit, person=DEV)
        view["private_metadata"] = metadata.replace(limit["ts"], answer["ts"]).replace(SUPPORT, "D0ADA")
        await dev.submit(view, {"flag_reason": "wrong"})
        assert "changed nothing" in str(dev.open_view)

    assert [(document, ADA, None)] == rows(harness, "SELECT document_id, person, settled_at FROM flags")


@pytest.mark.usefixtures("folder")
async def test_clicks_modals_and_restarts_that_come_twice_tell_the_owner_once(harness: Harness) -> None:
    harness.environment["ASKBACK_WORKSPACE"] = "default"
    async with harness.bot(cadence=Cadence(flag_news_seconds=3600)):
        answer = await answered(harness)
        harness.playground.faults.duplicate(2)
        await flag(harness, answer)
        await flag(harness, answer, person=DEV, reason="wrong")
        await harness.settled()
    assert [(2,)] == rows(harness, "SELECT count(*) FROM flags")
    harness.playground.faults.lose_answer("chat.postMessage")
    async with flagging(harness):
        await harness.playground.until(lambda: told(harness), timeout=PATIENCE)
    # A process that died after it posted has noted nothing.
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        owner.execute("UPDATE flags SET told_at = NULL, told_to = NULL")
    async with flagging(harness):
        message = await told_once(harness)

    assert "A reader says that it is out of date.\n• A reader says that it is wrong." in text_of(message)


async def test_an_owner_is_told_only_if_one_member_is_called_so(harness: Harness, folder: Path) -> None:
    (folder / "parking.md").write_text(f"---\nowner: Sam Doe\n---\n{TEXT.format(price=7)}")
    await read(harness, folder)
    for person in (ADA, DEV):
        members = harness.playground.workspace.members
        members[person] = replace(members[person], real_name="Sam Doe")
    async with flagging(harness):
        await flag(harness, await answered(harness))
        await told_once(harness, "D0CHIARA")

    assert [] == told(harness, "D0ADA") == told(harness, "D0DEV")


async def test_an_administrator_sees_what_is_doubted_and_after_a_while_it_lapses(
    harness: Harness, folder: Path
) -> None:
    await own(harness, folder, "nobody")
    settings = Settings.model_validate(harness.settings)
    async with flagging(harness):
        await flag(harness, await answered(harness), words=WORDS)
        await looked(harness)
        console = Console(file=io.StringIO(), width=200)
        async with administering(settings, harness.app_url, console) as here:
            assert await sources.show_source(here, str(folder))
            await runs.list_runs(here, limit=1, is_json=False)
            ((run,),) = rows(harness, "SELECT max(id) FROM runs")
            assert await runs.show_runs(here, str(run), with_text=True, is_json=False)
        async with Database.open(harness.app_url, size=1, workspace="default") as database:
            unowned = await examine_sources(settings, database)

        async def has_lapsed() -> bool:
            cursor = await owner.execute("SELECT FROM flags UNION ALL SELECT FROM feedback WHERE words IS NOT NULL")
            return await cursor.fetchone() is None

        async with harness.owning() as owner:
            await owner.execute("UPDATE flags SET flagged_at = now() - interval '91 days'")
            await owner.execute("UPDATE feedback SET given_at = now() - interval '91 days'")
            await until(has_lapsed)

    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    assert "parking.md" in said
    assert "nobody" in said
    assert "rated: bad (outdated)" in said
    assert f"objected: {WORDS}" in said
    assert str(folder) in str([finding.what for finding in unowned if "nobody could be told" in finding.what])


async def test_who_fixed_a_document_lets_its_source_be_read(harness: Harness, folder: Path) -> None:
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        owner.execute("UPDATE sources SET every = '1 day', synced_at = now() WHERE owner IS NOT NULL")
    async with flagging(harness, sync_sources=False):
        await flag(harness, await answered(harness))
        message = await told_once(harness)
        await harness.playground.person(CHIARA).click("D0CHIARA", message["ts"], label="I have fixed it")
        await harness.playground.until(lambda: "I will read the document again" in text_of(told(harness)[0]), PATIENCE)
        # It was another document that changed, so the doubts stay, and so do the buttons.
        await harness.playground.person(CHIARA).click("D0CHIARA", message["ts"], label="It is right")
        await harness.playground.until(lambda: not labels_of(told(harness)[0]), timeout=PATIENCE)

    assert [(True,)] == rows(harness, "SELECT synced_at + every <= now() FROM sources WHERE owner IS NOT NULL")
    assert folder


@pytest.mark.usefixtures("folder")
async def test_an_owner_to_whom_nobody_can_write_is_passed_over(harness: Harness) -> None:
    async with flagging(harness, review_channel=PEOPLE):
        answer = await answered(harness)
        harness.playground.faults.fail("conversations.open", "user_disabled", times=FOREVER)
        await flag(harness, answer)
        card = await told_once(harness, PEOPLE)

    assert "Parking at the harbour" in text_of(card)
    assert [(PEOPLE,)] == rows(harness, "SELECT told_to FROM flags")


async def test_in_an_archived_review_channel_nobody_is_told_and_the_next_reader_is_not_told_otherwise(
    harness: Harness, folder: Path
) -> None:
    await own(harness, folder, "nobody")
    async with flagging(harness, review_channel=PEOPLE):
        answer = await answered(harness)
        harness.playground.faults.fail("chat.postMessage", "is_archived", times=FOREVER)
        await flag(harness, answer)
        await looked(harness)
        said = await say_again(harness, answer)

    assert [(None,)] == rows(harness, "SELECT told_to FROM flags")
    assert "I found nobody to tell about" in str(said)


async def test_a_reader_who_has_left_since_holds_up_nobody(harness: Harness, folder: Path) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        await flag(harness, answer)
        await flag(harness, answer, person=DEV)
        await told_once(harness)
        harness.playground.faults.fail("conversations.open", "user_disabled")
        (folder / "parking.md").write_text(TEXT.format(price=9))
        await read(harness, folder)
        await outcome_once(harness, "D0DEV")

    assert [] == outcomes(harness)


async def test_a_source_that_is_removed_takes_its_flags_and_reports_along(harness: Harness, folder: Path) -> None:
    async with flagging(harness):
        answer = await answered(harness)
        await flag(harness, answer)
        message = await told_once(harness)
        async with harness.owning() as owner:
            await owner.execute("DELETE FROM sources WHERE location = %s", [str(folder)])
        await harness.playground.person(CHIARA).click("D0CHIARA", message["ts"], label="It is right")
        await harness.ephemeral(CHIARA, "This changed nothing")
        said = await say_again(harness, answer)

    assert "Noted. Thank you." in str(said)
    assert "the owner of" not in str(said)
    assert [] == rows(harness, "SELECT FROM flags") == rows(harness, "SELECT FROM reports")
    assert [] == outcomes(harness)


@pytest.mark.parametrize("owner", ["U0ASKBACK", "U0GONE"])
async def test_who_is_no_member_owns_no_document(harness: Harness, folder: Path, owner: str) -> None:
    await own(harness, folder, owner)
    async with flagging(harness, review_channel=PEOPLE):
        await flag(harness, await answered(harness), words="<!channel> " + "\u202e" * 9 + "x" * 3000)
        card = await told_once(harness, PEOPLE)

    assert "<!channel>" not in text_of(card)
    assert "\u202e" not in text_of(card)
    assert 600 > text_of(card).count("x")


@pytest.mark.usefixtures("folder")
async def test_a_question_that_is_deleted_while_its_reader_says_what_was_wrong_flags_nothing(harness: Harness) -> None:
    async with flagging(harness):
        root = await harness.ask(ASKED)
        (answer,) = await harness.answers(root)
        await harness.settled()
        view = await dislike(harness, answer)
        await harness.playground.person(ADA).delete(SUPPORT, root)
        await harness.settled()
        ben = harness.playground.person(BEN)
        await ben.submit(view, {"flag_reason": "wrong"})

    assert "This answer is no longer there" in str(ben.open_view)
    assert [] == rows(harness, "SELECT FROM flags") == rows(harness, "SELECT FROM reports")
