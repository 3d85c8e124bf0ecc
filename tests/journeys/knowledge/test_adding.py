"""“Add to knowledge” and “Forget this”: from a shortcut on a message to answers with author, date and permalink."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.cli.demo import HANDBOOK
from bot.slack.manifest import manifest
from bot.slack.payloads.buttons import ADD_TO_KNOWLEDGE, FORGET_THIS, WHY_THIS_ANSWER
from playground import Member
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, labels_of, text_of, until
from tests.journeys.knowledge.test_upkeep import OFTEN
from tests.journeys.people.test_audiences import share

PEOPLE, CHIARA = "C0PEOPLE", "U0CHIARA"
QUESTION, SECRET = "What is the code of the bicycle garage?", "4711-B"


async def talk(harness: Harness, channel: str = PEOPLE) -> tuple[str, str]:
    """Let Ada ask and Chiara answer in a thread; return the two messages."""
    root = await harness.playground.person(ADA).post(channel, QUESTION)
    reply = await harness.playground.person(CHIARA).post(
        channel, f"The code of the bicycle garage is {SECRET}.", thread_ts=root
    )
    return root, reply


async def choose(
    harness: Harness, ts: str, what: str = ADD_TO_KNOWLEDGE, *, person: str = ADA, channel: str = PEOPLE
) -> str:
    """Choose a shortcut on a message; return what the person alone is told."""
    who = harness.playground.person(person)
    before = len(told_to(harness, person))
    delivery = await who.choose(channel, ts, what)
    await harness.playground.until(lambda: delivery.settled, timeout=PATIENCE)
    assert "acknowledged" == delivery.state
    said = await harness.playground.until(lambda: told_to(harness, person)[before:], timeout=PATIENCE)
    return text_of(said[0])


def told_to(harness: Harness, person: str) -> list[dict[str, Any]]:
    """Return what a person alone was told: beside messages, or in a direct message."""
    direct = harness.playground.workspace.channels[f"D0{person.removeprefix('U0')}"].messages.values()
    alone = [one for one in direct if one.get("user") == harness.playground.bot_user_id and "thread_ts" not in one]
    return [*harness.playground.person(person).ephemerals(), *alone]


async def paths(harness: Harness) -> list[str]:
    """Return the locations and paths of what was read of Slack."""
    async with harness.owning() as owner:
        cursor = await owner.execute(
            "SELECT location || ' ' || path FROM documents JOIN sources ON sources.id = source_id"
            " WHERE kind = 'slack' ORDER BY path"
        )
        return [row[0] for row in await cursor.fetchall()]


async def texts(harness: Harness) -> list[str]:
    """Return what was read of Slack, in the order of paths."""
    async with harness.owning() as owner:
        cursor = await owner.execute(
            "SELECT text FROM passages JOIN documents ON documents.id = document_id"
            " JOIN sources ON sources.id = source_id WHERE kind = 'slack' ORDER BY path, position"
        )
        return [row[0] for row in await cursor.fetchall()]


async def read(harness: Harness, *expected: str) -> None:
    """Wait until exactly these documents of Slack are there."""

    async def holds() -> bool:
        return [*expected] == await paths(harness)

    await until(holds)


async def answer(harness: Harness, channel: str, person: str = ADA, question: str = QUESTION) -> str:
    """Ask, and return the answer."""
    root = await harness.ask(question, person=person, channel=channel)
    (said,) = await harness.answers(root, channel=channel)
    await harness.settled()
    return text_of(said)


def of_thread(root: str, channel: str = PEOPLE) -> str:
    """Return the location and path of a thread that was added."""
    return f"slack:{channel}/added slack/{root}.md"


async def test_an_added_thread_answers_the_members_of_its_channel_with_author_date_and_permalink(
    harness: Harness,
) -> None:
    harness.playground.workspace.channels[PEOPLE].members.remove(BEN)
    async with harness.bot(cadence=OFTEN):
        root, reply = await talk(harness)
        said = await choose(harness, reply)
        await read(harness, of_thread(root))
        here, directly = await answer(harness, PEOPLE), await answer(harness, "D0ADA")
        elsewhere = [await answer(harness, "D0BEN", BEN), await answer(harness, SUPPORT)]

    link = f"https://lumen-and-pine.slack.com/archives/{PEOPLE}/p{root.replace('.', '')}"
    assert "this thread, with its authors and dates" in said
    assert "The members of this channel" in said
    assert all(part in here for part in (SECRET, "chiara", link))
    assert SECRET in directly
    assert not [one for one in elsewhere if SECRET in one]
    (words,) = await texts(harness)
    assert ["ada", "chiara"] == [line.split(",")[0] for line in words.split("\n\n")]


async def test_undo_takes_out_what_was_added_and_it_can_be_added_again(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN):
        root, _ = await talk(harness)
        await choose(harness, root)
        await read(harness, of_thread(root))
        (card,) = harness.playground.person(ADA).ephemerals(PEOPLE)
        await harness.playground.person(ADA).click(PEOPLE, card["ts"], label="Undo")
        undone = text_of(await harness.ephemeral(ADA, "I took 1 document out"))
        await read(harness)
        after = await answer(harness, PEOPLE)
        await choose(harness, root, person=CHIARA)
        await read(harness, of_thread(root))

    assert ["Undo"] == labels_of(card)
    assert "The messages stay in Slack" in undone
    assert SECRET not in after


async def test_edits_replies_and_deletions_are_followed(harness: Harness) -> None:
    chiara = harness.playground.person(CHIARA)
    async with harness.bot(cadence=OFTEN):
        root, reply = await talk(harness)
        await choose(harness, root)
        await read(harness, of_thread(root))
        await chiara.edit(PEOPLE, reply, "It is 5822-C since May.")
        await until_told(harness, "5822-C", without=SECRET)
        await chiara.post(PEOPLE, "And the gate has no code.", thread_ts=root)
        await until_told(harness, "gate has no code")
        await chiara.delete(PEOPLE, reply)
        await until_told(harness, "gate has no code", without="5822-C")


async def until_told(harness: Harness, text: str, *, without: str = "\0") -> None:
    """Wait until what was read of Slack holds a text, and not another."""

    async def holds() -> bool:
        words = "\n".join(await texts(harness))
        return text in words and without not in words

    await until(holds)


async def test_of_a_conversation_with_askback_only_the_chosen_message_is_added(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN):
        root = await harness.ask("Where is the ladder for the high shelves?", channel=PEOPLE)
        await harness.answers(root, channel=PEOPLE)
        reply = await harness.say("The ladder is behind the blue door.", root, person=CHIARA, channel=PEOPLE)
        said = await choose(harness, reply, person=CHIARA)
        await read(harness, f"slack:{PEOPLE}/added slack/{root}/{reply}.md")
        told = await answer(harness, PEOPLE, question="Where is the ladder?")

    (words,) = await texts(harness)
    assert "this message, with its author" in said
    assert words.startswith("chiara, ")
    assert "blue door" in told
    assert f"p{reply.replace('.', '')}?thread_ts={root}" in told


async def test_what_a_person_adds_in_a_direct_message_is_for_this_person_only(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN):
        ts = await harness.playground.person(ADA).post("D0ADA", f"Note: the code of the bicycle garage is {SECRET}.")
        await harness.answers(ts, channel="D0ADA")
        said = await choose(harness, ts, channel="D0ADA")
        await read(harness, f"slack:D0ADA/added slack/{ts}/{ts}.md")
        mine = await answer(harness, "D0ADA")
        others = [await answer(harness, "D0BEN", BEN), await answer(harness, SUPPORT)]

    assert "Only you" in said
    assert SECRET in mine
    assert not [one for one in others if SECRET in one]


async def test_files_on_a_message_are_added_and_each_that_cannot_be_read_is_named(harness: Harness) -> None:
    ada = harness.playground.person(ADA)
    async with harness.bot(cadence=OFTEN):
        ts = await ada.share(PEOPLE, "garage.md", f"# Garage\n\nThe code of the bicycle garage is {SECRET}.")
        message = harness.playground.workspace.channels[PEOPLE].messages[ts]
        (file,) = message["files"]
        message["files"] = [
            file,
            {"id": "F1", "name": "plan.dwg", "url_private_download": "x", "size": 1},
            {"id": "F2", "name": "doc.pdf", "mode": "external"},
        ]
        said = await choose(harness, ts)
        await read(harness, f"slack:{PEOPLE}/added slack/{ts}/{ts}/{file['id']}/garage.md")
        told = await answer(harness, PEOPLE)
        await harness.playground.person(ADA).delete(PEOPLE, ts)
        await read(harness)

    assert "I add to what I know: the file garage.md." in said
    assert "Not added: plan.dwg: I cannot read this format." in said
    assert "Not added: doc.pdf: it is not stored in Slack." in said
    assert SECRET in told
    assert f"archives/{PEOPLE}/p{ts.replace('.', '')}" in told
    assert [ADA] == await writers_seen(harness)


async def test_files_that_a_person_sends_in_a_direct_message_are_added_with_one_click(harness: Harness) -> None:
    ada, garage = harness.playground.person(ADA), f"# Garage\n\nThe code of the bicycle garage is {SECRET}."
    async with harness.bot(cadence=OFTEN):
        await ada.share(PEOPLE, "other.md", garage)
        ts = await ada.share("D0ADA", "garage.md", garage, text="Here is the plan")
        offer = await harness.ephemeral(ADA, "Shall I add")
        before = await paths(harness)
        await ada.click("D0ADA", offer["ts"], label="Add to knowledge")
        done = text_of(await harness.ephemeral(ADA, "I add to what I know"))
        (file,) = harness.playground.workspace.channels["D0ADA"].messages[ts]["files"]
        await read(
            harness,
            f"slack:D0ADA/added slack/{ts}/{ts}.md",
            f"slack:D0ADA/added slack/{ts}/{ts}/{file['id']}/garage.md",
        )
        mine, others = await answer(harness, "D0ADA"), await answer(harness, "D0BEN", BEN)

    assert "Shall I add *garage.md* to what I know? Only you will get answers from it." in text_of(offer)
    assert [] == before
    assert "the file garage.md" in done
    assert SECRET in mine
    assert SECRET not in others
    assert ["Add to knowledge"] == [label for one in ada.ephemerals() for label in labels_of(one) if label != "Undo"]


async def writers_seen(harness: Harness) -> list[str]:
    """Return whose words people added."""
    async with harness.owning() as owner:
        cursor = await owner.execute("SELECT DISTINCT writer FROM added_messages")
        return [row[0] for row in await cursor.fetchall()]


async def test_what_is_no_knowledge_is_refused_privately_and_nothing_is_stored(harness: Harness) -> None:
    workspace = harness.playground.workspace
    workspace.members["U0EVE"] = Member(id="U0EVE", name="eve", real_name="Eve", team_id="T0OTHER")
    workspace.members["U0GUEST"] = Member(id="U0GUEST", name="gus", real_name="Gus", is_guest=True)
    workspace.channels[PEOPLE].members += ["U0EVE", "U0GUEST"]
    place = workspace.channels[PEOPLE]
    await share(harness, HANDBOOK, "everyone", "guests")
    async with harness.bot(sync_sources=False):
        root = await harness.ask("What is the limit for a hotel night?", channel=PEOPLE)
        (ours,) = await harness.answers(root, channel=PEOPLE)
        foreign = await harness.playground.person("U0EVE").post(PEOPLE, "We of the other company know it.")
        alarm = {
            "type": "message",
            "ts": "1772442000.000100",
            "user": "U0CI",
            "bot_id": "B0CI",
            "text": "ALARM",
            "subtype": "bot_message",
        }
        place.add(alarm)
        refused = [
            await choose(harness, ours["ts"]),
            await choose(harness, root),
            await choose(harness, foreign),
            await choose(harness, alarm["ts"]),
        ]
        added = await stored(harness)

    assert ["my own message", "said to me", "the company that I work for", "A program wrote this"] == [
        part
        for part, one in zip(
            ("my own message", "said to me", "the company that I work for", "A program wrote this"),
            refused,
            strict=True,
        )
        if part in one
    ]
    assert not added


async def stored(harness: Harness) -> Sequence[Any]:
    """Return what people added."""
    async with harness.owning() as owner:
        cursor = await owner.execute("SELECT path FROM added_messages")
        return await cursor.fetchall()


async def test_where_the_bot_is_not_it_says_so_in_a_direct_message(harness: Harness) -> None:
    async with harness.bot(sync_sources=False):
        ts = await harness.playground.person(ADA).post("C0RANDOM", "The ladder is in the cellar.")
        said = await choose(harness, ts, channel="C0RANDOM")

    assert "/invite @Askback" in said
    assert not await stored(harness)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"may_add": "nobody"}, "An administrator has switched this off"),
        ({"may_add": "reviewers", "review_channel": SUPPORT, "reviewers": BEN}, "Only reviewers"),
    ],
)
async def test_an_administrator_may_limit_who_adds(harness: Harness, given: dict[str, Any], why: str) -> None:
    async with harness.bot(sync_sources=False, **given):
        root, _ = await talk(harness)
        refused = await choose(harness, root)
        before = await stored(harness)
        by_ben = await choose(harness, root, person=BEN)

    assert why in refused
    assert not before
    assert ("may_add", "reviewers") in given.items() or why in by_ben
    assert "reviewers" not in given or len(await stored(harness)) == 1


async def test_who_added_who_wrote_and_administrators_take_out_and_nobody_else(harness: Harness) -> None:
    play = harness.playground
    async with harness.bot(cadence=OFTEN):
        root, reply = await talk(harness)
        await choose(harness, root, person="U0DEV")
        await read(harness, of_thread(root))
        by_ben = await choose(harness, reply, FORGET_THIS, person=BEN)
        still = await paths(harness)
        by_writer = await choose(harness, reply, FORGET_THIS, person=CHIARA)
        again = await choose(harness, reply, FORGET_THIS, person=CHIARA)
        await choose(harness, root)
        await read(harness, of_thread(root))
        play.workspace.members[BEN] = replace(play.workspace.members[BEN], is_admin=True)
        by_administrator = await choose(harness, root, FORGET_THIS, person=BEN)

    assert "Only who added this" in by_ben
    assert "<@U0DEV> added it" in by_ben
    assert [of_thread(root)] == still
    assert "I took 1 document out" in by_writer
    assert "Nothing of this message" in again
    assert "I took 1 document out" in by_administrator
    assert [] == await paths(harness)


async def test_on_an_answer_it_says_what_forgetting_does_not_do(harness: Harness) -> None:
    async with harness.bot(sync_sources=False):
        root = await harness.ask("What is the limit for a hotel night?")
        (ours,) = await harness.answers(root)
        said = await choose(harness, ours["ts"], FORGET_THIS, channel=SUPPORT)

    assert "I never answer from my own answers" in said


def test_the_manifest_offers_what_the_bot_takes() -> None:
    shortcuts = manifest()["features"]["shortcuts"]

    assert {ADD_TO_KNOWLEDGE, FORGET_THIS, WHY_THIS_ANSWER} == {one["callback_id"] for one in shortcuts}
    assert all(len(one["name"]) <= 24 and len(one["description"]) <= 150 for one in shortcuts)
    assert {"commands", "files:read"} <= {*manifest()["oauth_config"]["scopes"]["bot"]}
