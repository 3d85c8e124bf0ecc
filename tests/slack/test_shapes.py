"""Malformed payloads are acknowledged once, logged by their shape, and dropped."""

import copy
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.slack.api.messenger import read_message
from bot.slack.payloads.buttons import AskedHere, ModalOrigin, Unchecked
from bot.slack.payloads.shapes import faults
from playground import Playground, Workspace
from playground.state.workspace import Channel, Member
from tests.slack.payloads import action, event, shortcut, submission
from tests.slack.recording import RecordingIntake

SECRET = "what nobody may read"
BAD: list[Any] = [None, 7, True, "", f"{SECRET}\0", [], [SECRET], {}, {SECRET: SECRET}]
ORIGIN = ModalOrigin(token="tok", channel="C1", thread_ts="1700000000.000100").as_text()
SAID = event()["event"]
EDITED = {"text": "now", "edited": {"user": "UADA", "ts": "1700000005.000100"}}
WHOLE: dict[str, dict[str, Any]] = {
    "a message": event(files=[{"name": "a.pdf"}], thread_ts="1700000000.000100", action_token="1.2.abc"),
    "a mention": event(type="app_mention"),
    "an edit": event(subtype="message_changed", message=SAID | EDITED, previous_message=SAID),
    "a deletion": event(subtype="message_deleted", previous_message=SAID),
    "a reaction": event(
        type="reaction_added", reaction="x", event_ts="1700000000.000100",
        item={"type": "message", "channel": "C1", "ts": "1700000000.000100"},
    ),
    "a stop": event(
        type="agent_session_stopped", thread_ts="1700000000.000100", event_ts="1700000001.000100",
        streaming_message_ts=["1700000002.000100"],
    ),
    "somebody came": event(type="member_joined_channel"),
    "somebody left": event(type="member_left_channel"),
    "people of a group": event(type="subteam_members_changed", subteam_id="S1"),
    "a group": event(type="subteam_updated", subteam={"id": "S1"}),
    "another event": event(type="channel_created"),
    "an option": action("option:0", "tok|a"),
    "just answer": action("just_answer", "tok"),
    "ask again": action("ask_again", "tok", message={"blocks": [{"type": "section", "text": {"text": "Which?"}}]}),
    "a change": action("change", None, actions=[
        {"action_id": "change", "action_ts": "1.1", "selected_option": {"value": "tok|0|option|a"}}
    ]),
    "a verdict": action("feedback", "good"),
    "a retry": action("retry", "R1"),
    "another look": action("look_again", "1700000000.000100|1700000000.000100|ours"),
    "a typed answer": submission("the blue one", ORIGIN),
    "an addition": shortcut("add_to_knowledge", files=[
        {"id": "F1", "name": "a.pdf", "size": 9, "mode": "hosted", "url_private_download": "https://files.slack.com/a"}
    ]),
    "a wish to forget": shortcut("forget_this"),
    "a shortcut of another app": shortcut("other"),
    "an undo": action("added_undo", "C1|1700000000.000100|1700000000.000100"),
    "a human wanted": action("review_ask", "answer"),
    "an approval": action("review_approve", "tok"),
    "an editor wanted": action("review_edit", "tok"),
    "a reason wanted": action("review_reject", "tok"),
    "an edited answer": submission(
        None, ORIGIN, callback_id="review_edited",
        state={"values": {"review_edited:0": {"review_edited:0": {"value": "It is so."}}}},
    ),
    "a rejection": submission(
        None, ORIGIN, callback_id="review_rejected",
        state={"values": {"review_rejected": {"review_rejected": {"value": "It is not so."}}}},
    ),
}  # fmt: skip


@pytest.fixture
async def playground() -> AsyncGenerator[Playground]:
    """The installation that the payloads are for, served."""
    workspace = replace(Workspace.sample(), team_id="T1", app_id="A1")
    workspace.members["UADA"] = Member(id="UADA", name="ada", real_name="Ada")
    workspace.channels["C1"] = Channel(id="C1", name="one", members=["UADA", workspace.bot_user_id])
    async with Playground.open(workspace, ack_seconds=60.0) as playground:
        yield playground


def damaged(whole: Any, at: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Yield the path to each part of a payload."""
    parts = whole.items() if isinstance(whole, dict) else enumerate(whole) if isinstance(whole, list) else ()
    for name, part in parts:
        yield (*at, name)
        yield from damaged(part, (*at, name))


def damage(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a payload with each of its parts missing or replaced by another type."""
    for *way, last in damaged(whole):
        for bad in [KeyError, *BAD]:
            broken = copy.deepcopy(whole)
            parent: Any = broken
            for name in way:
                parent = parent[name]
            if bad is KeyError:
                del parent[last]
            else:
                parent[last] = bad
            yield broken


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_payload_has_no_faults(kind: str) -> None:
    assert [] == faults(WHOLE[kind])


def test_a_message_of_a_channels_history_that_cannot_be_read_is_logged_without_its_words() -> None:
    with capture_logs() as lines:
        assert read_message(SAID | {"text": SECRET, "files": SECRET}) is None
        assert read_message(SAID | {"ts": "yesterday"}) is None
        assert read_message(SAID)

    expected = {"event": "payload_malformed", "kind": "history", "log_level": "warning"}
    found = (["files list_type"], ["ts string_pattern_mismatch"])
    assert [{**expected, "faults": faults} for faults in found] == lines


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "tok|\0"])
@pytest.mark.parametrize("kind", ["an option", "just answer", "ask again", "a retry", "an approval", "a change"])
def test_a_button_carries_nothing_that_the_database_refuses(kind: str, value: str) -> None:
    body = copy.deepcopy(WHOLE[kind])
    (clicked,) = body["actions"]
    (clicked["selected_option"] if kind == "a change" else clicked)["value"] = value

    assert ["value"] == [fault.split(" ")[0].rpartition(".")[2] for fault in faults(body)]


@pytest.mark.parametrize(
    "text",
    ["[" * 3_000, "[1, 2, 3, 4]", '["a\\u0000", "b", "c", 1]', '["\\ud800", "b", "c", 1]', "null", '{"a": 1}', ""],
)
def test_a_modal_of_somebody_else_has_no_origin(text: str) -> None:
    assert ModalOrigin.of_text(text) is None


@pytest.mark.parametrize(
    "text", ["", "1.2", "1.2|1.3", "1.2|x|ours", "1.2|1.3|", "|1.3|ours", "1.2|1.3|theirs", "1.2|1.3|ours|more"]
)
def test_a_button_that_somebody_else_made_carries_no_message(text: str) -> None:
    assert Unchecked.of_text(text) is None


def test_a_question_that_is_asked_elsewhere_comes_back_with_its_bars() -> None:
    asked = AskedHere(thread_ts="1.2", ts="1.3", question="Is it a|b?")

    assert (asked, None, None) == tuple(map(AskedHere.of_text, (asked.as_text(), "1.2|1.3|", "1.2|x|Why?")))


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_whole_payload_is_read(listening: Playground, kind: str) -> None:
    with capture_logs() as lines:
        delivery = listening.deliver(WHOLE[kind])
        await listening.until(lambda: delivery.settled)

    assert ("acknowledged", 1) == (delivery.state, len(delivery.attempts))
    dropped = {"payload_malformed", "foreign_payload_dropped", "message_refused", "click_refused"}
    assert [] == [line for line in lines if line["event"] in dropped]


@pytest.mark.parametrize("kind", WHOLE)
async def test_whatever_is_wrong_with_a_payload_it_is_acknowledged_once_and_breaks_nothing(
    listening: Playground, kind: str
) -> None:
    with capture_logs() as lines:
        deliveries = [listening.deliver(broken) for broken in damage(WHOLE[kind])]
        await listening.until(lambda: all(delivery.settled for delivery in deliveries), timeout=120)

    assert {"acknowledged"} == {delivery.state for delivery in deliveries}
    assert {1} == {len(delivery.attempts) for delivery in deliveries}
    assert [] == [line for line in lines if line["log_level"] == "error"]
    assert SECRET not in repr([line for line in lines if line["event"] == "payload_malformed"])
    assert "payload_malformed" in {line["event"] for line in lines}


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"type": 7},
        {"type": "shortcut", "callback_id": SECRET},
        {"type": "message_action", "callback_id": SECRET, "message": {"text": SECRET}},
        {"type": "view_closed", "view": {"callback_id": "typed_answer"}},
        {"type": "block_suggestion", "value": SECRET},
        {"type": "function_executed", "inputs": [SECRET]},
        {"command": "/ask", "text": SECRET},
    ],
    ids=repr,
)
async def test_what_we_never_asked_for_is_acknowledged(
    listening: Playground, intake: RecordingIntake, payload: dict[str, Any]
) -> None:
    with capture_logs() as lines:
        delivery = listening.deliver(payload)
        await listening.until(lambda: delivery.settled)

    assert ("acknowledged", 1) == (delivery.state, len(delivery.attempts))
    assert ["payload_malformed"] == [line["event"] for line in lines]
    assert SECRET not in repr(lines)
    assert RecordingIntake() == intake
