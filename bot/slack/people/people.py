"""Decides whether the bot serves a person, by the account type that Slack returns.

The account type is cached in memory for a day, with the time zone and title that come in the same answer. A new process
asks once for each person, and nothing is stored about people whom the bot does not serve.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeAlias

import structlog

from bot.conversation.address import PersonId
from bot.errors import PersonLookupError, PersonUnknownError, SlackError
from bot.settings.choices import InSharedChannels
from bot.slack.api.messenger import Messenger
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.profile_fields import title_of, zone_of
from bot.slack.payloads.shapes import Payload
from bot.slack.people.fresh_cache import FreshCache, SingleFlight

AccountType: TypeAlias = Literal["member", "guest", "deactivated", "machine", "foreign", "unknown"]
Access: TypeAlias = Literal["granted", "guest", "stranger", "unchecked"]
"""Whether the bot serves a person, or why not. A stranger is anybody who is not of our company."""


class Described(NamedTuple):
    """What Slack says of a person."""

    account_type: AccountType
    zone: str = ""
    """The name of their time zone."""
    title: str = ""

    @property
    def may_ask(self) -> bool:
        """Whether it is a member or a guest of our company."""
        return self.account_type in ("member", "guest")


FRESH_SECONDS: Final = 3600.0
"""How long a cached account type is used without asking Slack again."""
COUNTS_SECONDS: Final = 24 * 3600.0
"""How long a cached account type is used if Slack does not answer."""
PATIENCE_SECONDS: Final = 1.5
"""How long a payload waits for Slack, which expects an acknowledgement within three seconds."""
_MOST_KNOWN: Final = 100_000
_MOST_ASKED_FOR: Final = 20
"""For more people than these, everybody is listed: that is one call for two hundred."""
_INSIDERS: Final = frozenset({"member", "deactivated", "machine"})
"""Account types beside which a channel is still among members."""


@dataclass(frozen=True, kw_only=True)
class AccessPolicy:
    """The settings about who is served, and where."""

    answers_guests: bool = False
    reads_others: bool = False
    """Whether a model sees what people of other companies wrote in a thread."""
    in_shared_channels: InSharedChannels = "private"
    """How our people get answers in a channel that another company reads."""


def account_type_of(user: Payload, me: Identity) -> AccountType:
    """Return the account type of a user from `users.info`."""
    # Within an organization, `is_stranger` only means that we share no channel.
    if not _is_ours(user, me) or (user.get("is_stranger") and not me.enterprise):
        return "foreign"
    if user.get("deleted"):
        return "deactivated"
    if user.get("is_bot") or user.get("is_workflow_bot") or user.get("id") == "USLACKBOT":
        return "machine"
    return "guest" if user.get("is_restricted") or user.get("is_ultra_restricted") else "member"


def described_by(user: Payload, me: Identity) -> Described:
    """Return what Slack says of a user: of people of other companies, and of bots, only the account type."""
    described = Described(account_type_of(user, me))
    return described._replace(zone=zone_of(user), title=title_of(user)) if described.may_ask else described


class People:
    """The people of one workspace, with their cached account types."""

    def __init__(
        self,
        messenger: Messenger,
        me: Identity,
        policy: AccessPolicy | None = None,
        *,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self.me = me
        self.policy = policy or AccessPolicy()
        self._messenger = messenger
        self._known = FreshCache[PersonId, Described](
            self._ask, fresh_seconds=FRESH_SECONDS, counts_seconds=COUNTS_SECONDS, most=_MOST_KNOWN, seconds=seconds
        )
        self._listing = SingleFlight[str, None]()

    async def access(self, person: PersonId) -> Access:
        """Return, within 1.5 s, whether the bot serves a person. It does not if the person cannot be checked."""
        try:
            account_type = await self.account_type(person)
        except PersonLookupError:
            return "unchecked"
        if account_type == "guest":
            return "granted" if self.policy.answers_guests else "guest"
        return "granted" if account_type == "member" else "stranger"

    async def of_ours(self, people: Iterable[PersonId]) -> set[PersonId]:
        """Return current and former members of our company, without people who cannot be checked."""
        asked = list(people)
        told = await asyncio.gather(*(self.account_type(person) for person in asked), return_exceptions=True)
        ours = ("member", "guest", "deactivated")
        return {person for person, account_type in zip(asked, told, strict=True) if account_type in ours}

    async def include_outsiders(self, people: Collection[PersonId]) -> bool:
        """Tell whether guests or people of other companies are among some people.

        Raises `SlackError` or `PersonLookupError` if nobody can tell.
        """
        unknown = [person for person in people if not self._known.fresh(person)]
        if len(unknown) > _MOST_ASKED_FOR:
            listing = self._listing.start("", self._list)
            if not all(map(self._known.counting, people)):
                # After a timeout the listing goes on, so that the next call knows the result.
                await asyncio.shield(listing)
            unknown = [person for person in people if not self._known.counting(person)]
        told = await asyncio.gather(*map(self.account_type, unknown))
        known = filter(None, map(self._known.counting, people))
        return not {*told, *(one.account_type for one in known)} <= _INSIDERS

    async def account_type(self, person: PersonId) -> AccountType:
        """Return a person's account type. Raises `PersonLookupError` like `described`."""
        return (await self.described(person)).account_type

    def known(self, person: PersonId) -> Described | None:
        """Return what Slack said of a person within a day, without asking it."""
        return self._known.counting(person)

    async def described(self, person: PersonId) -> Described:
        """Return what Slack says of a person.

        Raises `PersonLookupError` if Slack does not answer in time, and has not answered within a day.
        """
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                # A mention comes as two events, and only one of them asks Slack.
                return await self._known.get(person)
        except (SlackError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            structlog.get_logger().warning("person_not_checked", person=person, error=reason)
            if known := self._known.counting(person):
                return known
            raise PersonLookupError from error

    async def _ask(self, person: PersonId) -> Described:
        try:
            return described_by(await self._messenger.user(person), self.me)
        except PersonUnknownError:
            return Described("unknown")

    async def _list(self) -> None:
        async for user in self._messenger.everybody():
            self._known.keep(PersonId(user["id"]), described_by(user, self.me))


def _is_ours(user: Payload, me: Identity) -> bool:
    """Tell whether a user is of our workspace or of our organization."""
    if user.get("team_id") == me.team:
        return True
    organization: Payload = user.get("enterprise_user") or {}
    return bool(me.enterprise) and organization.get("enterprise_id") == me.enterprise
