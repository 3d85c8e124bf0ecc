"""What we do when Slack says that somebody came into a channel or left one."""

from typing import Any

from bot.conversation.address import PersonId
from bot.slack.listeners.events import Identity
from bot.slack.memberships import Memberships


class MembershipListeners:
    """Hears of memberships; what it hears has been committed when it returns, so an error means: again."""

    def __init__(self, memberships: Memberships, me: Identity) -> None:
        self._memberships = memberships
        self._me = me

    async def hear(self, body: dict[str, Any]) -> None:
        """Take in that a person came or left; if it was the bot, Slack now tells it of other channels of everybody."""
        person = PersonId(body["event"]["user"])
        if person == self._me.bot_user:
            await self._memberships.may_have_missed()
        else:
            await self._memberships.changed(person)
