"""Reads event payloads. A payload without meaning for us is `None`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from bot.audience import is_direct
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Change, Message
from bot.markup import mentions, readable, storable
from graph.turn import Turn

Payload: TypeAlias = Mapping[str, Any]

_SAID_BY_PEOPLE = frozenset({None, "file_share", "thread_broadcast", "me_message"})
"""The subtypes of people's messages. Other subtypes report changes of a message or the channel."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Our identity in a workspace, from `auth.test`."""

    team: TeamId
    bot_user: PersonId
    bot: str
    """The bot id in our own messages."""
    app: str = ""
    """Empty if Slack does not say it."""
    enterprise: str = ""
    """The organization of the workspace; empty if it has none."""


@dataclass(frozen=True, kw_only=True)
class ThreadChange:
    """A thread in which people's words or files have changed."""

    channel: ChannelId
    thread_ts: Ts
    is_outdated: bool
    """Whether what was read of it is wrong now: an edit or a deletion, not a new message."""


def names_us(body: Payload, me: Identity) -> bool:
    """Tell whether a payload is for our installation: our app, in our workspace.

    In a channel that companies share, Slack names any of the installations that may see an event.
    """
    if me.app and body.get("api_app_id") != me.app:
        return False
    named = [
        (body.get("team_id"), body.get("enterprise_id")),
        (body.get("context_team_id"), body.get("context_enterprise_id")),
    ]
    named += [(one.get("team_id"), one.get("enterprise_id")) for one in body.get("authorizations") or ()]
    organization: Payload = body.get("enterprise") or {}
    named += [((body.get("team") or {}).get("id"), organization.get("id"))]
    # A modal names its team in the view only if an organization installed the app.
    named += [((body.get("view") or {}).get("app_installed_team_id"), organization.get("id"))]
    return any(team == me.team and enterprise in (None, me.enterprise) for team, enterprise in named)


def read_event(body: Payload, me: Identity) -> Message | None:
    """Return the message of an `app_mention` or `message` event; `None` unless a person wrote to us.

    A message without words counts only if it calls the bot: "@askback" alone, or with a file.
    """
    event: Payload = body["event"]
    if not _said_by_a_person(event, me) or is_foreign(event, me):
        return None
    message = _message(event, body, me)
    return message if message.turn.question or message.turn.addressed else None


def read_change(body: Payload, me: Identity) -> Change | None:
    """Return the edit or deletion of a `message` event; `None` unless a person's words changed.

    A change by somebody other than the writer does not count as the writer's words.
    """
    event: Payload = body["event"]
    before: Payload = event.get("previous_message") or {}
    if event.get("subtype") == "message_deleted":
        return _change("removal", before, body, me)
    if event.get("subtype") != "message_changed":
        return None
    now: Payload = event["message"]
    if now.get("subtype") == "tombstone":
        return _change("removal", before, body, me)
    if now.get("text") == before.get("text"):
        # This change is an unfurl, a pin, or a new reply.
        return None
    if (now.get("edited") or {}).get("user") != now.get("user"):
        return None
    says_nothing = not readable(now.get("text") or "", without=me.bot_user)
    return _change("removal" if says_nothing else "edit", now, body, me)


def read_thread_change(body: Payload, me: Identity) -> ThreadChange | None:
    """Return the thread in which people's words, but not to the bot by name, or their files are new or changed."""
    event: Payload = body["event"]
    before: Payload = event.get("previous_message") or {}
    match event.get("subtype"):
        case "message_deleted":
            said = before or {"ts": event.get("deleted_ts") or event["ts"]}
        case "message_changed":
            if _held(event["message"]) == _held(before):
                return None
            said = before or event["message"]
        case _ if me.bot_user in mentions(event.get("text") or ""):
            return None
        case _:
            said = before = event
    by_machine = bool(before) and spoken_by(before, me) != "person"
    if event["type"] != "message" or by_machine:
        return None
    thread_ts = Ts(said.get("thread_ts") or said["ts"])
    return ThreadChange(channel=ChannelId(event["channel"]), thread_ts=thread_ts, is_outdated=said is not event)


def spoken_by(message: Payload, me: Identity) -> Literal["us", "person", "machine"]:
    """Return who wrote a message, from an event or a thread's history."""
    if message.get("user") == me.bot_user or message.get("bot_id") == me.bot:
        return "us"
    is_machine = message.get("bot_id") or message.get("subtype") not in _SAID_BY_PEOPLE
    return "machine" if is_machine or message.get("user") in (None, "USLACKBOT") else "person"


def is_foreign(message: Payload, me: Identity) -> bool:
    """Tell whether somebody of another company wrote a message in a shared channel. Our documents are not theirs."""
    # Within an organization, another team may be ours, so the writer's team decides.
    return not me.enterprise and bool({message.get("user_team"), message.get("source_team")} - {None, me.team})


def is_from_elsewhere(place: Address, me: Identity) -> bool:
    """Tell whether somebody of another company clicked, or sent a modal, in a shared channel."""
    return not me.enterprise and place.person_team != me.team


def said_before(found: Payload, channel: str, *, is_shared: bool) -> Payload:
    """Return a message from a channel's history as the event that delivered it."""
    edited: Payload | None = found.get("edited")
    return {
        "type": "event_callback",
        # Each edit has its own key, so that a repeated key never hides the next edit.
        "event_id": ":".join(["again", channel, found["ts"], *([edited["ts"]] if edited else [])]),
        "event": {**found, "type": "message", "channel": channel},
        "is_ext_shared_channel": is_shared,
    }


def _change(kind: Literal["edit", "removal"], message: Payload, body: Payload, me: Identity) -> Change | None:
    if spoken_by(message, me) != "person" or is_foreign(message, me):
        return None
    event: Payload = body["event"]
    posted = {**message, "type": "message", "channel": event["channel"], "channel_type": event.get("channel_type")}
    return Change(kind=kind, message=_message(posted, body, me), changed_at=Ts(event["ts"]))


def _message(event: Payload, body: Payload, me: Identity) -> Message:
    question = readable(event.get("text") or "", without=me.bot_user)
    return Message(
        event_key=body["event_id"],
        message_key=f"{event['channel']}:{event['ts']}",
        # If Slack does not say whether the channel is shared, assume that it is.
        address=_address(event, me, privately=body.get("is_ext_shared_channel") is not False),
        turn=_turn(event, question, me),
    )


def _said_by_a_person(event: Payload, me: Identity) -> bool:
    return not event.get("hidden") and spoken_by(event, me) == "person"


def _address(event: Payload, me: Identity, *, privately: bool) -> Address:
    return Address(
        team=me.team,
        channel=ChannelId(event["channel"]),
        thread_ts=Ts(event.get("thread_ts") or event["ts"]),
        message_ts=Ts(event["ts"]),
        person=PersonId(event["user"]),
        person_team=TeamId(event.get("user_team") or event.get("team") or me.team),
        privately=privately and not _is_direct(event),
    )


def _turn(event: Payload, question: str, me: Identity) -> Turn:
    mentioned = mentions(event.get("text") or "")
    # A mention comes as two events, and either may be stored, so both must give the same message.
    addressed = me.bot_user in mentioned or event["type"] == "app_mention" or _is_direct(event)
    return Turn(
        question=question,
        asker=event["user"],
        addressed=addressed,
        mentions_others=bool(mentioned - {me.bot_user}),
        unread=tuple(storable(file.get("name") or file.get("title") or "a file") for file in event.get("files") or ()),
        search_token=storable(event.get("action_token") or ""),
    )


def _held(message: Payload) -> tuple[Any, ...]:
    """Return what a thread that became a document holds of a message."""
    files: list[Payload] = message.get("files") or []
    return message.get("text"), [(file.get("id"), file.get("mode")) for file in files]


def _is_direct(event: Payload) -> bool:
    return event.get("channel_type") == "im" or is_direct(event["channel"])
