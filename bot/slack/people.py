"""Who a person is and whether the bot serves them: Slack says it, and what it says counts for a day.

It is kept in memory: a process that starts asks once for each person who speaks to it, and nothing is stored of people
whom the bot does not know.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal, TypeAlias

import structlog

from bot.conversation.address import PersonId
from bot.errors import PersonUncheckedError, PersonUnknownError, SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.listeners.events import Identity, Payload

Standing: TypeAlias = Literal["member", "guest", "deactivated", "machine", "foreign", "unknown"]
Welcome: TypeAlias = Literal["welcome", "guest", "stranger", "unchecked"]
"""Whether the bot serves somebody, or why not: strangers are all who are no people of ours."""

FRESH_SECONDS: Final = 3600.0
"""How long Slack is not asked again who somebody is."""
COUNTS_SECONDS: Final = 24 * 3600.0
"""How long what it said counts while it does not say it again."""
PATIENCE_SECONDS: Final = 1.5
"""How long a payload waits for Slack, which wants it acknowledged within three seconds."""
_MOST_KNOWN: Final = 10_000


@dataclass(frozen=True, kw_only=True)
class Circle:
    """Whom the bot serves, and where; each is a setting."""

    answers_guests: bool = False
    reads_others: bool = False
    """Whether a model is given what people of other companies said in a thread."""
    in_shared_channels: Literal["private", "silent"] = "private"
    """How our own people are answered where another company reads along."""


@dataclass(frozen=True, kw_only=True)
class _Known:
    standing: Standing
    learnt_at: float


def standing_of(user: Payload, me: Identity) -> Standing:
    """Return who somebody is, as `users.info` describes them."""
    # Within an organization, Slack calls those strangers whom we have met in no channel.
    if not _is_ours(user, me) or (user.get("is_stranger") and not me.enterprise):
        return "foreign"
    if user.get("deleted"):
        return "deactivated"
    if user.get("is_bot") or user.get("is_workflow_bot") or user.get("id") == "USLACKBOT":
        return "machine"
    return "guest" if user.get("is_restricted") or user.get("is_ultra_restricted") else "member"


class People:
    """The people whom one workspace's bot meets."""

    def __init__(
        self, messenger: Messenger, me: Identity, circle: Circle | None = None, *,
        seconds: Callable[[], float] = monotonic,
    ) -> None:  # fmt: skip
        self.me = me
        self.circle = circle or Circle()
        self._messenger = messenger
        self._seconds = seconds
        self._known: dict[PersonId, _Known] = {}
        self._asking: dict[PersonId, asyncio.Task[Standing]] = {}

    async def welcome(self, person: PersonId) -> Welcome:
        """Return, within 1.5 s, whether the bot serves a person. It does not if the person cannot be checked."""
        try:
            standing = await self.standing(person)
        except PersonUncheckedError:
            return "unchecked"
        if standing == "guest":
            return "welcome" if self.circle.answers_guests else "guest"
        return "welcome" if standing == "member" else "stranger"

    async def of_ours(self, people: Iterable[PersonId]) -> set[PersonId]:
        """Return current and former members of our company, without people who cannot be checked."""
        asked = list(people)
        told = await asyncio.gather(*(self.standing(person) for person in asked), return_exceptions=True)
        ours = ("member", "guest", "deactivated")
        return {person for person, standing in zip(asked, told, strict=True) if standing in ours}

    async def standing(self, person: PersonId) -> Standing:
        """Return who a person is.

        Raises `PersonUncheckedError` if Slack does not say it in time, and has not said it within a day.
        """
        if known := self._learnt_within(FRESH_SECONDS, person):
            return known.standing
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                # After a timeout the request goes on, so that the next call knows the result.
                return await asyncio.shield(self._asked(person))
        except (SlackError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            structlog.get_logger().warning("person_not_checked", person=person, error=reason)
            if known := self._learnt_within(COUNTS_SECONDS, person):
                return known.standing
            raise PersonUncheckedError from error

    def _asked(self, person: PersonId) -> asyncio.Task[Standing]:
        # A mention comes as two events: one of them asks.
        if person not in self._asking:
            task = self._asking[person] = asyncio.create_task(self._ask(person))
            task.add_done_callback(lambda done: self._is_told(person, done))
        return self._asking[person]

    async def _ask(self, person: PersonId) -> Standing:
        try:
            standing = standing_of(await self._messenger.user(person), self.me)
        except PersonUnknownError:
            standing = "unknown"
        self._known.pop(person, None)
        self._known[person] = _Known(standing=standing, learnt_at=self._seconds())
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return standing

    def _is_told(self, person: PersonId, asked: asyncio.Task[Standing]) -> None:
        del self._asking[person]
        # Read the result: asyncio warns of an exception that nobody has read.
        _ = asked.cancelled() or asked.exception()

    def _learnt_within(self, seconds: float, person: PersonId) -> _Known | None:
        known = self._known.get(person)
        return known if known and self._seconds() - known.learnt_at < seconds else None


def _is_ours(user: Payload, me: Identity) -> bool:
    """Tell whether somebody is of our workspace, or of another one of our organization."""
    if user.get("team_id") == me.team:
        return True
    organization: Payload = user.get("enterprise_user") or {}
    return bool(me.enterprise) and organization.get("enterprise_id") == me.enterprise
