"""Who may decide in the review channel: people by their ids, and user groups, whose members Slack names at a click."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, Literal, TypeAlias

import structlog

from bot.conversation.address import Address, PersonId
from bot.errors import GroupUnknownError, SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.people.fresh_cache import FreshCache

KEPT_SECONDS: Final = 300.0
"""How long a group's members are cached: so long somebody who left it may still decide."""
REMEMBERED_SECONDS: Final = 3600.0
"""How long the cache counts if Slack does not answer."""
_MOST_KNOWN: Final = 1_000
PATIENCE_SECONDS: Final = 1.5
"""How long a click waits for Slack, which wants it acknowledged within three seconds."""

CHANNELS_SECONDS: Final = 1.0
"""How long a click waits for the channels of a person."""
ChannelsOf: TypeAlias = Callable[[PersonId], Awaitable[frozenset[str]]]
"""Returns the channels that a person is in."""
Barred: TypeAlias = Literal["unknown", "no_reviewer", "reviewers_unknown"]
"""Why a person may decide nothing: not here, not they, or Slack does not say."""


def ids_in(setting: str) -> frozenset[str]:
    """Return the ids that a setting names with commas."""
    return frozenset(one.strip() for one in setting.split(",") if one.strip())


def groups_in(setting: str) -> list[str]:
    """Return the ids of user groups among them, in order."""
    return sorted(one for one in ids_in(setting) if one.startswith("S"))


class Reviewers:
    """The people whom the setting names; if it names nobody, everybody who sees the card."""

    def __init__(
        self,
        setting: str,
        messenger: Messenger,
        *,
        channel: str | None = None,
        channels_of: ChannelsOf | None = None,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        """`channel` is the review channel; without one, nobody decides anything."""
        self.channel = channel
        self._channels_of = channels_of
        self._groups = groups_in(setting)
        self._people = ids_in(setting) - set(self._groups)
        self._known = FreshCache[str, frozenset[PersonId]](
            messenger.members,
            fresh_seconds=KEPT_SECONDS,
            counts_seconds=REMEMBERED_SECONDS,
            most=_MOST_KNOWN,
            seconds=seconds,
        )

    async def include(self, person: PersonId) -> bool:
        """Tell, within 1.5 s, whether a person may decide.

        Raises `GroupUnknownError` if Slack has not named a group's members for an hour.
        """
        if person in self._people or not (self._people or self._groups):
            return True
        members = await asyncio.gather(*map(self._members, self._groups))
        return any(person in people for people in members)

    async def bar(self, place: Address) -> Barred | None:
        """Return why a person may decide nothing there: cards work only in the review channel, for its own people."""
        if place.channel != self.channel:
            return "unknown"
        try:
            return None if await self.include(place.person) else "no_reviewer"
        except GroupUnknownError:
            return "reviewers_unknown"

    async def include_anywhere(self, person: PersonId) -> bool:
        """Tell whether a person may decide in the review channel, wherever they are now; no if Slack does not say."""
        if self._channels_of is None:
            return False
        try:
            async with asyncio.timeout(CHANNELS_SECONDS):
                is_in = self.channel in await self._channels_of(person)
            return is_in and await self.include(person)
        except (GroupUnknownError, TimeoutError):
            return False

    async def _members(self, group: str) -> frozenset[PersonId]:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                # Of twenty who click at once, one asks.
                return await self._known.get(group)
        except (SlackError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            structlog.get_logger().warning("group_not_read", group=group, error=reason)
            known = self._known.counting(group)
            if known is None:
                raise GroupUnknownError from error
            return known
