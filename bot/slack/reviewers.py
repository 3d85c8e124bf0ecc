"""Who may decide a review: people by their ids, and user groups, whose people Slack names when one of them clicks."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

import structlog

from bot.address import PersonId
from bot.errors import SlackError
from bot.slack.messenger import Messenger

KEPT_SECONDS: Final = 300.0
"""How long it is remembered who is in a group: so long somebody who left it may still decide."""


def ids_in(setting: str) -> frozenset[str]:
    """Return the ids that a setting names with commas."""
    return frozenset(one.strip() for one in setting.split(",") if one.strip())


def groups_in(setting: str) -> list[str]:
    """Return the ids of user groups among them, in order."""
    return sorted(one for one in ids_in(setting) if one.startswith("S"))


@dataclass(frozen=True, kw_only=True)
class _Membership:
    people: frozenset[str]
    until: float


class Reviewers:
    """Those whom the setting names; where it names nobody, everybody who sees the card."""

    def __init__(self, setting: str, messenger: Messenger, *, seconds: Callable[[], float] = monotonic) -> None:
        self._groups = groups_in(setting)
        self._people = ids_in(setting) - set(self._groups)
        self._messenger = messenger
        self._seconds = seconds
        self._known: dict[str, _Membership] = {}
        self._asking = asyncio.Lock()

    async def include(self, person: PersonId) -> bool:
        """Tell whether a person may decide; raise `SlackError` where Slack has never said who is in a group."""
        if person in self._people or not (self._people or self._groups):
            return True
        members = [await self._members(group) for group in self._groups]
        return any(person in people for people in members)

    async def _members(self, group: str) -> frozenset[str]:
        # Of twenty who click at once, one asks.
        async with self._asking:
            known = self._known.get(group)
            if known is None or known.until <= self._seconds():
                people = await self._ask(group, known)
                known = self._known[group] = _Membership(people=people, until=self._seconds() + KEPT_SECONDS)
            return known.people

    async def _ask(self, group: str, known: _Membership | None) -> frozenset[str]:
        try:
            return await self._messenger.members(group)
        except SlackError as error:
            if known is None:
                raise
            structlog.get_logger().warning("group_not_read", group=group, error=str(error))
            return known.people
