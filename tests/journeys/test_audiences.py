"""Who may read what, from Slack to Slack: in its channel, elsewhere, in direct messages, after it was taken back."""

import io
from pathlib import Path
from typing import Any

import psycopg
import pytest
from rich.console import Console

from bot.cli import sources
from bot.cli.administration import administering
from bot.knowledge.ingest import ingest
from bot.models.multilingual import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.town import ADA, BEN, PATIENCE, SUPPORT, Message, Town, labels_of, text_of
from tests.models.groq_server import GroqServer
from tests.models.obliging import oblige

PEOPLE, SECRET = "C0PEOPLE", "7,431 EUR"
QUESTION = "What is the retention bonus for the workshop?"
GIL = "U0GIL"


@pytest.fixture
async def folder(town: Town, tmp_path: Path) -> Path:
    """A folder that is for one channel, which Ada is in and Ben is not."""
    (tmp_path / "bonus.md").write_text(
        f"# Retention bonus\n\nThe retention bonus for the workshop is {SECRET} a year, paid in March.\n"
    )
    async with Database.open(town.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    town.playground.workspace.channels[PEOPLE].members.remove(BEN)
    await share(town, tmp_path, PEOPLE)
    return tmp_path


async def share(town: Town, folder: Path, *names: str, part: str = "") -> None:
    """Say at the terminal, beside a running bot, for whom a folder is."""
    console = Console(file=io.StringIO(), width=200)
    async with administering(Settings.model_validate(town.settings), town.app_url, console) as here:
        assert await sources.share_source(here, str(folder), [*names], part=part)


async def answer_to(town: Town, *, channel: str, person: str = ADA, root: str | None = None) -> str:
    """Ask and return what was answered."""
    asked = await town.ask(QUESTION, person=person, channel=channel, root=root)
    answers = await town.answers(root or asked, len(town.said(root, channel)) + 1 if root else 1, channel=channel)
    await town.settled()
    return text_of(answers[-1])


def shown_to(town: Town, *channels: str) -> list[Message]:
    """Return all that the bot says in some places."""
    bot = town.playground.bot_user_id
    return [one for channel in channels for one in town.playground.messages(channel) if one.get("user") == bot]


async def test_what_is_for_a_channel_is_answered_there_and_to_its_people_alone(town: Town, folder: Path) -> None:
    async with town.bot():
        assert SECRET in await answer_to(town, channel=PEOPLE)
        assert SECRET in await answer_to(town, channel="D0ADA")
        elsewhere = [
            await answer_to(town, channel=SUPPORT),
            await answer_to(town, channel=SUPPORT, person=BEN),
            await answer_to(town, channel="D0BEN", person=BEN),
        ]
        small_talk = await town.ask("What can you do?", person=BEN, channel="D0BEN")
        await town.answers(small_talk, channel="D0BEN")
        await town.settled()

    assert not [one for one in elsewhere if SECRET in one]
    everything = repr(shown_to(town, SUPPORT, "D0BEN"))
    assert (False, False) == (SECRET in everything, "Retention bonus" in everything)


async def test_what_is_taken_back_is_told_no_more_neither_anew_nor_from_memory(town: Town, folder: Path) -> None:
    async with town.bot():
        root = await town.ask(QUESTION, channel=PEOPLE)
        (first,) = await town.answers(root, channel=PEOPLE)
        await town.settled()
        await share(town, folder, "nobody")

        await town.say("What did you answer?", root, channel=PEOPLE)
        await town.answers(root, 2, channel=PEOPLE)
        await town.settled()
        again = await answer_to(town, channel=PEOPLE)
        *_, recalled = town.said(root, PEOPLE)

    assert SECRET in text_of(first)
    assert SECRET not in text_of(recalled) + again


async def test_who_leaves_the_channel_is_told_no_more_in_a_direct_message(town: Town, folder: Path) -> None:
    ada = town.playground.person(ADA)
    async with town.bot():
        before = await answer_to(town, channel="D0ADA")
        await ada.leave(PEOPLE)
        await town.settled()
        after = await answer_to(town, channel="D0ADA")
        await town.playground.person("U0CHIARA").invite(PEOPLE, ADA)
        await town.settled()
        back = await answer_to(town, channel="D0ADA")

    assert (True, False, True) == (SECRET in before, SECRET in after, SECRET in back)
    assert 3 == len(town.playground.calls("users.conversations"))


async def test_whose_channels_nobody_can_tell_is_answered_without_them(town: Town, folder: Path) -> None:
    town.playground.faults.fail("users.conversations", "missing_scope", times=FOREVER)
    async with town.bot():
        assert SECRET not in await answer_to(town, channel="D0ADA")
        assert SECRET in await answer_to(town, channel=PEOPLE)


async def test_slack_is_not_asked_for_channels_while_nothing_is_for_one(town: Town, folder: Path) -> None:
    await share(town, folder, "everyone")
    async with town.bot():
        assert SECRET in await answer_to(town, channel="D0BEN", person=BEN)

    assert [] == town.playground.calls("users.conversations")


async def test_guests_read_only_what_is_shared_with_them(town: Town, folder: Path) -> None:
    workspace = town.playground.workspace
    workspace.members[GIL] = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)
    workspace.channels[PEOPLE].members.append(GIL)
    async with town.bot(answer_guests=True):
        assert SECRET not in await answer_to(town, channel=PEOPLE, person=GIL)
        await share(town, folder, "guests", part="bonus.md")
        assert SECRET in await answer_to(town, channel=PEOPLE, person=GIL)


async def test_what_is_for_one_person_is_told_to_them_alone_and_in_private(town: Town, folder: Path) -> None:
    await share(town, folder, BEN)
    async with town.bot():
        assert SECRET in await answer_to(town, channel="D0BEN", person=BEN)
        assert SECRET not in await answer_to(town, channel=PEOPLE)
        assert SECRET not in await answer_to(town, channel=SUPPORT, person=BEN)
        assert SECRET not in await answer_to(town, channel="D0ADA")


async def test_an_old_card_leads_to_nothing_that_was_taken_back(town: Town, folder: Path) -> None:
    for place, sum_of in (("Oslo", "1,111 EUR"), ("Turin", "2,222 EUR")):
        (folder / place.lower()).mkdir()
        (folder / place.lower() / "parking.md").write_text(
            f"# Parking in {place}\n\nA parking space at the {place} garage costs {sum_of} a year.\n"
        )
    async with Database.open(town.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [folder])
    async with town.bot():
        root = await town.ask("How much does a parking space at the garage cost?", channel=PEOPLE)
        card = await town.card(root, channel=PEOPLE)
        label = next(label for label in labels_of(card) if "Oslo" in label)
        await share(town, folder, "nobody")
        await town.click(root, label, channel=PEOPLE)
        answers = await town.answers(root, channel=PEOPLE)
        await town.settled()

    assert not [one for one in answers if "EUR" in text_of(one) and "1,111" in text_of(one)]


async def test_a_model_is_given_nothing_that_its_asker_may_not_read(town: Town, folder: Path) -> None:
    async with GroqServer.serve(oblige) as groq, town.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        await answer_to(town, channel=SUPPORT, person=BEN)
        assert SECRET not in repr(groq.requests)
        root = await town.ask(QUESTION, channel=PEOPLE)
        await town.answers(root, channel=PEOPLE)
        await town.settled()
        assert SECRET in repr(groq.requests)

        asked = len(groq.requests)
        await share(town, folder, "nobody")
        await town.say("And when is it paid?", root, channel=PEOPLE)
        await town.playground.until(lambda: len(groq.requests) > asked, timeout=PATIENCE)
        await town.settled()
        assert SECRET not in repr(groq.requests[asked:])


async def test_reviewers_are_shown_nothing_that_is_not_for_everyone(town: Town, folder: Path) -> None:
    async with town.bot(review_channel="C0GENERAL"):
        asked = await town.ask(QUESTION, channel=PEOPLE)
        (answer,) = await town.answers(asked, channel=PEOPLE)
        open_to_all = await town.ask("What is the limit for a hotel night?")
        (other,) = await town.answers(open_to_all)
        await town.settled()

    assert (False, True) == ("Ask a human" in labels_of(answer), "Ask a human" in labels_of(other))
    assert [] == shown_to(town, "C0GENERAL")
    assert SECRET not in repr(reviews(town))


def reviews(town: Town) -> list[Any]:
    """Return all that is kept for reviewers."""
    with psycopg.connect(town.database_url) as connection:
        return connection.execute("SELECT payload FROM asks WHERE kind = 'review'").fetchall()
