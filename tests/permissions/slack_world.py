"""The world of people, channels and documents in the local Slack, for runs through the whole bot."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bot.audience import is_direct
from bot.conversation.address import ChannelId, PersonId
from playground import Channel, Member, Playground, Workspace
from playground.protocol.events import envelope
from playground.protocol.faults import FOREVER
from tests.permissions.world import CHANNELS, GROUPS, GUEST, LEAVER, MEMBERS, PEOPLE, World

REVIEWS = "CREVIEW"
"""The channel of the reviewers, who see only what everybody may read."""
ASKED = ("users.conversations", "usergroups.users.list", "conversations.members")
"""The methods by which Slack says who is where."""


def empty_workspace() -> Workspace:
    """Return a workspace with the world's people and channels, and nobody in these."""
    workspace = Workspace.sample()
    for person in PEOPLE:
        workspace.members[person] = Member(
            id=person,
            name=person.lower(),
            real_name=person.title(),
            is_guest=person == GUEST,
            is_deactivated=person == LEAVER,
        )
        workspace.direct_channel(person)
    workspace.channels |= {
        one: Channel(id=one, name=one.lower(), members=[workspace.bot_user_id]) for one in (*CHANNELS, REVIEWS)
    }
    return workspace


@dataclass(kw_only=True)
class SlackWorld(World):
    """The same world, whose memberships are those of the local Slack."""

    playground: Playground
    perhaps: dict[str, list[set[str]]] = field(default_factory=dict[str, list[set[str]]])
    """Where a person is, or who is in a group, as Slack may have said since Askback last heard of a change."""

    perhaps_beside: dict[str, set[bool]] = field(default_factory=dict[str, set[bool]])
    """Whether the guest is in a channel, as Slack may have said since Askback last heard of a change there."""

    def __post_init__(self) -> None:
        super().__post_init__()
        workspace = self.playground.workspace
        for person, channels in self.channels.items():
            for channel in channels:
                workspace.channels[channel].members.append(person)
        workspace.groups = {group: [*people] for group, people in self.groups.items()}
        self._know_again()

    async def move(self) -> None:
        """Let a person join or leave a channel. Slack may fail to report it."""
        person, channel = self.chance.choice(PEOPLE), self.chance.choice(CHANNELS)
        is_in = channel in self.channels[person]
        self.channels[person] ^= {channel}
        if self.chance.random() < 0.7:
            who = self.playground.person(person)
            await (who.leave(channel) if is_in else who.invite(channel, person))
            self.perhaps[person] = [{*self.channels[person]}]
            self.perhaps_beside[channel] = {channel in self.channels[GUEST]}
            return
        members = self.playground.workspace.channels[channel].members
        members.remove(person) if is_in else members.append(person)
        self.perhaps[person].append({*self.channels[person]})
        self.perhaps_beside[channel].add(channel in self.channels[GUEST])

    async def regroup(self) -> None:
        """Let a person join or leave a user group. Slack may fail to report it."""
        person, group = self.chance.choice(PEOPLE), self.chance.choice(GROUPS)
        self.groups[group] ^= {person}
        workspace = self.playground.workspace
        workspace.groups[group] = [*self.groups[group]]
        self.perhaps[group].append({*self.groups[group]})
        if self.chance.random() < 0.7:
            event = {"type": "subteam_members_changed", "subteam_id": group, "team_id": workspace.team_id}
            self.playground.deliver(envelope(workspace, event, self.playground.clock.now()))
            del self.perhaps[group][:-1]

    async def pass_time(self) -> None:
        """Let five minutes pass, or let Slack fail or recover."""
        if self.chance.random() < 0.3:
            self.slack_is_up = not self.slack_is_up
            self.playground.faults.clear()
            for method in () if self.slack_is_up else ASKED:
                self.playground.faults.fail(method, times=FOREVER)
            return
        # On another thread, because this connection waits for the bot's locks on the bot's own event loop.
        older = "UPDATE memberships SET asked_at = asked_at - interval '5 minutes'"
        await asyncio.to_thread(self.owner.execute, older)
        self._know_again()

    def place(self) -> tuple[PersonId, ChannelId]:
        """Return a random person who writes, and where: in their channels, or to the bot alone."""
        person = self.chance.choice([*MEMBERS, *MEMBERS, GUEST])
        direct = ChannelId(self.playground.workspace.direct_channel(person).id)
        return person, ChannelId(self.chance.choice([*sorted(self.channels[person]), direct, direct]))

    def bounds(self, person: PersonId, channel: ChannelId) -> tuple[set[str], set[str]]:
        """Return the secret words that a person must be able to read there, and those that they may.

        Both differ while Askback cannot know where the person is: it may have heard before a change that was not told.
        """
        beside = set[bool]() if is_direct(channel) or person not in MEMBERS else self.perhaps_beside[channel]
        surely_not_beside = not beside or (self.slack_is_up and beside == {False})
        least = self._read(
            person,
            channel,
            lambda known: set.intersection(*known) if self.slack_is_up else set(),
            beside_guests=not surely_not_beside,
        )
        most = self._read(person, channel, lambda known: set[str]().union(*known), beside_guests=beside == {True})
        return least, most

    def _read(
        self,
        person: PersonId,
        channel: ChannelId,
        among: Callable[[Iterable[set[str]]], set[str]],
        *,
        beside_guests: bool,
    ) -> set[str]:
        own = set[str]()
        if is_direct(channel) and person in MEMBERS:
            own = among(self.perhaps[person]) | {group for group in GROUPS if person in among(self.perhaps[group])}
        return {told.secret for told in self.documents.values() if self._may(told, person, channel, own, beside_guests)}

    def _know_again(self) -> None:
        self.perhaps = {
            **{person: [{*channels}] for person, channels in self.channels.items()},
            **{group: [{*people}] for group, people in self.groups.items()},
        }
        self.perhaps_beside = {channel: {channel in self.channels[GUEST]} for channel in CHANNELS}
