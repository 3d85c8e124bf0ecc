"""The audience names under which a person in Slack reads now."""

from collections.abc import Awaitable, Callable

from bot.audience import Names, is_direct, names_of
from bot.conversation.address import Address
from bot.slack.memberships import Memberships
from bot.slack.people import People


class Readers:
    """The readers of one workspace."""

    def __init__(
        self, people: People, memberships: Memberships, are_channels_named: Callable[[], Awaitable[bool]]
    ) -> None:
        self._people = people
        self._memberships = memberships
        self._are_channels_named = are_channels_named

    async def names_of(self, address: Address) -> Names:
        """Return the names under which the person of an address may read there. Raises `PersonLookupError`.

        Slack is asked for the person's channels only if a document is for a channel.
        """
        account_type = await self._people.account_type(address.person)
        if account_type not in ("member", "guest"):
            return Names()
        needs_channels = account_type == "member" and is_direct(address.channel) and await self._are_channels_named()
        channels = await self._memberships.channels_of(address.person) if needs_channels else ()
        return names_of(address.person, address.channel, account_type=account_type, own_channels=channels)
