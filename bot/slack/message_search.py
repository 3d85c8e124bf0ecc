"""Slack's own search as a tool of a run: what people wrote in public channels, found in the asker's name.

Slack allows these messages to be used for one answer. They are never stored.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import structlog

from bot.audience import BESIDE_GUESTS, EVERYONE, Names
from bot.conversation.address import Address, ChannelId, PersonId
from bot.markup import mentions, readable
from bot.slack.api.messenger import Messenger
from bot.slack.history import Unforgotten
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.shapes import Payload
from bot.slack.people.people import People
from graph.context import Tools
from graph.text.credentials import redacted
from graph.text.invisible import in_one_line
from graph.tools import Offer, ToolCall, ToolError, ToolResult
from graph.turn import Remark

OFFER: Final = Offer(
    name="messages",
    title="Messages",
    says="searches what people wrote in Slack's public channels; for what somebody announced, decided, said or asked",
    arguments="query: words of the message",
    writes=False,
)
MOST: Final = 6
"""The most messages of one search that an answer may rest on."""
_PAGE: Final = 20
"""Messages that Slack is asked for: bots' and questions to us are left out."""
_NAME: Final = 80
"""Characters of an author's name, as Slack has it."""
SECONDS: Final = 4.0
"""The time limit of a search."""


@dataclass(frozen=True)
class MessageSearch:
    """Searches Slack's messages for one question."""

    messenger: Messenger
    people: People
    unforgotten: Unforgotten
    address: Address
    """The question's. Only what is older than the question is found."""
    token: str
    """The action token that came with the question."""
    names: Callable[[], Awaitable[Names]]
    """Returns the names under which the asker reads there."""

    async def find(self, query: str) -> list[ToolResult]:
        """Return up to six messages, best first. Raises `SlackError`."""
        # Guests see fewer channels than members, and others may read an answer.
        names = await self.names()
        if EVERYONE not in names or BESIDE_GUESTS in names:
            return []
        asked = float((self.address.asked_at or self.address).message_ts)
        found = await self.messenger.search(query, token=self.token, until=asked, limit=_PAGE)
        older = [message for message in found if float(message["message_ts"]) < asked]
        return [result_of(message, self.people.me) for message in await self._quotable(older)][:MOST]

    async def _quotable(self, found: Sequence[Payload]) -> list[Payload]:
        said = [message for message in found if is_said_by_people(message, self.people.me)]
        if not self.people.policy.reads_others:
            ours = await self.people.of_ours({PersonId(message["author_user_id"]) for message in said})
            said = [message for message in said if message["author_user_id"] in ours]
        channels = {message["channel_id"] for message in said}
        kept = set[tuple[str, str]]().union(
            *await asyncio.gather(*(self._kept_in(channel, said) for channel in channels))
        )
        return [message for message in said if (message["channel_id"], message["message_ts"]) in kept]

    async def _kept_in(self, channel: str, said: Sequence[Payload]) -> set[tuple[str, str]]:
        """Return the messages of a channel that were not forgotten on request, by channel and timestamp."""
        place = replace(self.address, channel=ChannelId(channel), asked_at=None)
        remarks = tuple(
            Remark(person=message["author_user_id"], text=message["content"], key=message["message_ts"])
            for message in said
            if message["channel_id"] == channel
        )
        return {(channel, remark.key) for remark in await self.unforgotten(place, remarks)}


class SearchingTools:
    """The tools of a run, and the search for messages among them."""

    def __init__(self, tools: Tools, search: MessageSearch) -> None:
        self._tools = tools
        self._search = search

    async def offers(self) -> list[Offer]:
        """Return the tools that a model may name besides those of the prompt."""
        return [OFFER, *await self._tools.offers()]

    def takes(self, call: ToolCall) -> bool:
        """Tell whether a call's arguments fit its tool."""
        return _is_search(call) or self._tools.takes(call)

    async def use(self, call: ToolCall) -> list[ToolResult]:
        """Return the results in time. Raises `ToolError` if there is none."""
        if not _is_search(call):
            return await self._tools.use(call)
        try:
            async with asyncio.timeout(SECONDS):
                return await self._search.find(call["arguments"]["query"])
        # A response of another shape costs the search only, too.
        except Exception as error:
            structlog.get_logger().warning("messages_not_searched", reason=error)
            raise ToolError("Slack was not searched.") from error


def is_said_by_people(message: Payload, me: Identity) -> bool:
    """Tell whether a person said something to people: not a bot, and not a question to us."""
    said: str = message.get("content") or ""
    is_ours = message["author_user_id"] in ("", me.bot_user) or me.bot_user in mentions(said)
    return not message.get("is_author_bot") and not is_ours and bool(said.strip())


def result_of(message: Payload, me: Identity) -> ToolResult:
    """Return a message as a result with its author, channel, date and link."""
    day = datetime.fromtimestamp(float(message["message_ts"]), UTC).date().isoformat()
    # Without the colon, a display name such as "Ada wrote on 1 May: …" cannot put words into Ada's mouth.
    author = in_one_line(readable(message.get("author_name") or message["author_user_id"]).replace(":", " "))[:_NAME]
    said = redacted(readable(message["content"], without=me.bot_user))
    return ToolResult(
        title=f"{author} in #{readable(message.get('channel_name') or message['channel_id'])}",
        text=f"{author} wrote on {day}: {said}",
        url=message["permalink"],
        dated=day,
        transient=True,
    )


def _is_search(call: ToolCall) -> bool:
    return call["tool"] == OFFER["name"] and bool(call["arguments"].get("query", "").strip())
