"""Slack's payloads, with as few fields as possible."""

from typing import Any

from bot.conversation.address import PersonId, TeamId
from bot.slack.payloads.identity import Identity

US = Identity(team=TeamId("T1"), bot_user=PersonId("UBOT"), bot="BBOT")

OURS = {"api_app_id": "A1", "is_ext_shared_channel": False}


def event(text: str | None = "<@UBOT> How long is parental leave?", **fields: Any) -> dict[str, Any]:
    """Return a message event in a channel; `fields` change the inner event."""
    inner = {
        "type": "message",
        "channel": "C1",
        "channel_type": "channel",
        "user": "UADA",
        "team": "T1",
        "ts": "1700000000.000100",
        "text": text,
    }
    return {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": inner | fields} | OURS


def action(action_id: str, value: str | None, *, person: str = "UADA", **fields: Any) -> dict[str, Any]:
    """Return a click on a card's button in a thread; `fields` change the body."""
    return {
        "type": "block_actions",
        "api_app_id": "A1",
        "team": {"id": "T1"},
        "user": {"id": person, "team_id": "T1"},
        "trigger_id": "trigger",
        "channel": {"id": "C1"},
        "container": {"type": "message", "message_ts": "1700000009.000100", "channel_id": "C1"},
        "message": {"ts": "1700000009.000100", "thread_ts": "1700000000.000100"},
        "actions": [{"action_id": action_id, "value": value, "action_ts": "1700000010.000100", "type": "button"}],
    } | fields


def shortcut(callback_id: str, **fields: Any) -> dict[str, Any]:
    """Return a shortcut on a person's message; `fields` change the message."""
    said = {"type": "message", "user": "UADA", "team": "T1", "ts": "1700000000.000100", "text": "It is so."}
    return {
        "type": "message_action",
        "api_app_id": "A1",
        "team": {"id": "T1"},
        "user": {"id": "UADA", "team_id": "T1"},
        "channel": {"id": "C1"},
        "callback_id": callback_id,
        "trigger_id": "trigger",
        "message": said | fields,
    }


def submission(typed: str | None, metadata: str, **fields: Any) -> dict[str, Any]:
    """Return a submitted "Something else…" modal; `fields` change the view."""
    view = {
        "id": "V1",
        "type": "modal",
        "callback_id": "typed_answer",
        "private_metadata": metadata,
        "state": {"values": {"typed_answer": {"typed_answer": {"type": "plain_text_input", "value": typed}}}},
    }
    by = {"api_app_id": "A1", "team": {"id": "T1"}, "user": {"id": "UADA", "team_id": "T1"}}
    return {"type": "view_submission", **by, "view": view | fields}
