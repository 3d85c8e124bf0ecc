"""What an item holds is read from its row as it was stored."""

import json

import pytest
from psycopg.types.json import Jsonb

from bot.conversation import store, transitions
from bot.conversation.address import PersonId
from bot.conversation.contents import (
    ChangeContent,
    ChoiceContent,
    DropContent,
    Kind,
    NoticeContent,
    Readable,
    ReminderContent,
    ReviewContent,
    StopContent,
    TurnContent,
    UnreadableContent,
    content_from_json,
)
from bot.conversation.intake import Intake
from bot.conversation.message_kinds import MessageRefused
from bot.postgres.pool import Database
from graph.turn import Choice, Remark, Turn
from tests.conversation import claiming
from tests.conversation.test_decisions import item
from tests.conversation.test_intake import message, waiting
from tests.support.fakes import TurnedClock

TURN = Turn(question="And now?", asker="U0ADA", addressed=True, earlier=(Remark(person="U0BEN", text="Look."),))
PORTO = Choice(kind="option", value="b", label="Porto")
CONTENTS: tuple[Readable, ...] = (
    TurnContent(turn=TURN, said_to_us=True),
    ChoiceContent(ask_id=1, choice=PORTO),
    ChoiceContent(ask_id=1, choice=PORTO, revision=2, instead_of="Hamburg"),
    ReminderContent(ask_id=1),
    ReviewContent(ask_id=1, answer_of=2),
    ReviewContent(ask_id=1, answer_of=2, has_ended=True),
    ChangeContent(target=1, changed_at="2.000001", turn=TURN),
    ChangeContent(target=1, changed_at="2.000001", turn=None),
    StopContent(target=1, by=PersonId("U0BEN")),
    StopContent(target=1, by=None),
    DropContent(target=1, why="Spam."),
    NoticeContent(refused=MessageRefused(of="guest")),
    NoticeContent(text="It was sent."),
)


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: content.kind)
def test_a_payload_is_read_as_it_was_stored(content: Readable) -> None:
    stored = json.loads(json.dumps(content.to_json()))

    assert None is stored.get("unread"), "It has its default value."
    assert content == content_from_json(content.kind, stored)
    assert content == content_from_json(content.kind, {**stored, "of_a_newer_version": 1})


@pytest.mark.parametrize(
    ("kind", "stored", "content"),
    [
        ("removal", {"target": 1, "changed_at": "2.0"}, ChangeContent(target=1, changed_at="2.0", turn=None)),
        ("decision", {"ask_id": 1, "answer_of": 2}, ReviewContent(ask_id=1, answer_of=2, has_ended=True)),
        ("review", {"ask_id": 1, "answer_of": 2}, ReviewContent(ask_id=1, answer_of=2)),
        ("reply", {"ask_id": 1, "choice": vars(PORTO)}, ChoiceContent(ask_id=1, choice=PORTO)),
    ],
)
def test_a_row_without_a_later_field_is_read(kind: Kind, stored: dict[str, object], content: Readable) -> None:
    assert content == content_from_json(kind, stored)


def test_a_whole_turn_is_said_to_us_if_its_first_message_was() -> None:
    first, second = item(TURN, "U0ADA", 1), item(TURN, "U0ADA", 2)
    whole = transitions.said_to_us(first).with_parts([second])

    assert TurnContent(turn=whole.turn, said_to_us=True) == whole.content


@pytest.mark.parametrize("kind", ["turn", "reply", "stop"])
async def test_what_cannot_be_read_is_claimed_and_keeps_its_content(
    database: Database, intake: Intake, clock: TurnedClock, kind: str
) -> None:
    await intake.receive(message())
    async with database.transaction("one") as connection:
        given = {"content": Jsonb({"of": 1}), "kind": kind}
        await connection.execute("UPDATE inbox SET content = %(content)s, kind = %(kind)s", given)
        claim = await claiming.claim(connection, clock)
        assert claim
        assert isinstance(claim.item.content, UnreadableContent)
        await store.change(connection, [claim.item.id], transitions.failed, now=clock.now())

    (row,) = await waiting(database)
    assert ("failed", {"of": 1}) == (row["status"], row["content"])
