"""The audience names under which a person in Slack reads now."""

from collections.abc import Awaitable, Callable

from bot.audience import CHANNEL, GROUP, Names, is_direct, is_person_id, names_in, names_of
from bot.conversation.address import Address, ChannelId, PersonId
from bot.slack.people.memberships import Memberships
from bot.slack.people.people import People


class Readers:
    """The readers of one workspace."""

    def __init__(self, people: People, memberships: Memberships, named: Callable[[], Awaitable[Names]]) -> None:
        self._people = people
        self._memberships = memberships
        self._named = named

    async def names_of(self, address: Address) -> Names:
        """Return the names under which the person of an address may read there. Raises `PersonLookupError`."""
        return await self._names(address.person, address.channel)

    async def names_of_person(self, person: str) -> Names:
        """Return the names under which a person reads in a direct message. Raises `PersonLookupError`.

        No direct message is opened for that: the person may not be allowed to read what they would be told.
        """
        return await self._names(PersonId(person), ChannelId("D"))

    async def names_of_recipient(self, recipient: str) -> Names:
        """Return the names under which a person, in a direct message, or all of a channel reads now.

        Raises `PersonLookupError` for a person.
        """
        if is_person_id(recipient):
            return await self.names_of_person(recipient)
        channel = ChannelId(recipient)
        return names_in(channel, has_outsiders=await self._have_outsiders(channel))

    async def _names(self, person: PersonId, channel: ChannelId) -> Names:
        # Slack is asked for the person's channels and user groups only if a document is for a channel or a group.
        account_type = await self._people.account_type(person)
        if account_type not in ("member", "guest"):
            return Names()
        named = await self._named() if account_type == "member" and is_direct(channel) else Names()
        needs_channels = any(name.startswith(CHANNEL) for name in named)
        channels = await self._memberships.channels_of(person) if needs_channels else ()
        groups = [name.removeprefix(GROUP) for name in named if name.startswith(GROUP)]
        return names_of(
            person,
            channel,
            account_type=account_type,
            own_channels=channels,
            own_groups=await self._memberships.groups_of(person, groups),
            has_outsiders=account_type == "member" and await self._have_outsiders(channel),
        )

    async def _have_outsiders(self, channel: ChannelId) -> bool:
        if is_direct(channel):
            return False
        return await self._memberships.have_outsiders(channel, self._people.include_outsiders)
