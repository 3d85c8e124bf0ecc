"""Which channels people are in, who is in user groups, and where outsiders read along.

What Slack said counts for five minutes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta
from typing import Any, Final, TypeAlias

import structlog

from bot.conversation.address import PersonId
from bot.errors import SlackError
from bot.postgres.pool import Database
from bot.slack.api.messenger import Messenger
from bot.slack.people import membership_store

COUNTS: Final = timedelta(minutes=5)
"""How long an answer counts: Slack tells of changes only in channels that the bot is in, and an event may be lost."""
PATIENCE_SECONDS: Final = 5.0
"""How long a question waits for Slack; it is answered without the person's channels then."""
_ATTEMPTS: Final = 2
_NONE: Final = frozenset[str]()
_SOMEBODY: Final = frozenset({"outsiders"})
"""Kept for a channel with outsiders, instead of their ids: nothing is stored of people who are not served."""
Ask: TypeAlias = Callable[[Any], Awaitable[Collection[str]]]
"""Asks Slack for a person's channels, for a group's people, or for a channel's outsiders."""
AnyOutsiders: TypeAlias = Callable[[Collection[PersonId]], Awaitable[bool]]
"""Tells whether some of these people are no members of the workspace. Raises `SlackError` if nobody can tell."""


class Memberships:
    """The memberships of one workspace, which all its processes share."""

    def __init__(self, database: Database, messenger: Messenger, workspace: str) -> None:
        self._database = database
        self._messenger = messenger
        self._workspace = workspace

    async def channels_of(self, person: PersonId) -> frozenset[str]:
        """Return the channels that a person is in; none if nobody can tell."""
        return await self._known(person, self._messenger.channels_of) or _NONE

    async def groups_of(self, person: PersonId, groups: Collection[str]) -> list[str]:
        """Return those of some user groups that a person is in. A group of unknown members is not among them."""
        people = await asyncio.gather(*(self._known(group, self._messenger.members) for group in groups))
        return [group for group, members in zip(groups, people, strict=True) if members and person in members]

    async def have_outsiders(self, channel: str, any_outsiders: AnyOutsiders) -> bool:
        """Tell whether guests or people of other companies are in a channel; they are if nobody can tell."""

        async def ask(_: str) -> Collection[str]:
            return _SOMEBODY if await any_outsiders(await self._messenger.people_in(channel)) else _NONE

        return await self._known(channel, ask) != _NONE

    async def changed(self, *whose: str) -> None:
        """Ask Slack again, once this returns, for a person's channels, or for the people of a group or channel."""
        async with self._database.transaction(self._workspace) as connection:
            for one in whose:
                await membership_store.forget_known(connection, one)

    async def may_have_missed(self) -> None:
        """Forget all answers of Slack, because events of changes may have been missed."""
        async with self._database.transaction(self._workspace) as connection:
            await membership_store.forget_all(connection)

    async def _known(self, whose: str, ask: Ask) -> frozenset[str] | None:
        """Return what Slack says, or said lately; None if it does not."""
        async with self._database.one_statement(self._workspace) as connection:
            known = await membership_store.known(connection, whose, within=COUNTS)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._asked(whose, ask)
        except (SlackError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            structlog.get_logger().warning("memberships_unknown", whose=whose, error=reason)
            return None

    async def _asked(self, whose: str, ask: Ask) -> frozenset[str] | None:
        for _ in range(_ATTEMPTS):
            async with self._database.one_statement(self._workspace) as connection:
                asked_at = await membership_store.now(connection)
            found = await ask(whose)
            async with self._database.transaction(self._workspace) as connection:
                if await membership_store.keep(connection, whose, found, asked_at=asked_at):
                    return frozenset(found)
        return None
