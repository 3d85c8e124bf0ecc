"""Listeners for people and the bot who join or leave channels and user groups."""

from typing import Any

from bot.conversation.address import PersonId
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.shapes import EventCallback, GroupMembersChanged, GroupUpdated, MembershipChanged, event_in
from bot.slack.people.memberships import Memberships


class MembershipListeners:
    """The listeners for memberships. Each commits before it returns; after an error Slack sends again."""

    def __init__(self, memberships: Memberships, me: Identity) -> None:
        self._memberships = memberships
        self._me = me

    async def hear(self, body: dict[str, Any]) -> None:
        """Record that a person joined or left. If the bot did, Slack shows it other memberships of everybody now."""
        moved = EventCallback[MembershipChanged].model_validate(body).event
        person = PersonId(moved.user)
        if person == self._me.bot_user:
            await self._memberships.may_have_missed()
        else:
            await self._memberships.changed(person, moved.channel)

    async def hear_group(self, body: dict[str, Any]) -> None:
        """Record that the people of a user group have changed, or that it was switched off."""
        heard: EventCallback[GroupMembersChanged | GroupUpdated] = event_in(body)
        event = heard.event
        group = event.subteam.id if isinstance(event, GroupUpdated) else event.subteam_id
        await self._memberships.changed(group)
