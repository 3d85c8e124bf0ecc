"""Earlier messages of a thread are read once, as context."""

from dataclasses import replace
from typing import Any

from structlog.testing import capture_logs

from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.slack.api.messenger import Messenger
from bot.slack.history import REMARKS, earlier_remarks, remarks
from bot.slack.payloads.shapes import SlackMessage
from bot.slack.people.people import People
from bot.slack.presenter.multipart import WITHDRAWN
from bot.slack.presenter.output import SlackOutput
from graph.turn import Remark
from playground import Playground
from tests.slack.payloads import US


def said(text: str, ts: str = "1.000001", **fields: Any) -> SlackMessage:
    return SlackMessage.model_validate({"user": "UADA", "text": text, "ts": ts} | fields)


def test_people_are_heard_and_machines_are_not() -> None:
    thread = [
        said("Is <https://a.example|this> right?"),
        said("I think so", ts="1.000002", user="UBEN"),
        said("We at Acme wonder", ts="1.000003", user="UEVE", user_team="T9"),
        said("beep", bot_id="B2"),
        said("our own", user="UBOT", bot_id="BBOT"),
        said("joined", subtype="channel_join"),
        said(""),
        said("<@UBOT> the question", ts="2.000001"),
        said("later", ts="3.000001"),
    ]
    expected = (
        Remark(person="UADA", text="Is this right?", key="1.000001"),
        Remark(person="UBEN", text="I think so", key="1.000002"),
        Remark(person="UEVE", text="We at Acme wonder", key="1.000003"),
    )

    assert expected == remarks(thread, before="2.000001", me=US)


def test_the_last_remarks_are_kept() -> None:
    thread = [said(f"remark {number}", ts=f"{number}.000001") for number in range(80)]
    kept = remarks(thread, before="79.000001", me=US)

    assert (REMARKS, "remark 78") == (len(kept), kept[-1].text)


def address_of(playground: Playground, root: str, asked: str) -> Address:
    return Address(
        team=TeamId(playground.team_id),
        channel=ChannelId("C0SUPPORT"),
        thread_ts=Ts(root),
        message_ts=Ts(asked),
        person=PersonId("U0ADA"),
        person_team=TeamId(playground.team_id),
    )


async def test_a_thread_is_read_in_one_call_and_a_new_one_in_none(
    playground: Playground, messenger: Messenger, people: People
) -> None:
    ada, ben = playground.person("U0ADA"), playground.person("U0BEN")
    root = await ada.post("C0SUPPORT", "Is it under warranty?")
    await ben.post("C0SUPPORT", "I think so", thread_ts=root)
    asked = await ada.post("C0SUPPORT", "who knows?", thread_ts=root, mention_bot=True)
    address = address_of(playground, root, asked)

    assert ["Is it under warranty?", "I think so"] == [
        remark.text for remark in await earlier_remarks(messenger, address, people)
    ]
    assert () == await earlier_remarks(messenger, replace(address, message_ts=Ts(root)), people)
    assert 1 == len(playground.calls("conversations.replies"))


async def test_of_a_long_thread_the_last_remarks_are_read(
    playground: Playground, messenger: Messenger, people: People
) -> None:
    ada = playground.person("U0ADA")
    root = await ada.post("C0SUPPORT", "0")
    for number in range(1, 260):
        await ada.post("C0SUPPORT", str(number), thread_ts=root)
    asked = await ada.post("C0SUPPORT", "who knows?", thread_ts=root, mention_bot=True)
    read = await earlier_remarks(messenger, address_of(playground, root, asked), people)

    assert [str(number) for number in range(210, 260)] == [remark.text for remark in read]


async def test_a_message_of_ours_is_found_again_whatever_a_part_of_it_looks_like(
    playground: Playground, messenger: Messenger, people: People
) -> None:
    ours = {"ts": "2.000001", "user": people.me.bot_user, "bot_id": people.me.bot, "text": "Twelve."}
    thread = [
        ours | {"ts": "2.000001", "user": "U0ADA", "bot_id": None, "edited": 7},
        ours | {"ts": "3.000001", "text": WITHDRAWN, "files": 7},
        ours | {"ts": 4},
        ours | {"ts": "5.000001", "edited": {"user": 7}},
    ]
    playground.faults.answer("conversations.replies", {"messages": thread})
    address = Address(
        team=people.me.team,
        channel=ChannelId("C0SUPPORT"),
        thread_ts=Ts("1.000001"),
        message_ts=Ts("1.000001"),
        person=PersonId("U0ADA"),
        person_team=people.me.team,
    )

    with capture_logs() as lines:
        assert Placed(channel=address.channel, ts=Ts("5.000001")) == await SlackOutput(messenger, people).unrecorded(
            address, []
        )
    assert ["edited model_type", "files list_type", "ts string_type", "edited.user string_type"] == [
        line["faults"][0] for line in lines
    ]
