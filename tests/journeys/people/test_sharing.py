"""An answer that not everybody in the channel may read: to its asker alone, and shared by them, under their name."""

import io
from pathlib import Path

import psycopg
import pytest
from rich.console import Console

from bot.cli.administration import administering
from bot.cli.knowledge import sources
from bot.settings import Settings
from playground.protocol.faults import FOREVER
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, is_answer, labels_of, text_of, until
from tests.journeys.people.test_audiences import QUESTION, SECRET, folder, share

__all__ = ["folder"]
DIRECT = "D0ADA"
SHARE, TELL = "Share in the channel", "Answer me in a direct message"


async def asked_alone(harness: Harness, *, root: str | None = None) -> tuple[str, Message]:
    """Ask where others may not read the answer, and press the button of the hint; return question and answer."""
    question = await harness.ask(QUESTION, root=root)
    hint = await harness.ephemeral(ADA, "Only you see this")
    await harness.playground.person(ADA).click(SUPPORT, hint["ts"], label=TELL)
    return question, await answer_alone(harness)


async def answer_alone(harness: Harness) -> Message:
    """Wait for the answer in the direct message."""

    def there() -> list[Message]:
        return [one for one in harness.playground.messages(DIRECT) if is_answer(one)]

    (answer,) = await harness.playground.until(there, timeout=PATIENCE)
    await harness.settled()
    return answer


async def pressed(harness: Harness, answer: Message, *, person: str = ADA) -> None:
    """Press the button that shares an answer."""
    await harness.playground.person(person).click(DIRECT, answer["ts"], label=SHARE)
    await harness.settled()
    await copied(harness)


async def copied(harness: Harness) -> None:
    """Wait until no copy is to be posted or deleted."""
    async with harness.owning() as owner:
        await until(lambda: nothing_is_due(owner))


async def nothing_is_due(owner: psycopg.AsyncConnection) -> bool:
    """Tell whether no copy is to be posted or deleted."""
    return not (await owner.execute("SELECT FROM shared_answers WHERE due_at IS NOT NULL")).rowcount


def copies(harness: Harness, root: str) -> list[Message]:
    """Return the shared copies in a thread of the channel."""
    return [one for one in harness.said(root) if "Shared by" in text_of(one)]


async def listed(harness: Harness) -> str:
    """Return what an administrator sees of shared answers."""
    console = Console(file=io.StringIO(), width=200)
    async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
        await sources.show_shared(here)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def recorded(harness: Harness) -> list[tuple[object, ...]]:
    """Return who shared what where, and whether it stands."""
    with psycopg.connect(harness.database_url) as owner:
        return owner.execute(
            "SELECT person, channel, is_restricted, taken_back_at IS NULL,"
            " (SELECT array_agg(title) FROM documents WHERE documents.id = ANY (documents)) FROM shared_answers"
        ).fetchall()


async def test_who_alone_may_read_an_answer_gets_it_by_a_click_and_shares_it_under_their_name(
    harness: Harness, folder: Path
) -> None:
    async with harness.bot():
        question, answer = await asked_alone(harness)
        hint = await harness.ephemeral(ADA, "Only you see this")
        await harness.playground.person(ADA).click(SUPPORT, hint["ts"], label=TELL)
        await harness.settled()
        assert SECRET in text_of(answer)
        assert SECRET not in repr(harness.said(question))
        (begun, *_) = [one for one in harness.playground.messages(DIRECT) if "Not everybody there" in text_of(one)]
        assert f"/{SUPPORT}/p{question.replace('.', '')}" in text_of(begun)
        (actions,) = [block for block in answer["blocks"] if block["type"] == "actions" and SHARE in repr(block)]
        assert "Everybody who reads that channel" in actions["elements"][0]["confirm"]["text"]["text"]

        await pressed(harness, answer)
        await pressed(harness, answer)

        (copy,) = copies(harness, question)
        assert SECRET in text_of(copy)
        assert f"Shared by <@{ADA}>, from documents that not everybody here may read" in text_of(copy)
        assert [] == labels_of(copy)
        assert [(ADA, SUPPORT, True, True, ["Retention bonus"])] == recorded(harness)
        (_, line) = (await listed(harness)).splitlines()
        assert all(said in line for said in (ADA, SUPPORT, "Retention bonus", "not everybody there"))


@pytest.mark.parametrize("change", ["leaves", "lost membership", "kept from them", "slack is silent", "company"])
async def test_what_its_sharer_may_not_share_at_that_moment_is_not_shared(
    harness: Harness, folder: Path, change: str
) -> None:
    playground = harness.playground
    async with harness.bot():
        question, answer = await asked_alone(harness)
        match change:
            case "leaves":
                await playground.person(ADA).leave(SUPPORT)
                why = "you are in that channel"
            case "lost membership":
                # Slack tells of nobody who left, and what it said before still counts for reading.
                playground.workspace.channels[SUPPORT].members.remove(ADA)
                why = "you are in that channel"
            case "kept from them":
                await share(harness, folder, BEN)
                why = "you may not read it any more"
            case "company":
                playground.workspace.channels[SUPPORT].is_shared = True
                await playground.person(BEN).post(SUPPORT, "Welcome!")
                why = "People of another company can read that channel"
            case _:
                playground.faults.fail("users.conversations", "internal_error", times=FOREVER)
                why = "you are in that channel"
        await harness.settled()
        await pressed(harness, answer)
        await harness.ephemeral(ADA, why)

    assert SECRET not in repr(harness.said(question))
    assert [] == recorded(harness)
    assert "Nobody has shared an answer." in await listed(harness)


@pytest.mark.parametrize("deed", ["edit", "delete"])
async def test_a_changed_question_takes_its_answer_and_the_copy_back(harness: Harness, folder: Path, deed: str) -> None:
    ada = harness.playground.person(ADA)
    async with harness.bot():
        question, answer = await asked_alone(harness)
        await pressed(harness, answer)
        if deed == "edit":
            bot = harness.playground.bot_user_id
            await ada.edit(SUPPORT, question, f"<@{bot}> What is the limit for a hotel night?")
        else:
            await ada.delete(SUPPORT, question)
        await harness.playground.until(lambda: SECRET not in repr(harness.playground.messages(DIRECT)), PATIENCE)
        await harness.settled()
        await copied(harness)

    assert [] == copies(harness, question)
    assert [(ADA, SUPPORT, True, False, ["Retention bonus"])] == recorded(harness)


async def test_an_answer_to_a_reply_in_a_thread_is_shared_in_that_thread(harness: Harness, folder: Path) -> None:
    async with harness.bot():
        root = await harness.playground.person(BEN).post(SUPPORT, "Who knows about the bonus?")
        _, answer = await asked_alone(harness, root=root)
        await pressed(harness, answer)

    assert 1 == len(copies(harness, root))


async def test_what_everybody_there_may_read_by_now_is_shared_without_the_remark(
    harness: Harness, folder: Path
) -> None:
    async with harness.bot():
        question, answer = await asked_alone(harness)
        await share(harness, folder, "everyone")
        await pressed(harness, answer)

    (copy,) = copies(harness, question)
    assert "not everybody" not in text_of(copy)
