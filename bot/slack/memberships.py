"""Which channels people are in: Slack's answer of the last five minutes, unless it has told of a change since."""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from bot.conversation.address import PersonId
from bot.errors import SlackError
from bot.postgres.pool import Database
from bot.slack import membership_store
from bot.slack.api.messenger import Messenger

COUNTS: Final = timedelta(minutes=5)
"""How long an answer counts: Slack tells of changes only in channels that the bot is in, and an event may be lost."""
PATIENCE_SECONDS: Final = 5.0
"""How long a question waits for Slack; it is answered without the person's channels then."""
_ATTEMPTS: Final = 2
_NONE: Final = frozenset[str]()


class Memberships:
    """The memberships of one workspace, which all its processes share."""

    def __init__(self, database: Database, messenger: Messenger, workspace: str, *, counts: timedelta = COUNTS) -> None:
        self._database = database
        self._messenger = messenger
        self._workspace = workspace
        self._counts = counts

    async def channels_of(self, person: PersonId) -> frozenset[str]:
        """Return the channels that a person is in; none if nobody can tell."""
        async with self._database.transaction(self._workspace) as connection:
            known = await membership_store.known_channels(connection, person, within=self._counts)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._asked(person)
        except (SlackError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            structlog.get_logger().warning("memberships_unknown", person=person, error=reason)
            return _NONE

    async def changed(self, person: PersonId) -> None:
        """Take in that a person came into a channel or left one; it counts once this returns."""
        async with self._database.transaction(self._workspace) as connection:
            await membership_store.forget_channels(connection, person)

    async def may_have_missed(self) -> None:
        """Take in that nobody listened for a while."""
        async with self._database.transaction(self._workspace) as connection:
            await membership_store.forget_all(connection)

    async def _asked(self, person: PersonId) -> frozenset[str]:
        for _ in range(_ATTEMPTS):
            async with self._database.transaction(self._workspace) as connection:
                asked_at = await membership_store.now(connection)
            channels = await self._messenger.channels_of(person)
            async with self._database.transaction(self._workspace) as connection:
                if await membership_store.keep_channels(connection, person, channels, asked_at=asked_at):
                    return channels
        return _NONE
