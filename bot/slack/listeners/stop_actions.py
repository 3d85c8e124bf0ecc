"""Reads stops of a run: from Slack's own button, or from a reaction."""

from typing import Final

from bot.conversation.address import ChannelId, PersonId, Ts
from bot.conversation.inputs import Stop
from bot.slack.listeners.events import Identity, Payload

STOPPING: Final = frozenset({"octagonal_sign", "x"})
"""Reactions that stop, on the question or on our messages about it."""


def read_stop(body: Payload, me: Identity) -> Stop | None:
    """Return the stop of an `agent_session_stopped` or `reaction_added` event; `None` if it stops nothing."""
    event: Payload = body["event"]
    match event["type"]:
        case "agent_session_stopped":
            return _of_session(event, body["event_id"], me)
        case "reaction_added" if event["reaction"] in STOPPING and event["user"] != me.bot_user:
            return _of_reaction(event, body["event_id"])
        case _:
            return None


def _of_session(event: Payload, event_key: str, me: Identity) -> Stop:
    return Stop(
        event_key=event_key,
        channel=ChannelId(event["channel"]),
        messages=tuple(Ts(ts) for ts in event.get("streaming_message_ts") or ()),
        thread_id=f"{me.team}:{event['channel']}:{event['thread_ts']}",
        person=PersonId(event["user"]),
        stopped_at=Ts(event["event_ts"]),
    )


def _of_reaction(event: Payload, event_key: str) -> Stop | None:
    item: Payload = event["item"]
    if item.get("type") != "message":
        return None
    return Stop(
        event_key=event_key,
        channel=ChannelId(item["channel"]),
        messages=(Ts(item["ts"]),),
        thread_id=None,
        person=PersonId(event["user"]),
        stopped_at=Ts(event["event_ts"]),
    )
