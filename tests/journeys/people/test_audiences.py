"""Audiences from Slack to Slack: in the audience's channel, elsewhere, in direct messages, and after a change."""

import io
from pathlib import Path
from typing import Any

import psycopg
import pytest
from rich.console import Console

from bot.cli.administration import administering
from bot.cli.knowledge import sources
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from bot.slack.api.sockets import SOCKETS
from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, labels_of, text_of, until
from tests.models.groq_server import GroqServer
from tests.models.obliging import oblige

PEOPLE, SECRET = "C0PEOPLE", "7,431 EUR"
QUESTION = "What is the retention bonus for the workshop?"
GIL = "U0GIL"


@pytest.fixture
async def folder(harness: Harness, tmp_path: Path) -> Path:
    """A folder for one channel, of which Ada is a member and Ben is not."""
    (tmp_path / "bonus.md").write_text(
        f"# Retention bonus\n\nThe retention bonus for the workshop is {SECRET} a year, paid in March.\n"
    )
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    harness.playground.workspace.channels[PEOPLE].members.remove(BEN)
    await share(harness, tmp_path, PEOPLE)
    return tmp_path


async def share(harness: Harness, folder: Path, *names: str, part: str = "") -> None:
    """Share a folder with these readers, in a terminal beside a running bot."""
    console = Console(file=io.StringIO(), width=200)
    async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
        assert await sources.share_source(here, str(folder), [*names], part=part)


async def answer_to(harness: Harness, *, channel: str, person: str = ADA, root: str | None = None) -> str:
    """Ask, and return the answer."""
    asked = await harness.ask(QUESTION, person=person, channel=channel, root=root)
    answers = await harness.answers(root or asked, len(harness.said(root, channel)) + 1 if root else 1, channel=channel)
    await harness.settled()
    return text_of(answers[-1])


def shown_to(harness: Harness, *channels: str) -> list[Message]:
    """Return all messages of the bot in some channels."""
    bot = harness.playground.bot_user_id
    return [one for channel in channels for one in harness.playground.messages(channel) if one.get("user") == bot]


async def test_what_is_for_a_channel_is_answered_there_and_to_its_people_alone(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        assert SECRET in await answer_to(harness, channel=PEOPLE)
        assert SECRET in await answer_to(harness, channel="D0ADA")
        elsewhere = [
            await answer_to(harness, channel=SUPPORT),
            await answer_to(harness, channel=SUPPORT, person=BEN),
            await answer_to(harness, channel="D0BEN", person=BEN),
        ]
        small_talk = await harness.ask("What can you do?", person=BEN, channel="D0BEN")
        await harness.answers(small_talk, channel="D0BEN")
        await harness.settled()

    assert not [one for one in elsewhere if SECRET in one]
    everything = repr(shown_to(harness, SUPPORT, "D0BEN"))
    assert (False, False) == (SECRET in everything, "Retention bonus" in everything)


async def test_who_asks_where_others_may_not_read_the_answer_is_told_in_private_that_there_is_one(
    harness: Harness, folder: Path
) -> None:
    async with harness.bot():
        of_ada = await answer_to(harness, channel=SUPPORT)
        told = await harness.ephemeral(ADA, "Only you see this")
        await answer_to(harness, channel=SUPPORT, person=BEN)
        await harness.ask("Is there a sauna at the office?")
        await harness.settled()

    assert SECRET not in of_ada + text_of(told)
    assert "Retention" not in text_of(told)
    assert 1 == len(harness.playground.person(ADA).ephemerals())
    assert [] == harness.playground.person(BEN).ephemerals()


async def test_what_is_taken_back_is_told_no_more_neither_anew_nor_from_memory(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        root = await harness.ask(QUESTION, channel=PEOPLE)
        (first,) = await harness.answers(root, channel=PEOPLE)
        await harness.settled()
        await share(harness, folder, "nobody")

        await harness.say("What did you answer?", root, channel=PEOPLE)
        await harness.answers(root, 2, channel=PEOPLE)
        await harness.settled()
        again = await answer_to(harness, channel=PEOPLE)
        *_, recalled = harness.said(root, PEOPLE)

    assert SECRET in text_of(first)
    assert SECRET not in text_of(recalled) + again


async def test_who_leaves_the_channel_is_told_no_more_in_a_direct_message(harness: Harness, folder: Path) -> None:
    ada = harness.playground.person(ADA)
    async with harness.bot():
        before = await answer_to(harness, channel="D0ADA")
        await ada.leave(PEOPLE)
        await harness.settled()
        after = await answer_to(harness, channel="D0ADA")
        await harness.playground.person("U0CHIARA").invite(PEOPLE, ADA)
        await harness.settled()
        back = await answer_to(harness, channel="D0ADA")

    assert (True, False, True) == (SECRET in before, SECRET in after, SECRET in back)
    assert 3 == len(harness.playground.calls("users.conversations"))


async def test_who_left_while_a_socket_was_lost_is_told_no_more(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        before = await answer_to(harness, channel="D0ADA")
        lost = len(harness.playground.calls("apps.connections.open"))
        harness.playground.cut_sockets()
        # The event goes where nobody listens.
        harness.playground.workspace.channels[PEOPLE].members.remove(ADA)

        def are_open() -> bool:
            opened = len(harness.playground.calls("apps.connections.open")) - lost
            return opened >= SOCKETS and harness.playground.sockets.connection_count == SOCKETS

        await harness.playground.until(are_open, timeout=PATIENCE)
        await until_forgotten(harness)
        after = await answer_to(harness, channel="D0ADA")

    assert (True, False) == (SECRET in before, SECRET in after)


async def until_forgotten(harness: Harness) -> None:
    """Wait until nothing that Slack said of memberships counts."""
    async with harness.owning() as owner:

        async def is_forgotten() -> bool:
            cursor = await owner.execute("SELECT FROM memberships WHERE asked_at > changed_at")
            return await cursor.fetchone() is None

        await until(is_forgotten)


async def test_who_left_while_the_bot_did_not_run_is_told_no_more(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        before = await answer_to(harness, channel="D0ADA")
    harness.playground.workspace.channels[PEOPLE].members.remove(ADA)
    async with harness.bot():
        after = await answer_to(harness, channel="D0ADA")

    assert (True, False) == (SECRET in before, SECRET in after)


async def test_whose_channels_nobody_can_tell_is_answered_without_them(harness: Harness, folder: Path) -> None:
    harness.playground.faults.fail("users.conversations", "missing_scope", times=FOREVER)
    async with harness.bot():
        assert SECRET not in await answer_to(harness, channel="D0ADA")
        assert SECRET in await answer_to(harness, channel=PEOPLE)


async def test_slack_is_not_asked_for_channels_while_nothing_is_for_one(harness: Harness, folder: Path) -> None:
    await share(harness, folder, "everyone")
    async with harness.bot():
        assert SECRET in await answer_to(harness, channel="D0BEN", person=BEN)

    assert [] == harness.playground.calls("users.conversations")


async def test_guests_read_only_what_is_shared_with_them(harness: Harness, folder: Path) -> None:
    workspace = harness.playground.workspace
    workspace.members[GIL] = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)
    workspace.channels[PEOPLE].members.append(GIL)
    async with harness.bot(answer_guests=True):
        assert SECRET not in await answer_to(harness, channel=PEOPLE, person=GIL)
        await share(harness, folder, "guests", part="bonus.md")
        assert SECRET in await answer_to(harness, channel=PEOPLE, person=GIL)


async def test_what_is_for_one_person_is_told_to_them_alone_and_in_private(harness: Harness, folder: Path) -> None:
    await share(harness, folder, BEN)
    async with harness.bot():
        assert SECRET in await answer_to(harness, channel="D0BEN", person=BEN)
        assert SECRET not in await answer_to(harness, channel=PEOPLE)
        assert SECRET not in await answer_to(harness, channel=SUPPORT, person=BEN)
        assert SECRET not in await answer_to(harness, channel="D0ADA")


async def test_an_old_card_leads_to_nothing_that_was_taken_back(harness: Harness, folder: Path) -> None:
    for place, sum_of in (("Oslo", "1,111 EUR"), ("Turin", "2,222 EUR")):
        (folder / place.lower()).mkdir()
        (folder / place.lower() / "parking.md").write_text(
            f"# Parking in {place}\n\nA parking space at the {place} garage costs {sum_of} a year.\n"
        )
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [folder])
    async with harness.bot():
        root = await harness.ask("How much does a parking space at the garage cost?", channel=PEOPLE)
        card = await harness.card(root, channel=PEOPLE)
        label = next(label for label in labels_of(card) if "Oslo" in label)
        await share(harness, folder, "nobody")
        await harness.click(root, label, channel=PEOPLE)
        answers = await harness.answers(root, channel=PEOPLE)
        await harness.settled()

    assert not [one for one in answers if "EUR" in text_of(one) and "1,111" in text_of(one)]


async def test_a_model_is_given_nothing_that_its_asker_may_not_read(harness: Harness, folder: Path) -> None:
    async with GroqServer.serve(oblige) as groq, harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        await answer_to(harness, channel=SUPPORT, person=BEN)
        assert SECRET not in repr(groq.requests)
        root = await harness.ask(QUESTION, channel=PEOPLE)
        await harness.answers(root, channel=PEOPLE)
        await harness.settled()
        assert SECRET in repr(groq.requests)

        asked = len(groq.requests)
        await share(harness, folder, "nobody")
        await harness.say("And when is it paid?", root, channel=PEOPLE)
        await harness.playground.until(lambda: len(groq.requests) > asked, timeout=PATIENCE)
        await harness.settled()
        assert SECRET not in repr(groq.requests[asked:])


async def test_reviewers_are_shown_nothing_that_is_not_for_everyone(harness: Harness, folder: Path) -> None:
    async with harness.bot(review_channel="C0GENERAL"):
        asked = await harness.ask(QUESTION, channel=PEOPLE)
        (answer,) = await harness.answers(asked, channel=PEOPLE)
        open_to_all = await harness.ask("What is the limit for a hotel night?")
        (other,) = await harness.answers(open_to_all)
        await harness.settled()

    assert (False, True) == ("Ask a human" in labels_of(answer), "Ask a human" in labels_of(other))
    assert [] == shown_to(harness, "C0GENERAL")
    assert SECRET not in repr(reviews(harness))


async def test_what_is_kept_from_some_meanwhile_is_not_brought_to_reviewers_by_an_old_button(
    harness: Harness, folder: Path
) -> None:
    await share(harness, folder, "everyone")
    async with harness.bot(review_channel="C0GENERAL"):
        asked = await harness.ask(QUESTION, channel=PEOPLE)
        (answer,) = await harness.answers(asked, channel=PEOPLE)
        await harness.settled()
        await share(harness, folder, PEOPLE)
        await harness.playground.person(ADA).click(PEOPLE, answer["ts"], label="Ask a human")
        await harness.ephemeral(ADA, "not the current one any more")
        await harness.settled()

    assert SECRET in text_of(answer)
    assert [] == shown_to(harness, "C0GENERAL")


def reviews(harness: Harness) -> list[Any]:
    """Return all stored reviews."""
    with psycopg.connect(harness.database_url) as connection:
        return connection.execute("SELECT payload FROM asks WHERE kind = 'review'").fetchall()
