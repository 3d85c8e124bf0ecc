"""The local Slack: a workspace, one installed app, and the events that writing, editing and clicking cause."""

import asyncio
import re
import secrets
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from playground.errors import SlackError
from playground.protocol import events
from playground.protocol.faults import Faults
from playground.protocol.rate_limits import Limits, RateLimits
from playground.protocol.socket_mode import SocketMode
from playground.state.changes import Changes
from playground.state.clock import Clock
from playground.state.streams import Stream
from playground.state.triggers import Triggers
from playground.state.workspace import Channel, Workspace
from playground.wire import Call, Delivery, Json, kind_of

KEPT_RECORDS = 50_000
RETRY_PAUSES_SECONDS = (0.0, 60.0, 300.0)
"""Slack's retry delays for events: at once, after a minute, after five."""
STATUS_SECONDS = 120.0
"""How long Slack shows a status, unless the bot writes before."""
SCOPES = (
    "app_mentions:read,assistant:write,channels:history,channels:read,chat:write,commands,files:read,groups:history,groups:read,"
    "im:history,im:read,im:write,mpim:history,mpim:read,mpim:write,reactions:read,reactions:write,search:read.public,team:read,usergroups:read,users:read,users.profile:read"
)


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The secrets of one playground."""

    bot: str = field(default_factory=lambda: f"xoxb-playground-{secrets.token_hex(12)}")
    app: str = field(default_factory=lambda: f"xapp-playground-{secrets.token_hex(12)}")
    control: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The token of the control API."""

    @classmethod
    def given(cls, tokens: Mapping[str, str] | None) -> "Tokens":
        """Return the named tokens (`bot`, `app`, `control`). Missing ones are generated."""
        return cls(**(tokens or {}))

    def to_json(self) -> Json:
        """Return the tokens by name."""
        return asdict(self)


class Slack:
    """A live workspace. Every change goes through this class, so that the bot and the page are notified."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        tokens: Tokens,
        limits: Limits = "off",
        ack_seconds: float = 3.0,
        retry_pauses: Sequence[float] = RETRY_PAUSES_SECONDS,
    ) -> None:
        self.workspace = workspace
        self.tokens = tokens
        self.clock = Clock()
        self.changes = Changes()
        self.faults = Faults()
        self.rate_limits = RateLimits(limits, self.clock.now)
        # Slack gives a trigger three seconds, as it gives an acknowledgement.
        self.triggers = Triggers(self.clock.now, trigger_seconds=ack_seconds)
        self.sockets = SocketMode(
            clock=self.clock,
            changes=self.changes,
            faults=self.faults,
            ack_seconds=ack_seconds,
            retry_pauses=retry_pauses,
        )
        self.url = ""
        """The base URL; set when it is served."""
        self.calls: deque[Call] = deque(maxlen=KEPT_RECORDS)
        self.deliveries: deque[Delivery] = deque(maxlen=KEPT_RECORDS)
        self.streams: dict[tuple[str, str], Stream] = {}
        self.views: dict[str, Json] = {}
        """Open modals by id, oldest first. `shown_to` is the person who sees the modal."""
        self.homes: dict[str, Json] = {}
        self._statuses: dict[tuple[str, str], tuple[float, Json]] = {}
        """In the order in which they were set."""
        self.status_was_set = asyncio.Event()
        self.sessions: dict[tuple[str, str], str] = {}
        """The states of agent sessions, by channel and thread."""

    @property
    def statuses(self) -> dict[tuple[str, str], Json]:
        """The bot's statuses that have not expired, by channel and thread."""
        oldest = self.clock.now() - STATUS_SECONDS
        return {place: status for place, (since, status) in self._statuses.items() if since > oldest}

    def next_ts(self) -> str:
        """Return a new message id."""
        return self.workspace.next_ts(self.clock.now())

    def post(self, channel: Channel, message: Json) -> Json:
        """Write a message; return it as Slack stores it."""
        ts = self.next_ts()
        team = {} if "files" in message else {"team": self.workspace.team_id}
        kept: Json = {"type": "message", "ts": ts, **team, **message}
        if thread_ts := kept.get("thread_ts"):
            kept["thread_ts"] = channel.root_of(thread_ts)
            kept["parent_user_id"] = channel.messages[kept["thread_ts"]].get("user", "")
        if "bot_id" not in kept:
            kept["client_msg_id"] = str(uuid.uuid4())
        channel.add(kept)
        self._clear_status(channel, kept)
        self.show(channel, ts)
        self._tell_bot_of(channel, kept)
        return kept

    def post_privately(self, channel: Channel, message: Json, *, person: str) -> Json:
        """Write an ephemeral message."""
        kept: Json = {"type": "message", "ts": self.next_ts(), **message, "is_ephemeral": True, "visible_to": person}
        channel.ephemerals[kept["ts"]] = kept
        self.changes.publish({"type": "message", "channel": channel.id, "message": kept})
        return kept

    def change(self, channel: Channel, ts: str, changed: Json, *, editor: str) -> Json:
        """Change parts of a message, and send the event."""
        previous = channel.messages[ts]
        edited = {"user": editor, "ts": self.next_ts()}
        message = channel.messages[ts] = {**previous, **changed, "edited": edited}
        self.show(channel, ts)
        if self.workspace.bot_is_in(channel):
            self.send_event(events.message_changed(channel, message, previous, self.next_ts()))
        return message

    def remove(self, channel: Channel, ts: str) -> None:
        """Delete a message, and send the event."""
        previous = channel.messages[ts]
        channel.remove(ts)
        if ts in channel.messages:
            self.show(channel, ts)
        else:
            self.changes.publish({"type": "removed", "channel": channel.id, "ts": ts})
            self._show_root(channel, previous)
            # A deleted thread has no status.
            self.set_status(channel, ts, {})
        if self.workspace.bot_is_in(channel):
            self.send_event(events.message_deleted(channel, previous, self.next_ts()))

    def react(self, channel: Channel, ts: str, name: str, *, person: str) -> None:
        """Add a person's reaction. Raises `already_reacted` if it exists."""
        reactions = {one["name"]: list(one["users"]) for one in channel.messages[ts].get("reactions", [])}
        if person in reactions.setdefault(name, []):
            raise SlackError("already_reacted")
        reactions[name].append(person)
        self._set_reactions(channel, ts, reactions, "reaction_added", person=person, name=name)

    def unreact(self, channel: Channel, ts: str, name: str, *, person: str) -> None:
        """Remove a reaction. Raises `no_reaction` if there is none."""
        reactions = {one["name"]: list(one["users"]) for one in channel.messages[ts].get("reactions", [])}
        if person not in reactions.get(name, []):
            raise SlackError("no_reaction")
        reactions[name].remove(person)
        self._set_reactions(channel, ts, reactions, "reaction_removed", person=person, name=name)

    def join(self, channel: Channel, person: str, *, inviter: str) -> None:
        """Add a person or the bot to a channel."""
        if person in channel.members:
            raise SlackError("already_in_channel")
        channel.members.append(person)
        self.changes.publish({"type": "channels"})
        if self.workspace.bot_is_in(channel):
            ts = self.next_ts()
            self.send_event(events.member_joined(self.workspace, channel, person=person, inviter=inviter, event_ts=ts))

    def leave(self, channel: Channel, person: str) -> None:
        """Remove a person from a channel. The bot gets the event if it is a member."""
        if person not in channel.members:
            raise SlackError("not_in_channel")
        channel.members.remove(person)
        self.changes.publish({"type": "channels"})
        if self.workspace.bot_is_in(channel):
            self.send_event(events.member_left(self.workspace, channel, person=person, event_ts=self.next_ts()))

    def show(self, channel: Channel, ts: str) -> None:
        """Publish that a message is new or changed."""
        message = channel.messages[ts]
        self.changes.publish({"type": "message", "channel": channel.id, "message": channel.shown(ts)})
        self._show_root(channel, message)

    def send_event(self, event: Json) -> Delivery:
        """Deliver an event to the bot."""
        return self.deliver(events.envelope(self.workspace, event, self.clock.now()))

    def deliver(self, payload: Json) -> Delivery:
        """Start the delivery of an event, an interaction or a command."""
        delivery = self.sockets.send(kind_of(payload), payload)
        self.deliveries.append(delivery)
        return delivery

    def log(self, call: Call) -> None:
        """Record a Web API call."""
        self.calls.append(call)
        self.changes.publish({"type": "call", "call": call.to_json()})

    def response_url(self, *, person: str, channel: str, message_ts: str) -> str:
        """Return a URL by which the bot may answer an interaction."""
        token = self.triggers.give_response(person=person, channel=channel, message_ts=message_ts)
        return f"{self.url}response/{token}"

    def _tell_bot_of(self, channel: Channel, message: Json) -> None:
        if not self.workspace.bot_is_in(channel):
            return
        if message.get("user") in self.workspace.members and "bot_id" not in message:
            message = {**message, "action_token": self.triggers.give_search(message["user"])}
        is_mention = re.search(rf"<@{self.workspace.bot_user_id}(\|[^>]*)?>", message.get("text", ""))
        if is_mention and channel.kind != "im" and message.get("user") != self.workspace.bot_user_id:
            self.send_event(events.app_mention(channel, message))
        self.send_event(events.message_posted(channel, message))

    def _show_root(self, channel: Channel, message: Json) -> None:
        root = message.get("thread_ts")
        if root and root != message["ts"] and root in channel.messages:
            self.changes.publish({"type": "message", "channel": channel.id, "message": channel.shown(root)})

    def _clear_status(self, channel: Channel, message: Json) -> None:
        if message.get("user") == self.workspace.bot_user_id:
            self.set_status(channel, str(message.get("thread_ts", message["ts"])), {})

    def set_status(self, channel: Channel, thread_ts: str, status: Json) -> None:
        """Set a thread's status; an empty one removes it."""
        before = self._statuses.pop((channel.id, thread_ts), None)
        if status.get("status"):
            self._statuses[channel.id, thread_ts] = self.clock.now(), status
            self.status_was_set.set()
        elif before is None:
            return
        self.changes.publish({"type": "status", "channel": channel.id, "thread_ts": thread_ts, **status})

    def end_old_statuses(self) -> float | None:
        """Remove expired statuses. Return the seconds until the next one expires, if there is one."""
        while self._statuses:
            (channel, thread_ts), (since, _) = next(iter(self._statuses.items()))
            if (left := since + STATUS_SECONDS - self.clock.now()) > 0:
                return left
            self.set_status(self.workspace.channels[channel], thread_ts, {})
        return None

    def _set_reactions(
        self, channel: Channel, ts: str, reactions: dict[str, list[str]], kind: str, *, person: str, name: str
    ) -> None:
        message = channel.messages[ts]
        message["reactions"] = [
            {"name": each, "users": users, "count": len(users)} for each, users in reactions.items() if users
        ]
        self.show(channel, ts)
        if self.workspace.bot_is_in(channel):
            told = events.reaction(kind, channel, message, person=person, name=name, event_ts=self.next_ts())
            self.send_event(told)
