"""Asks Slack who asks. The answers are in memory only, and whatever Slack does costs a question half a second at most.

Time zone and title come with the check of who somebody is (`bot.slack.people.people`), without another call. Office
and team are fields that the company has added: they cost a call a day for the fields and, if there is such a field,
one a day for each person who asks.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final

import structlog

from bot.conversation.address import PersonId
from bot.errors import PersonUnknownError, SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.payloads.profile_fields import units_by_field, units_of
from bot.slack.people.fresh_cache import FreshCache
from bot.slack.people.people import People
from graph.turn import Profile, Unit

FRESH_SECONDS: Final = 24 * 3600.0
"""How long an answer is used without asking Slack again."""
COUNTS_SECONDS: Final = 2 * FRESH_SECONDS
"""How long an answer is used if Slack does not answer."""
PATIENCE_SECONDS: Final = 0.5
"""How long a question waits for Slack; an answer that comes later is for the next question."""
REST_SECONDS: Final = 300.0
"""How long Slack is not asked after it refused or was late."""
_MOST_KNOWN: Final = 10_000


class SlackProfiles:
    """The profiles of one workspace; implements `graph.context.Profiles`."""

    def __init__(self, messenger: Messenger, people: People, *, seconds: Callable[[], float] = monotonic) -> None:
        self._messenger = messenger
        self._people = people
        self._seconds = seconds
        self._fields = FreshCache[str, dict[str, Unit]](
            self._ask_fields, fresh_seconds=FRESH_SECONDS, counts_seconds=COUNTS_SECONDS, most=1, seconds=seconds
        )
        self._units = FreshCache[PersonId, dict[Unit, str]](
            self._ask, fresh_seconds=FRESH_SECONDS, counts_seconds=COUNTS_SECONDS, most=_MOST_KNOWN, seconds=seconds
        )
        self._rests_until = 0.0

    async def of(self, person: str) -> Profile | None:
        """Return what Slack says within half a second of a person of our company. What it does not say is left out."""
        asker = PersonId(person)
        if self._seconds() >= self._rests_until:
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._read(asker)
            except (SlackError, TimeoutError) as error:
                self._rests_until = self._seconds() + REST_SECONDS
                reason = str(error) or type(error).__name__
                structlog.get_logger().info("profile_not_read", person=person, error=reason)
        described = self._people.known(asker)
        if described is None or not described.may_ask:
            return None
        return Profile(zone=described.zone, title=described.title, units=self._units.counting(asker) or {})

    async def _read(self, person: PersonId) -> None:
        described = await self._people.described(person)
        if described.may_ask:
            await self._units.get(person)

    async def _ask(self, person: PersonId) -> dict[Unit, str]:
        by_field = await self._fields.get("")
        try:
            return units_of(await self._messenger.profile(person), by_field) if by_field else {}
        except PersonUnknownError:
            # Slack says this of one person, and may show everybody else.
            return {}

    async def _ask_fields(self, _workspace: str) -> dict[str, Unit]:
        return units_by_field(await self._messenger.profile_fields())
