"""A Slack workspace as plain data: people, channels, and messages in order."""

import json
import secrets
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from playground.state.shared_files import SharedFile
from playground.wire import Json

ChannelKind: TypeAlias = Literal["public", "private", "im", "mpim"]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person or a bot of the workspace."""

    id: str
    name: str
    real_name: str
    title: str = ""
    is_bot: bool = False
    is_guest: bool = False
    is_deactivated: bool = False
    is_admin: bool = False
    team_id: str = ""
    """Another company's id, if the person is here through a shared channel."""
    timezone: str = "Europe/Berlin"
    locale: str = "en-GB"
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """What the person filled into the workspace's profile fields, by the fields' ids."""


@dataclass(kw_only=True)
class Channel:
    """A channel or direct message with its messages."""

    id: str
    name: str
    kind: ChannelKind = "public"
    members: list[str] = field(default_factory=list[str])
    topic: str = ""
    is_archived: bool = False
    is_shared: bool = False
    """Whether it is shared with another company."""
    is_shared_soon: bool = False
    """Whether another company is invited; events do not tell."""
    messages: dict[str, Json] = field(default_factory=dict[str, Json])
    """By ts, in the order of writing."""
    ephemerals: dict[str, Json] = field(default_factory=dict[str, Json])
    """By ts. `visible_to` names the one person who sees it."""
    replies: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The ts of each thread's replies, by the root's ts."""

    def root_of(self, ts: str) -> str:
        """Return the ts of a message's thread."""
        return str(self.messages[ts].get("thread_ts", ts)) if ts in self.messages else ts

    def thread(self, root_ts: str) -> list[Json]:
        """Return a thread's messages as Slack shows them, the root first."""
        if root_ts not in self.messages:
            return []
        return [self.shown(root_ts), *(self.messages[ts] for ts in self.replies.get(root_ts, ()))]

    def shown(self, ts: str) -> Json:
        """Return a message with the fields of its thread."""
        message, replies = self.messages[ts], self.replies.get(ts)
        if not replies:
            return message
        people = list(dict.fromkeys(str(self.messages[reply].get("user", "")) for reply in replies))
        return {
            **message,
            "thread_ts": ts,
            "reply_count": len(replies),
            "reply_users_count": len(people),
            "reply_users": people,
            "latest_reply": replies[-1],
        }

    def add(self, message: Json) -> None:
        """Append a message. Its `thread_ts`, if any, is a root's."""
        self.messages[message["ts"]] = message
        if (root := message.get("thread_ts")) and root != message["ts"]:
            self.replies.setdefault(root, []).append(message["ts"])

    def remove(self, ts: str) -> None:
        """Delete a message. A root with replies leaves a tombstone, as in Slack."""
        message = self.messages[ts]
        if self.replies.get(ts):
            self.messages[ts] = tombstone(ts)
            return
        del self.messages[ts]
        siblings = self.replies.get(str(message.get("thread_ts")), [])
        if ts in siblings:
            siblings.remove(ts)


@dataclass(kw_only=True)
class Workspace:
    """A team with people, channels and one installed app."""

    team_id: str
    team_name: str
    domain: str
    app_id: str
    bot_user_id: str
    bot_id: str
    members: dict[str, Member]
    channels: dict[str, Channel]
    examples: list[str] = field(default_factory=list[str])
    """Questions that the page suggests while a channel is empty."""
    profile_fields: list[Json] = field(default_factory=list[Json])
    """What the workspace has added to profiles: `id`, `label` and, if they differ, the other parts of a field."""
    shortcuts: list[Json] = field(default_factory=list[Json])
    """The app's shortcuts on messages, as in its manifest."""
    groups: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The ids of members of user groups, by the group's id."""
    files: dict[str, SharedFile] = field(default_factory=dict[str, SharedFile])
    last_ts: str = "0.000000"

    @classmethod
    def sample(cls) -> "Workspace":
        """Return the sample company."""
        return cls.read(Path(__file__).parents[1] / "sample.json")

    @classmethod
    def sample_of_its_own(cls) -> "Workspace":
        """Return the sample with a unique team id, so that two playgrounds may share a database."""
        return replace(cls.sample(), team_id=f"T0{secrets.token_hex(5).upper()}")

    @classmethod
    def read(cls, path: Path) -> "Workspace":
        """Read a workspace from a JSON file like `sample.json`, or from a saved one."""
        return cls.from_json(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def from_json(cls, stored: Json) -> "Workspace":
        """Return a workspace from its plain form."""
        parts: Json = {
            "members": {member["id"]: Member(**member) for member in stored["members"]},
            "channels": {channel["id"]: Channel(**channel) for channel in stored["channels"]},
            "files": {file["id"]: SharedFile(**file) for file in stored.get("files", [])},
        }
        return cls(**{**stored, **parts})

    def to_json(self) -> Json:
        """Return the workspace's plain form."""
        parts = {"members": self.members, "channels": self.channels, "files": self.files}
        return {
            **{name: value for name, value in vars(self).items() if name not in parts},
            **{name: [asdict(item) for item in items.values()] for name, items in parts.items()},
        }

    @property
    def bot(self) -> Member:
        """The app's bot user."""
        return self.members[self.bot_user_id]

    def next_ts(self, now: float) -> str:
        """Return a message id that is greater than all before."""
        seconds, micros = (int(part) for part in self.last_ts.split("."))
        ticks = max(int(now * 1_000_000), seconds * 1_000_000 + micros + 1)
        self.last_ts = f"{ticks // 1_000_000}.{ticks % 1_000_000:06d}"
        return self.last_ts

    def direct_channel(self, person: str) -> Channel:
        """Return the direct message between a person and the bot, and open it if needed."""
        pair = {person, self.bot_user_id}
        for channel in self.channels.values():
            if channel.kind == "im" and set(channel.members) == pair:
                return channel
        opened = Channel(id="D0" + person.removeprefix("U0"), name="", kind="im", members=sorted(pair))
        self.channels[opened.id] = opened
        return opened

    def group_channel(self, people: set[str]) -> Channel:
        """Return the group message of some people and the bot, and open it if needed."""
        members = sorted(people | {self.bot_user_id})
        for channel in self.channels.values():
            if channel.kind == "mpim" and sorted(channel.members) == members:
                return channel
        name = "--".join(self.members[member].name for member in members)
        opened = Channel(id=f"C0GROUP{len(self.channels)}", name=f"mpdm-{name}-1", kind="mpim", members=members)
        self.channels[opened.id] = opened
        return opened

    def is_shared(self, channel: str) -> bool:
        """Tell whether another company reads a channel."""
        return channel in self.channels and self.channels[channel].is_shared

    def bot_is_in(self, channel: Channel) -> bool:
        """Tell whether the bot receives the channel's messages."""
        return self.bot_user_id in channel.members


def tombstone(ts: str) -> Json:
    """Return the tombstone of a deleted message with replies."""
    return {
        "type": "message",
        "subtype": "tombstone",
        "user": "USLACKBOT",
        "text": "This message was deleted.",
        "hidden": True,
        "ts": ts,
        "thread_ts": ts,
    }
