"""Reads events of messages and stops. An event without meaning for us is `None`."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from bot.audience import is_direct
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Change, Message, Stop
from bot.markup import mentions, readable, storable
from bot.slack.payloads.identity import Identity, is_of_ours, spoken_by
from bot.slack.payloads.shapes import (
    EventCallback,
    File,
    MessageChanged,
    MessageDeleted,
    MessageEvent,
    MessageItem,
    MessagePosted,
    Payload,
    ReactionAdded,
    SessionStopped,
    SlackMessage,
    event_in,
)
from graph.turn import Turn

STOPPING: Final = frozenset({"octagonal_sign", "x"})
"""Reactions that stop, on the question or on our messages about it."""


@dataclass(frozen=True, kw_only=True)
class ThreadChange:
    """A thread in which people's words or files have changed."""

    channel: ChannelId
    thread_ts: Ts
    is_outdated: bool
    """Whether what was read of it is wrong now: an edit or a deletion, not a new message."""


def read_event(heard: EventCallback[MessageEvent], me: Identity) -> Message | None:
    """Return a new message; `None` unless a person wrote to us.

    A message without words counts only if it calls the bot: "@askback" alone, or with a file.
    """
    event = heard.event
    if not isinstance(event, MessagePosted) or event.hidden or not is_of_ours(event, me):
        return None
    message = _message(event, heard, me)
    return message if message.turn.question or message.turn.addressed else None


def read_change(heard: EventCallback[MessageEvent], me: Identity) -> Change | None:
    """Return an edit or a deletion; `None` unless a person's words changed.

    A change by somebody other than the writer does not count as the writer's words.
    """
    match heard.event:
        case MessagePosted():
            return None
        case MessageDeleted(previous_message=before):
            return _change("removal", before, heard, me)
        case MessageChanged(message=now, previous_message=before):
            pass
    if now.subtype == "tombstone":
        return _change("removal", before, heard, me)
    if now.text == (before.text if before else None):
        # This change is an unfurl, a pin, or a new reply.
        return None
    if (now.edited.user if now.edited else None) != now.user:
        return None
    says_nothing = not readable(now.text or "", without=me.bot_user)
    return _change("removal" if says_nothing else "edit", now, heard, me)


def read_thread_change(heard: EventCallback[MessageEvent], me: Identity) -> ThreadChange | None:
    """Return the thread in which people's words, but not to the bot by name, or their files are new or changed."""
    event = heard.event
    match event:
        case MessageDeleted(previous_message=before):
            root = before.root if before else event.deleted_ts or event.ts
        case MessageChanged(message=now, previous_message=before):
            if _held(now) == _held(before):
                return None
            root = (before or now).root
        case MessagePosted(type="message") if me.bot_user not in mentions(event.text or ""):
            before, root = event, event.root
        case MessagePosted():
            return None
    if before and spoken_by(before, me) != "person":
        return None
    return ThreadChange(channel=ChannelId(event.channel), thread_ts=Ts(root), is_outdated=before is not event)


def read_found(found: SlackMessage, channel: str, me: Identity, *, is_shared: bool) -> Message | None:
    """Return a message from a channel's history as if its event came now; `None` unless a person wrote to us."""
    # Each edit has its own key, so that a repeated key never hides the next edit.
    edited_at = found.edited.ts if found.edited else None
    key = ":".join(filter(None, ["again", channel, found.ts, edited_at]))
    event = MessagePosted(**dict(found), type="message", channel=channel)
    return read_event(EventCallback[MessagePosted](event_id=key, event=event, is_ext_shared_channel=is_shared), me)


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


def name_of_file(file: File) -> str:
    """Return what a file is called."""
    return storable(file.name or file.title or "a file")


def _change(
    kind: Literal["edit", "removal"], message: SlackMessage | None, heard: EventCallback[MessageEvent], me: Identity
) -> Change | None:
    if message is None or not is_of_ours(message, me):
        return None
    return Change(kind=kind, message=_message(message, heard, me), changed_at=Ts(heard.event.ts))


def _message(said: SlackMessage, heard: EventCallback[MessageEvent], me: Identity) -> Message:
    channel = heard.event.channel
    is_alone = heard.event.channel_type == "im" or is_direct(channel)
    # If Slack does not say whether the channel is shared, assume that it is.
    privately = heard.is_ext_shared_channel is not False and not is_alone
    mentioned = mentions(said.text or "")
    # A mention comes as two events, and either may be stored, so both must give the same message.
    addressed = me.bot_user in mentioned or heard.event.type == "app_mention" or is_alone
    person = PersonId(said.user or "")
    return Message(
        event_key=heard.event_id,
        message_key=f"{channel}:{said.ts}",
        address=Address(
            team=me.team,
            channel=ChannelId(channel),
            thread_ts=Ts(said.root),
            message_ts=Ts(said.ts),
            person=person,
            person_team=TeamId(said.user_team or said.team or me.team),
            privately=privately,
        ),
        turn=Turn(
            question=readable(said.text or "", without=me.bot_user),
            asker=person,
            addressed=addressed,
            mentions_others=bool(mentioned - {me.bot_user}),
            unread=tuple(name_of_file(file) for file in said.files or ()),
            search_token=storable(said.action_token or ""),
        ),
    )


def _held(message: SlackMessage | None) -> tuple[Any, ...]:
    """Return what a thread that became a document holds of a message."""
    return (message.text, [(file.id, file.mode) for file in message.files or ()]) if message else (None, [])
