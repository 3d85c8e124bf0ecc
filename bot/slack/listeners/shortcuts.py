"""Reads payloads of message shortcuts: what a person wants of a message, and whether it may be knowledge (pure)."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bot.audience import is_direct
from bot.contributions.add import Addition, MessageChosen, SharedFile
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.markup import mentions, readable, storable
from bot.slack.blocks import buttons
from bot.slack.listeners.events import Identity, Payload, is_foreign, spoken_by

WhyNotKnowledge: TypeAlias = Literal["ours", "machine", "foreign", "for_us", "empty"]
_NOT_HERE: Final = ("external", "tombstone", "hidden_by_limit")
"""Modes of files that Slack does not hold, or shows nobody."""


@dataclass(frozen=True, kw_only=True)
class Shortcut:
    """A person chose a shortcut on a message."""

    kind: Literal["add", "forget"]
    chosen: MessageChosen
    message: Payload


def read_shortcut(body: Payload) -> Shortcut | None:
    """Return the shortcut of a `message_action` payload; `None` if it is none of ours."""
    message: Payload = body["message"]
    chosen = MessageChosen(
        channel=ChannelId(body["channel"]["id"]),
        thread_ts=Ts(message.get("thread_ts") or message["ts"]),
        ts=Ts(message["ts"]),
        person=PersonId(body["user"]["id"]),
    )
    match body["callback_id"]:
        case buttons.ADD_TO_KNOWLEDGE:
            return Shortcut(kind="add", chosen=chosen, message=message)
        case buttons.FORGET_THIS:
            return Shortcut(kind="forget", chosen=chosen, message=message)
        case _:
            return None


def place_of_shortcut(body: Payload, me: Identity) -> Address:
    """Return where the person sees what is told them: beside the message."""
    message: Payload = body["message"]
    thread_ts = message.get("thread_ts") or message["ts"]
    return Address(
        team=me.team,
        channel=ChannelId(body["channel"]["id"]),
        # Below the first message of a thread, which they may not have open, they would not see it.
        thread_ts=Ts("" if thread_ts == message["ts"] else thread_ts),
        message_ts=Ts(message["ts"]),
        person=PersonId(body["user"]["id"]),
        person_team=TeamId(body["user"].get("team_id") or me.team),
    )


def dropped_as_shortcut(body: Payload, me: Identity) -> Payload | None:
    """Return the payload that Slack would send if a person chose “Add to knowledge” on files they sent to us alone.

    `None` for every other message event.
    """
    event: Payload = body["event"]
    is_dropped = event.get("subtype") == "file_share" and bool(event.get("files")) and is_direct(event["channel"])
    if not is_dropped or spoken_by(event, me) != "person" or is_foreign(event, me):
        return None
    return {
        "callback_id": buttons.ADD_TO_KNOWLEDGE,
        "message": event,
        "channel": {"id": event["channel"]},
        "user": {"id": event["user"]},
    }


def why_not_knowledge(message: Payload, me: Identity) -> WhyNotKnowledge | None:
    """Say why a message may not be added, as far as the message itself tells it."""
    text: str = message.get("text") or ""
    match spoken_by(message, me):
        case "us":
            return "ours"
        case "machine":
            return "machine"
        case "person":
            pass
    if is_foreign(message, me):
        return "foreign"
    if me.bot_user in mentions(text):
        return "for_us"
    return None if readable(text) or message.get("files") else "empty"


def addition_of(shortcut: Shortcut, root: Payload | None, me: Identity) -> Addition:
    """Return the addition of a person's message whose thread begins with `root`, `None` if that message is gone."""
    message, chosen = shortcut.message, shortcut.chosen
    calls_us = root is not None and (spoken_by(root, me) == "us" or me.bot_user in mentions(root.get("text") or ""))
    return Addition(
        chosen=chosen,
        writer=PersonId(message["user"]),
        whole_thread=not (calls_us or is_direct(chosen.channel)),
        has_text=bool(readable(message.get("text") or "")),
        files=tuple(_file(file) for file in message.get("files") or ()),
    )


def _file(file: Payload) -> SharedFile:
    is_here = bool(file.get("url_private_download")) and file.get("mode") not in _NOT_HERE
    name = storable(file.get("name") or file.get("title") or "a file")
    return SharedFile(id=file.get("id") or "", name=name, size=file.get("size") or 0, is_here=is_here)
