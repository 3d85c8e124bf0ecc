"""The audience names under which a person in Slack reads now."""

from collections.abc import Awaitable, Callable

from bot.audience import CHANNEL, GROUP, Names, is_direct, names_in, names_of
from bot.conversation.address import Address, ChannelId, PersonId, Ts
from bot.slack.payloads.identity import Identity
from bot.slack.people.memberships import Memberships
from bot.slack.people.people import People


def in_direct_message(person: PersonId, me: Identity) -> Address:
    """Return where a person reads in any direct message. None is opened for somebody who may not read what is told."""
    return Address(
        team=me.team, channel=ChannelId("D"), thread_ts=Ts(""), message_ts=Ts(""), person=person, person_team=me.team
    )


class Readers:
    """The readers of one workspace."""

    def __init__(self, people: People, memberships: Memberships, named: Callable[[], Awaitable[Names]]) -> None:
        self._people = people
        self._memberships = memberships
        self._named = named

    async def names_of(self, address: Address) -> Names:
        """Return the names under which the person of an address may read there. Raises `PersonLookupError`.

        Slack is asked for the person's channels and user groups only if a document is for a channel or a group.
        """
        account_type = await self._people.account_type(address.person)
        if account_type not in ("member", "guest"):
            return Names()
        named = await self._named() if account_type == "member" and is_direct(address.channel) else Names()
        needs_channels = any(name.startswith(CHANNEL) for name in named)
        channels = await self._memberships.channels_of(address.person) if needs_channels else ()
        groups = [name.removeprefix(GROUP) for name in named if name.startswith(GROUP)]
        return names_of(
            address.person,
            address.channel,
            account_type=account_type,
            own_channels=channels,
            own_groups=await self._memberships.groups_of(address.person, groups),
            has_outsiders=account_type == "member" and await self._have_outsiders(address.channel),
        )

    async def names_in(self, channel: ChannelId) -> Names:
        """Return the names under which all of a channel reads now."""
        return names_in(channel, has_outsiders=await self._have_outsiders(channel))

    async def _have_outsiders(self, channel: ChannelId) -> bool:
        if is_direct(channel):
            return False
        return await self._memberships.have_outsiders(channel, self._people.include_outsiders)
