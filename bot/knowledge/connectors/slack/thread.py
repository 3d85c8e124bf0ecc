"""Writes a thread of Slack as Markdown, which our reader takes (pure).

Each message is one paragraph that begins with its author and date. Nothing that people write begins like that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from bot.knowledge.blocks import WRITERS
from bot.knowledge.readers.markdown import as_text, with_front_matter
from bot.markup import display_name, mentions, readable
from graph import patterns
from graph.text.invisible import in_one_line

Payload: TypeAlias = Mapping[str, Any]

_SAID_BY_PEOPLE: Final = (None, "file_share", "thread_broadcast", "me_message")
_LONGEST_TITLE: Final = 120
_LONGEST_NAME: Final = 80
_LIKE_AUTHORS_DATE: Final = patterns.compile(r"(20\d\d-\d\d-\d\d):")
_SIGNS: Final = patterns.compile(r"[<>|:]")


@dataclass(frozen=True, kw_only=True)
class Us:
    """The bot and its workspace, from `auth.test`."""

    team: str
    enterprise: str
    """Empty if the workspace belongs to no organization."""
    bot_user: str
    bot: str
    url: str
    """The workspace's address."""

    @classmethod
    def of(cls, who: Payload) -> "Us":
        """Return the identity in Slack's answer."""
        return cls(
            team=who["team_id"],
            enterprise=who.get("enterprise_id") or "",
            bot_user=who["user_id"],
            bot=who.get("bot_id") or "",
            url=who["url"],
        )

    def includes(self, user: Payload) -> bool:
        """Tell whether a person is of our workspace or organization."""
        organization: Payload = user.get("enterprise_user") or {}
        ours = bool(self.enterprise) and organization.get("enterprise_id") == self.enterprise
        return ours or user.get("team_id") == self.team

    def concerns(self, message: Payload) -> bool:
        """Tell whether a message is the bot's, or calls it."""
        is_ours = message.get("user") == self.bot_user or message.get("bot_id") == self.bot
        return is_ours or self.bot_user in mentions(message.get("text") or "")


def begins_thread(message: Payload, us: Us) -> bool:
    """Tell whether a message of the history begins what may be a document."""
    is_root = message.get("thread_ts") in (None, message["ts"])
    return is_root and not us.concerns(message) and (_is_said(message, us) or bool(message.get("reply_count")))


def state_of(root: Payload) -> str:
    """Return what tells whether a thread changed. Only an edited reply does not show in it."""
    edited: Payload = root.get("edited") or {}
    parts = edited.get("ts"), root.get("reply_count"), root.get("latest_reply"), root.get("subtype")
    return " ".join(str(part or "-") for part in parts)


def said_in(thread: Sequence[Payload], us: Us) -> list[Payload]:
    """Return what people said to each other in a thread; nothing if the thread is a conversation with the bot."""
    if not thread or us.concerns(thread[0]):
        return []
    return [message for message in thread if _is_said(message, us) and not us.concerns(message)]


def message_in(thread: Sequence[Payload], ts: str, us: Us) -> Payload | None:
    """Return a message of a thread, if one of our people wrote it and does not call the bot."""
    found = (message for message in thread if message["ts"] == ts)
    return next((message for message in found if _is_said(message, us) and not us.concerns(message)), None)


def file_in(message: Payload, file_id: str) -> Payload | None:
    """Return a file that a message carries, if Slack holds it."""
    files = (file for file in message.get("files") or () if file.get("id") == file_id)
    return next((file for file in files if file.get("url_private_download")), None)


def people_in(messages: Iterable[Payload]) -> set[str]:
    """Return the ids of the authors and of the people whom they mention."""
    return {one for message in messages for one in (message["user"], *mentions(message.get("text") or ""))}


def name_of(user: Payload) -> str:
    """Return the name that Slack shows, without signs that mean something here."""
    return " ".join(_SIGNS.sub(lambda _: " ", in_one_line(display_name(user))).split())[:_LONGEST_NAME] or "Somebody"


def document_of_thread(messages: Iterable[Payload], names: Mapping[str, str]) -> str:
    """Return messages as Markdown with front matter; empty if they hold no text. Only named authors count."""
    texts = [(message, _text(message, names)) for message in messages if message["user"] in names]
    written = [(message, text) for message, text in texts if text]
    if not written:
        return ""
    about = {
        "title": _title(written[0][1]),
        "date": _day(written[-1][0]),
        WRITERS: " ".join(sorted({message["user"] for message, _ in written})),
    }
    paragraphs = [f"{names[message['user']]}, {_day(message)}: {text}" for message, text in written]
    body = "\n\n".join(as_text(paragraph) for paragraph in paragraphs)
    return with_front_matter(about, body)


def _is_said(message: Payload, us: Us) -> bool:
    """Tell whether one of our people wrote a message: no bot, nothing about the channel, no other company."""
    by_person = message.get("user") not in (None, "USLACKBOT") and not message.get("bot_id")
    is_away = not us.enterprise and {message.get("user_team"), message.get("source_team")} - {None, us.team}
    return by_person and message.get("subtype") in _SAID_BY_PEOPLE and not is_away


def _text(message: Payload, names: Mapping[str, str]) -> str:
    text: str = message.get("text") or ""
    for person in mentions(text) & names.keys():
        text = text.replace(f"<@{person}>", f"<@{person}|{names[person]}>")
    lines = [line.strip() for line in readable(text).splitlines() if line.strip()]
    return _LIKE_AUTHORS_DATE.sub(lambda found: f"{found[1]} –", "\n".join(lines))


def _title(text: str) -> str:
    whole = in_one_line(text)
    return whole if len(whole) <= _LONGEST_TITLE else f"{whole[: _LONGEST_TITLE - 1].rstrip()}…"


def _day(message: Payload) -> str:
    return datetime.fromtimestamp(float(message["ts"]), UTC).date().isoformat()
