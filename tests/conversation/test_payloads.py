"""What an item holds is read from its row as it was stored."""

import json

import pytest

from bot.conversation import transitions
from bot.conversation.address import PersonId
from bot.conversation.message_kinds import MessageRefused
from bot.conversation.payloads import (
    DecisionPayload,
    DropPayload,
    EditPayload,
    NoticePayload,
    Payload,
    ReminderPayload,
    RemovalPayload,
    ReplyPayload,
    ReviewPayload,
    RevisionPayload,
    StopPayload,
    TurnPayload,
    payload_from_json,
)
from graph.turn import Choice, Remark, Turn
from tests.conversation.test_decisions import item

TURN = Turn(question="And now?", asker="U0ADA", addressed=True, earlier=(Remark(person="U0BEN", text="Look."),))
PORTO = Choice(kind="option", value="b", label="Porto")
PAYLOADS: tuple[Payload, ...] = (
    TurnPayload(turn=TURN, said_to_us=True),
    ReplyPayload(ask_id=1, choice=PORTO),
    RevisionPayload(ask_id=1, choice=PORTO, revision=2, instead_of="Hamburg"),
    ReminderPayload(ask_id=1),
    ReviewPayload(ask_id=1, answer_of=2),
    DecisionPayload(ask_id=1, answer_of=2),
    EditPayload(target=1, changed_at="2.000001", turn=TURN),
    RemovalPayload(target=1, changed_at="2.000001"),
    StopPayload(target=1, by=PersonId("U0BEN")),
    StopPayload(target=1, by=None),
    DropPayload(target=1, why="Spam."),
    NoticePayload(refused=MessageRefused(of="guest")),
    NoticePayload(text="It was sent."),
)


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.kind)
def test_a_payload_is_read_as_it_was_stored(payload: Payload) -> None:
    stored = json.loads(json.dumps(payload.to_json()))

    assert payload == payload_from_json(payload.kind, stored)
    assert payload == payload_from_json(payload.kind, {**stored, "of_a_newer_version": 1})


def test_a_whole_turn_is_said_to_us_if_its_first_message_was() -> None:
    first, second = item(TURN, "U0ADA", 1), item(TURN, "U0ADA", 2)
    whole = transitions.said_to_us(first).with_parts([second])

    assert TurnPayload(turn=whole.turn, said_to_us=True) == whole.payload
