"""Reads stops of a run: from Slack's own button, or from a reaction."""

from typing import Final

from bot.conversation.address import ChannelId, PersonId, Ts
from bot.conversation.inputs import Stop
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.shapes import EventCallback, MessageItem, Payload, ReactionAdded, SessionStopped, event_in

STOPPING: Final = frozenset({"octagonal_sign", "x"})
"""Reactions that stop, on the question or on our messages about it."""


def read_stop(body: Payload, me: Identity) -> Stop | None:
    """Return the stop of an `agent_session_stopped` or `reaction_added` event; `None` if it stops nothing."""
    heard: EventCallback[SessionStopped | ReactionAdded] = event_in(body)
    event = heard.event
    match event:
        case SessionStopped():
            channel, messages = event.channel, event.streaming_message_ts or []
            thread_id = f"{me.team}:{channel}:{event.thread_ts}"
        case ReactionAdded(item=MessageItem() as item) if event.reaction in STOPPING and event.user != me.bot_user:
            channel, messages, thread_id = item.channel, [item.ts], None
        case ReactionAdded():
            return None
    return Stop(
        event_key=heard.event_id,
        channel=ChannelId(channel),
        messages=tuple(map(Ts, messages)),
        thread_id=thread_id,
        person=PersonId(event.user),
        stopped_at=Ts(event.event_ts),
    )
