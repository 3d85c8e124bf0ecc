"""A channel of Slack as a source: every thread in which people talk with each other is a document.

`slack:C0123ABCD` names the channel. Threads with the bot, bots' messages and what other companies wrote are left out.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bot.audience import default_names, is_direct
from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes, MissingError, NoTextError
from bot.knowledge.connectors.listed import Listed, states_in
from bot.knowledge.connectors.slack.client import HiddenError, SlackClient
from bot.knowledge.connectors.slack.paths import SCHEME, SlackPart, channel_in, path_of
from bot.knowledge.connectors.slack.thread import (
    Payload,
    Us,
    begins_thread,
    document_of_thread,
    name_of,
    people_in,
    said_in,
    state_of,
)
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.sandbox.limits import Limits

KIND: Final = "slack"


async def location_of(location: str, settings: SourceSettings) -> str:
    """Return a channel's location by its id, after checking that it may be a source. Raises `KnowledgeError`."""
    name = location.removeprefix(SCHEME)
    if name.startswith("#"):
        async for channel in _client(settings).joined():
            if channel["name"] == name[1:]:
                name = str(channel["id"])
                break
        else:
            raise KnowledgeError(f"Askback is in no channel {name}: write /invite @Askback there.")
    found = SlackChannel(f"{SCHEME}{name}", settings)
    await found.described()
    return found.location


class SlackChannel:
    """The threads of one channel, by the time of their first message."""

    kind = KIND
    ending = ""
    """How the location ends."""
    begins_with = "CG"
    """The first signs of the ids of conversations that may be such a source."""

    def __init__(self, location: str, settings: SourceSettings) -> None:
        self._channel = channel_in(location)
        is_id = self._channel.isascii() and self._channel.isalnum() and self._channel.isupper()
        is_ours = location == f"{SCHEME}{self._channel}{self.ending}"
        if not is_ours or not is_id or self._channel[0] not in self.begins_with:
            raise KnowledgeError("Give slack: and a channel's id or name, as in slack:C0123ABCD or slack:#support.")
        self.location = location
        self._client = _client(settings)
        self._entering = asyncio.Lock()
        self._us: Us | None = None
        self._roots: dict[str, Payload] = {}
        """The first messages of all threads, once they are listed."""
        self._listed: Listed | None = None
        self._names: dict[str, str | None] = {}
        """The names of people; `None` if they are of another company, or unknown."""

    async def described(self) -> Payload:
        """Return the channel as Slack describes it. Raises `KnowledgeError` if it may not be a source."""
        channel = await self._client.channel(self._channel)
        if channel.get("is_im") or channel.get("is_mpim"):
            raise KnowledgeError("Direct messages cannot be a source: give a channel.")
        if channel.get("is_ext_shared") or channel.get("is_pending_ext_shared"):
            raise KnowledgeError("Another company reads this channel, or was invited to: it cannot be a source.")
        if not channel.get("is_member"):
            raise KnowledgeError("Askback is not in the channel: write /invite @Askback there.")
        return channel

    async def most_readers(self) -> Collection[str] | None:
        """Return the members of a channel that is not public any more, or that Slack does not show."""
        if is_direct(self._channel):
            return None
        try:
            is_public = (await self._client.channel(self._channel)).get("is_private") is False
        except HiddenError:
            is_public = False
        return None if is_public else default_names(KIND, self.location)

    async def changes(self, cursor: str) -> Changes:
        """List the whole channel, then return the threads that changed, a part at a time."""
        if self._listed is None:
            await self._list()
            if not self._roots and not states_in(cursor):
                raise KnowledgeError("Nobody has written in the channel yet: what people write from now on is read.")
            self._listed = Listed({path_of(ts): state_of(root) for ts, root in self._roots.items()})
        return self._listed.changes(cursor)

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a thread as Markdown."""
        us = await self._enter()
        messages = said_in(await self._thread(SlackPart.of_path(path).thread_ts), us)
        return await self._written(path, messages, us, limits)

    async def _written(self, path: str, messages: Sequence[Payload], us: Us, limits: Limits) -> bytes:
        text = document_of_thread(messages, await self._named(people_in(messages), us))
        if not text:
            raise NoTextError
        return limits.fitting(text.encode("utf-8", "replace"), path)

    def url_of(self, path: str) -> str | None:
        """Return the permalink of a thread's first message."""
        if self._us is None:
            return None
        return f"{self._us.url}archives/{self._channel}/p{SlackPart.of_path(path).thread_ts.replace('.', '')}"

    async def aclose(self) -> None:
        """Do nothing: each request has its own connection."""

    async def _enter(self) -> Us:
        async with self._entering:
            if self._us is None:
                await self.described()
                self._us = Us.of(await self._client.identity())
            return self._us

    async def _list(self) -> None:
        us = await self._enter()
        async for message in self._client.history(self._channel):
            if begins_thread(message, us):
                self._roots[message["ts"]] = message

    async def _thread(self, ts: str) -> list[Payload]:
        root = self._roots.get(ts)
        if root and not root.get("reply_count"):
            return [root]
        try:
            return [message async for message in self._client.replies(self._channel, ts)]
        except MissingError as error:
            raise NoTextError from error

    async def _named(self, people: Iterable[str], us: Us) -> dict[str, str]:
        for person in people:
            if person not in self._names:
                self._names[person] = await self._name(person, us)
        return {person: name for person in people if (name := self._names[person])}

    async def _name(self, person: str, us: Us) -> str | None:
        try:
            user = await self._client.user(person)
        except MissingError:
            return None
        return name_of(user) if us.includes(user) else None


def _client(settings: SourceSettings) -> SlackClient:
    if not settings.slack_token:
        raise KnowledgeError("SLACK_BOT_TOKEN is missing: set it, or run this where the bot runs.")
    return SlackClient(settings.slack_url, settings.slack_token)
