"""The only module that posts in Slack, with one method for each kind of call."""

import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import structlog
from pydantic import ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from bot.audience import is_person_id
from bot.conversation.address import Address, ChannelId, PersonId, Ts
from bot.errors import OutcomeUnknownError, PersonUnknownError, PostRefusedError, SlackError
from bot.slack.api.pace import Pace
from bot.slack.api.shared_channels import SharedChannels, channel_info, is_shared_channel
from bot.slack.api.web_api import WebApi
from bot.slack.blocks.elements import Block, section
from bot.slack.payloads.shapes import Payload, SlackMessage, faults_in

SESSIONS: Final = "agents.sessions.setStatus"
_STATUS: Final = "assistant.threads.setStatus"
_POSTED: Final = "askback_posted"
"""Each message carries a key. If Slack's response is lost, the key finds the message."""


class Messenger:
    """Slack's Web API as we use it, in one workspace; every method may raise `SlackError`.

    `PostRefusedError` says that nothing can be written there, `StreamRefusedError` that it cannot be streamed, and
    `SlackBusyError` that a call met a rate limit and was not worth waiting for. Nothing that all readers see is written
    in a channel that another company reads.
    """

    def __init__(self, client: AsyncWebClient, *, pace: Pace) -> None:
        self._api = WebApi(client, pace=pace)
        self.pace = pace
        self.shared = SharedChannels(self._api)

    async def post(
        self, channel: str, *, text: str, blocks: Sequence[Block], thread_ts: str | None = None, key: str = ""
    ) -> Ts:
        """Write a message and return its id; `text` is for notifications, and `key` what it can be found by."""
        # Here, because nothing was posted if Slack does not say who reads there.
        await self.shared.keep_out(channel)
        named = key or uuid.uuid4().hex
        message = {
            "thread_ts": thread_ts,
            "text": text,
            "blocks": blocks,
            "metadata": {"event_type": _POSTED, "event_payload": {"key": named}},
            "unfurl_links": False,
            "unfurl_media": False,
        }
        try:
            answer = await self._write("chat.postMessage", channel, message)
        except OutcomeUnknownError:
            if heard := await self.find(channel, named, thread_ts=thread_ts):
                return heard
            answer = await self._write("chat.postMessage", channel, message)
        return Ts(answer["ts"])

    async def post_once(self, channel: str, *, text: str, blocks: Sequence[Block], key: str, oldest: str = "0") -> Ts:
        """Write a message outside threads and return its id. If a message since `oldest` has this key, return that id.

        A dead process may have posted it.
        """
        found = await self.find(channel, key, oldest=oldest)
        return found or await self.post(channel, text=text, blocks=blocks, key=key)

    async def tell_once(self, recipient: str, *, text: str, blocks: Sequence[Block], key: str) -> bool:
        """Write to a person or a channel, once for each key; return whether that is possible."""
        try:
            channel = await self.open_direct(PersonId(recipient)) if is_person_id(recipient) else recipient
            await self.post_once(channel, text=text, blocks=blocks, key=key)
        except (PostRefusedError, PersonUnknownError):
            structlog.get_logger().info("news_not_posted", recipient=recipient)
            return False
        return True

    async def update(
        self, channel: str, ts: str, *, text: str, blocks: Sequence[Block], is_draft: bool = False
    ) -> None:
        """Replace a message's content; a draft does not wait for its turn."""
        content = {"ts": ts, "text": text, "blocks": blocks}
        await self._write("chat.update", channel, content, is_patient=not is_draft)

    async def delete(self, channel: str, ts: str) -> None:
        """Delete one of our messages."""
        await self._api.call("chat.delete", {"channel": channel, "ts": ts})

    async def start_stream(self, address: Address, chunks: Sequence[Block]) -> Ts:
        """Open a stream in the address's thread and return its message's id."""
        opening = {
            "thread_ts": address.thread_ts,
            "recipient_team_id": address.person_team,
            "recipient_user_id": address.person,
            "task_display_mode": "timeline",
            "chunks": chunks,
        }
        answer = await self._write("chat.startStream", address.channel, opening, is_patient=False)
        return Ts(answer["ts"])

    async def append(self, channel: str, ts: str, chunks: Sequence[Block]) -> None:
        """Add to a stream; does not wait for its turn."""
        await self._write("chat.appendStream", channel, {"ts": ts, "chunks": chunks}, is_patient=False)

    async def stop_stream(
        self,
        channel: str,
        ts: str,
        *,
        chunks: Sequence[Block] = (),
        blocks: Sequence[Block] = (),
        session: str | None = None,
    ) -> None:
        """Close a stream, adding `chunks` to its text and `blocks` below, and let its session be in a state."""
        closing = {"ts": ts, "chunks": chunks or None, "blocks": blocks or None, "session_status": session}
        if chunks or blocks:
            await self._write("chat.stopStream", channel, closing)
        else:
            await self._api.call("chat.stopStream", {"channel": channel, **closing})

    async def set_status(self, address: Address, status: str) -> None:
        """Show a status in the thread; an empty one clears it. Never waits; does nothing while Slack refuses it."""
        if self._api.is_paused(_STATUS, address.channel):
            return
        if status:
            await self.shared.keep_out(address.channel, is_patient=False)
        shown = {"channel_id": address.channel, "thread_ts": address.thread_ts, "status": status}
        await self._api.call(_STATUS, shown, is_patient=False)

    async def set_session(self, address: Address, state: str) -> None:
        """Set the state of the thread's agent session, if the workspace has sessions. Does not wait for its turn."""
        shown = {"channel_id": address.channel, "thread_ts": address.thread_ts, "status": state}
        await self._api.call(SESSIONS, shown, is_patient=False)

    async def post_ephemeral(self, address: Address, text: str, blocks: Sequence[Block] = ()) -> None:
        """Show the address's person something, in mrkdwn, that nobody else sees; `blocks` may show it otherwise.

        It is always a block: Slack makes links of addresses in a text that stands alone.
        """
        shown = {
            "channel": address.channel,
            "user": address.person,
            "thread_ts": address.thread_ts or None,
            "text": text,
            "blocks": blocks or [section(text)],
        }
        await self._api.call("chat.postEphemeral", shown)

    async def open_modal(self, trigger_id: str, view: Block) -> None:
        """Open a modal; a trigger lives for three seconds, so this never waits."""
        await self._api.call("views.open", {"trigger_id": trigger_id, "view": view}, is_patient=False)

    async def open_direct(self, person: PersonId) -> ChannelId:
        """Return the direct-message channel with a person."""
        answer = await self._api.call("conversations.open", {"users": person})
        return ChannelId(answer["channel"]["id"])

    async def members(self, group: str) -> frozenset[PersonId]:
        """Return who is in a user group; does not wait for its turn, because a person waits."""
        answer = await self._api.call("usergroups.users.list", {"usergroup": group}, is_patient=False, is_read=True)
        return frozenset(PersonId(person) for person in answer["users"])

    async def channels_of(self, person: PersonId) -> frozenset[str]:
        """Return the channels and group messages that a person is in; of private ones, those that the bot is in."""
        asked = {"user": person, "types": "public_channel,private_channel,mpim", "limit": 200}
        return frozenset(
            [str(channel["id"]) async for channel in self._every("users.conversations", "channels", asked)]
        )

    async def people_in(self, channel: str) -> frozenset[PersonId]:
        """Return who is in a channel."""
        people = self._every("conversations.members", "members", {"channel": channel, "limit": 500})
        return frozenset([PersonId(person) async for person in people])

    async def is_public(self, channel: str) -> bool:
        """Tell whether every member of the workspace, and nobody else, may open a channel. Does not wait its turn."""
        described = await channel_info(self._api, channel, is_patient=False)
        is_open = described.get("is_channel") is True and described.get("is_private") is False
        return is_open and not is_shared_channel(described)

    async def user(self, person: PersonId) -> Payload:
        """Return how Slack describes a person; does not wait for its turn, because a payload waits."""
        answer = await self._api.call("users.info", {"user": person}, is_patient=False, is_read=True)
        user = answer.get("user")
        if not isinstance(user, dict):
            raise SlackError("users.info: no user")
        return cast("Payload", user)

    async def profile_fields(self) -> list[Payload]:
        """Return the fields that the company has added to profiles. Does not wait for its turn."""
        answer = await self._api.call("team.profile.get", {}, is_patient=False, is_read=True)
        described: object = answer.get("profile")
        fields: object = cast("Payload", described).get("fields") if isinstance(described, dict) else None
        return cast("list[Payload]", fields) if isinstance(fields, list) else []

    async def profile(self, person: PersonId) -> Payload:
        """Return a person's profile with what they filled into these fields. Does not wait for its turn."""
        answer = await self._api.call("users.profile.get", {"user": person}, is_patient=False, is_read=True)
        return cast("Payload", answer.get("profile") or {})

    def everybody(self) -> AsyncGenerator[Payload]:
        """Yield how Slack describes each person of the workspace."""
        return self._every("users.list", "members", {"limit": 200})

    async def message(self, channel: str, thread_ts: str, ts: str) -> Payload | None:
        """Return a message's current content. Does not wait for its turn, because a person waits."""
        page = {"channel": channel, "ts": thread_ts, "oldest": ts, "latest": ts, "limit": 2, "inclusive": "true"}
        answer = await self._api.call("conversations.replies", page, is_patient=False, is_read=True)
        return next((message for message in answer["messages"] if message["ts"] == ts), None)

    async def is_shared(self, channel: str) -> bool:
        """Tell whether another company reads a channel, or was invited to, as Slack says it now."""
        return is_shared_channel(await channel_info(self._api, channel))

    async def since(self, channel: str, ts: str, *, limit: int) -> list[Payload]:
        """Return the newest `limit` messages outside threads, from a message on, that message included."""
        page = {"channel": channel, "oldest": ts, "limit": limit, "inclusive": "true"}
        answer = await self._api.call("conversations.history", page, is_read=True)
        return list(answer["messages"])

    async def search(self, query: str, *, token: str, until: float, limit: int) -> list[Payload]:
        """Return messages of public channels until a second, best first, up to 20.

        `token` came with a message of the person in whose name Slack searches, and holds for a few minutes.
        """
        asked = {
            "query": query,
            "action_token": token,
            "channel_types": "public_channel",
            "content_types": "messages",
            "before": int(until) + 1,
            "limit": limit,
        }
        answer = await self._api.call("assistant.search.context", asked, is_read=True)
        return list(answer["results"]["messages"])

    async def permalink(self, channel: str, ts: str) -> str:
        """Return the address of a message."""
        answer = await self._api.call("chat.getPermalink", {"channel": channel, "message_ts": ts}, is_read=True)
        return str(answer["permalink"])

    async def replies(
        self, channel: str, thread_ts: str, *, limit: int, oldest: str | None = None, latest: str | None = None
    ) -> list[Payload]:
        """Return up to `limit` messages of a thread from `oldest` to `latest`, its root first."""
        span = {"oldest": oldest, "latest": latest, "limit": limit, "inclusive": "true"}
        page = {"channel": channel, "ts": thread_ts, **span}
        answer = await self._api.call("conversations.replies", page, is_read=True)
        return list(answer["messages"])

    async def find(
        self, channel: str, key: str, *, oldest: str | None = None, thread_ts: str | None = None
    ) -> Ts | None:
        """Return the id of the message that was posted with a key, in a thread or, since a time, outside threads."""
        page = {"channel": channel, "ts": thread_ts, "oldest": oldest, "include_all_metadata": "true"}
        method, limit = ("conversations.replies", 999) if thread_ts else ("conversations.history", 200)
        answer = await self._api.call(method, {**page, "limit": limit}, is_read=True)
        return next((Ts(message["ts"]) for message in answer["messages"] if _key(message) == key), None)

    async def _write(
        self, method: str, channel: str, content: Mapping[str, Any], *, is_patient: bool = True
    ) -> Payload:
        """Call a method that writes in a channel, unless people of another company can read there."""
        await self.shared.keep_out(channel)
        return await self._api.call(
            method,
            {"channel": channel, **content},
            is_patient=is_patient,
            check=partial(self.shared.refuse_known, channel),
        )

    async def _every(self, method: str, name: str, asked: Mapping[str, Any]) -> AsyncGenerator[Any]:
        """Yield what a method lists under a name, page by page."""
        cursor: str | None = None
        while True:
            answer = await self._api.call(method, {**asked, "cursor": cursor}, is_read=True)
            for one in answer[name]:
                yield one
            paging: Payload = answer.get("response_metadata") or {}
            if not (cursor := paging.get("next_cursor")):
                return


def read_message(found: Payload) -> SlackMessage | None:
    """Return a message from a channel's history; `None`, and an event in the log, if it has faults."""
    try:
        return SlackMessage.model_validate(found)
    except ValidationError as error:
        structlog.get_logger().warning("payload_malformed", kind="history", faults=faults_in(error))
        return None


def _key(message: Payload) -> str | None:
    metadata: Payload = message.get("metadata") or {}
    return metadata.get("event_payload", {}).get("key")
