"""Slack's events as payloads, and the envelope around them."""

import base64
import json
import uuid
from typing import Any

from playground.state.workspace import Channel, Workspace
from playground.wire import Json

CHANNEL_TYPES = {"public": "channel", "private": "group", "im": "im", "mpim": "mpim"}
CHANNEL_LETTERS = {"public": "C", "private": "G", "im": "D", "mpim": "G"}


def envelope(workspace: Workspace, event: Json, now: float) -> Json:
    """Return the payload of an event, with its envelope."""
    channel = str(event.get("channel") or event.get("item", {}).get("channel", ""))
    context = json.dumps({"et": event["type"], "tid": workspace.team_id, "aid": workspace.app_id})
    return {
        "token": "playground",
        "team_id": workspace.team_id,
        "context_team_id": workspace.team_id,
        "context_enterprise_id": None,
        "api_app_id": workspace.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": "Ev0" + uuid.uuid4().hex[:10].upper(),
        "event_time": int(now),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": workspace.team_id,
                "user_id": workspace.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": workspace.is_shared(channel),
        "event_context": "4-" + base64.urlsafe_b64encode(context.encode()).decode().rstrip("="),
    }


def message_posted(channel: Channel, message: Json) -> Json:
    """Return the event of a new message."""
    return {
        **message,
        "channel": channel.id,
        "event_ts": message["ts"],
        "channel_type": CHANNEL_TYPES[channel.kind],
    }


def app_mention(channel: Channel, message: Json) -> Json:
    """Return the event of a message that mentions the app, without subtype and without the author's team."""
    unsaid = ("subtype", "user_team", "source_team")
    written = {name: value for name, value in message.items() if name not in unsaid}
    return {**written, "type": "app_mention", "channel": channel.id, "event_ts": message["ts"]}


def message_changed(channel: Channel, message: Json, previous: Json, event_ts: str) -> Json:
    """Return the event of an edit."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "message": message,
        "previous_message": previous,
        "channel": channel.id,
        "hidden": True,
        "ts": event_ts,
        "event_ts": event_ts,
        "channel_type": CHANNEL_TYPES[channel.kind],
    }


def message_deleted(channel: Channel, previous: Json, event_ts: str) -> Json:
    """Return the event of a deletion."""
    return {
        "type": "message",
        "subtype": "message_deleted",
        "previous_message": previous,
        "channel": channel.id,
        "hidden": True,
        "deleted_ts": previous["ts"],
        "ts": event_ts,
        "event_ts": event_ts,
        "channel_type": CHANNEL_TYPES[channel.kind],
    }


def reaction(kind: str, channel: Channel, message: Json, *, person: str, name: str, event_ts: str) -> Json:
    """Return the event of a reaction that was added (`reaction_added`) or removed (`reaction_removed`)."""
    return {
        "type": kind,
        "user": person,
        "reaction": name,
        "item": {"type": "message", "channel": channel.id, "ts": message["ts"]},
        "item_user": message.get("user", ""),
        "event_ts": event_ts,
    }


def member_joined(workspace: Workspace, channel: Channel, *, person: str, inviter: str, event_ts: str) -> Json:
    """Return the event of a person or the bot that joined a channel."""
    return {
        "type": "member_joined_channel",
        "user": person,
        "channel": channel.id,
        "channel_type": CHANNEL_LETTERS[channel.kind],
        "team": workspace.team_id,
        "inviter": inviter,
        "event_ts": event_ts,
    }


def member_left(workspace: Workspace, channel: Channel, *, person: str, event_ts: str) -> Json:
    """Return the event of a person or the bot that left a channel."""
    return {
        "type": "member_left_channel",
        "user": person,
        "channel": channel.id,
        "channel_type": CHANNEL_LETTERS[channel.kind],
        "team": workspace.team_id,
        "event_ts": event_ts,
    }


def app_home_opened(channel: Channel, *, person: str, tab: str, view: Json | None, event_ts: str) -> Json:
    """Return the event of a person who opened the app's Home or messages."""
    shown: dict[str, Any] = {"view": view} if view else {}
    return {
        "type": "app_home_opened",
        "user": person,
        "channel": channel.id,
        "tab": tab,
        "event_ts": event_ts,
        **shown,
    }


def session_stopped(channel: Channel, *, thread_ts: str, person: str, streams: list[str], event_ts: str) -> Json:
    """Return the event of a pressed Stop."""
    return {
        "type": "agent_session_stopped",
        "channel": channel.id,
        "thread_ts": thread_ts,
        "user": person,
        "streaming_message_ts": streams,
        "event_ts": event_ts,
    }
