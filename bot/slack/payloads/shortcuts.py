"""Reads payloads of message shortcuts: what a person wants of a message, and whether it may be knowledge (pure)."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bot.audience import is_direct
from bot.contributions.add import Addition, MessageChosen, SharedFile
from bot.conversation.address import Address, ChannelId, PersonId, Ts
from bot.markup import mentions, readable
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import address_of
from bot.slack.payloads.identity import Identity, is_foreign, is_of_ours, spoken_by
from bot.slack.payloads.messages import name_of_file
from bot.slack.payloads.shapes import File, MessageAction, MessageEvent, MessagePosted, Named, SlackMessage, User

WhyNotKnowledge: TypeAlias = Literal["ours", "machine", "foreign", "for_us", "empty"]
_NOT_HERE: Final = ("external", "tombstone", "hidden_by_limit")
"""Modes of files that Slack does not hold, or shows nobody."""


@dataclass(frozen=True, kw_only=True)
class Shortcut:
    """A person chose a shortcut on a message."""

    kind: Literal["add", "forget"]
    chosen: MessageChosen
    message: SlackMessage


def read_shortcut(action: MessageAction) -> Shortcut | None:
    """Return the shortcut that somebody chose; `None` if it is none of ours."""
    message = action.message
    chosen = MessageChosen(
        channel=ChannelId(action.channel.id),
        thread_ts=Ts(message.root),
        ts=Ts(message.ts),
        person=PersonId(action.user.id),
    )
    match action.callback_id:
        case buttons.ADD_TO_KNOWLEDGE:
            return Shortcut(kind="add", chosen=chosen, message=message)
        case buttons.FORGET_THIS:
            return Shortcut(kind="forget", chosen=chosen, message=message)
        case _:
            return None


def place_of_shortcut(action: MessageAction, me: Identity) -> Address:
    """Return where the person sees what is told them: beside the message."""
    message = action.message
    # Below the first message of a thread, which they may not have open, they would not see it.
    thread_ts = "" if message.root == message.ts else message.root
    return address_of(action, me, channel=action.channel.id, thread_ts=thread_ts, message_ts=message.ts)


def dropped_as_shortcut(event: MessageEvent, me: Identity) -> MessageAction | None:
    """Return what Slack would send if a person chose “Add to knowledge” on files they sent to us alone.

    `None` for every other message event.
    """
    if not isinstance(event, MessagePosted) or event.subtype != "file_share" or not event.files:
        return None
    if not is_direct(event.channel) or not is_of_ours(event, me):
        return None
    return MessageAction(
        callback_id=buttons.ADD_TO_KNOWLEDGE,
        message=event,
        channel=Named(id=event.channel),
        user=User(id=event.user or ""),
    )


def why_not_knowledge(message: SlackMessage, me: Identity) -> WhyNotKnowledge | None:
    """Say why a message may not be added, as far as the message itself tells it."""
    text = message.text or ""
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
    return None if readable(text) or message.files else "empty"


def addition_of(shortcut: Shortcut, root: SlackMessage | None, me: Identity) -> Addition:
    """Return the addition of a person's message whose thread begins with `root`, `None` if that message is gone."""
    message, chosen = shortcut.message, shortcut.chosen
    calls_us = root is not None and (spoken_by(root, me) == "us" or me.bot_user in mentions(root.text or ""))
    return Addition(
        chosen=chosen,
        writer=PersonId(message.user or ""),
        whole_thread=not (calls_us or is_direct(chosen.channel)),
        has_text=bool(readable(message.text or "")),
        files=tuple(_file(file) for file in message.files or ()),
    )


def _file(file: File) -> SharedFile:
    is_here = bool(file.url_private_download) and file.mode not in _NOT_HERE
    return SharedFile(id=file.id or "", name=name_of_file(file), size=file.size or 0, is_here=is_here)
