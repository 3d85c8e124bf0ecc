"""Who we are in a workspace, and which payloads, messages and people are ours."""

from dataclasses import dataclass
from typing import Final, Literal

from bot.conversation.address import Address, PersonId, TeamId
from bot.slack.payloads.shapes import Payload, SlackMessage, payload_in

SAID_BY_PEOPLE: Final = frozenset({None, "file_share", "thread_broadcast", "me_message"})
"""The subtypes of people's messages. Other subtypes report changes of a message or the channel."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Our identity in a workspace, from `auth.test`."""

    team: TeamId
    bot_user: PersonId
    bot: str
    """The bot id in our own messages."""
    app: str = ""
    """Empty if Slack does not say it."""
    enterprise: str = ""
    """The organization of the workspace; empty if it has none."""


def names_us(body: Payload, me: Identity) -> bool:
    """Tell whether a payload is for our installation: our app, in our workspace."""
    read = payload_in(body)
    is_for_us = any(one.team_id == me.team and one.enterprise_id in (None, me.enterprise) for one in read.installations)
    return is_for_us and (not me.app or read.api_app_id == me.app)


def spoken_by(message: SlackMessage, me: Identity) -> Literal["us", "person", "machine"]:
    """Return who wrote a message, from an event or a thread's history."""
    if message.user == me.bot_user or message.bot_id == me.bot:
        return "us"
    is_machine = message.bot_id or message.subtype not in SAID_BY_PEOPLE
    return "machine" if is_machine or message.user in (None, "USLACKBOT") else "person"


def is_foreign(message: SlackMessage, me: Identity) -> bool:
    """Tell whether somebody of another company wrote a message in a shared channel. Our documents are not theirs."""
    # Within an organization, another team may be ours, so the writer's team decides.
    return not me.enterprise and bool({message.user_team, message.source_team} - {None, me.team})


def is_of_ours(message: SlackMessage, me: Identity) -> bool:
    """Tell whether a person of our company wrote a message."""
    return spoken_by(message, me) == "person" and not is_foreign(message, me)


def is_from_elsewhere(place: Address, me: Identity) -> bool:
    """Tell whether somebody of another company clicked, or sent a modal, in a shared channel."""
    return not me.enterprise and place.person_team != me.team
