"""Listeners for the buttons that keep and retire answers, on the reviewers' cards."""

import asyncio
from typing import Any, Final

import structlog
from slack_bolt.async_app import AsyncAck

from bot.audience import EVERYONE, channel_name
from bot.conversation.address import Address, PersonId
from bot.conversation.keep import Keep, Keeper, KeepRefused
from bot.conversation.reviews.review import ReviewRefused
from bot.errors import GroupUnknownError, SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.background_tasks import BackgroundTasks
from bot.slack.blocks import buttons
from bot.slack.blocks.answers import Block
from bot.slack.blocks.review_cards import refusal as review_refusal
from bot.slack.blocks.verified_cards import kept_card, refusal, retired_card
from bot.slack.listeners.doorkeeper import Doorkeeper
from bot.slack.listeners.events import Payload
from bot.slack.listeners.review_handlers import beside_the_card
from bot.slack.reviewers import Reviewers

PATIENCE_SECONDS: Final = 1.0
"""How long a click waits for Slack to say how a person and a channel are called."""


class KeepListeners:
    """The listeners for what people keep."""

    def __init__(
        self, keeper: Keeper, door: Doorkeeper, tasks: BackgroundTasks, *, channel: str | None, reviewers: Reviewers
    ) -> None:
        """`channel` is where the reviewers' cards are."""
        self._keeper = keeper
        self._door = door
        self._tasks = tasks
        self._channel = channel
        self._reviewers = reviewers

    async def act(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Take in a click that keeps an answer, or retires a kept one."""
        place = beside_the_card(body, self._door.people.me)
        if not await self._door.turns_away(body, place):
            said = await self._barred(place) or await self._done(body, place)
            self._door.post_ephemeral(place, said)
        await ack()

    async def _done(self, body: Payload, place: Address) -> str:
        """Do what was clicked, and show it on the card; return why it changed nothing."""
        action: Payload = body["actions"][0]
        token: str = action.get("value") or ""
        match action["action_id"]:
            case buttons.KEEP:
                return await self._keep(body, token, place)
            case buttons.RETIRE:
                return await self._retire(body, token, place)
            case _:
                return ""

    async def _keep(self, body: Payload, token: str, place: Address) -> str:
        review = await self._keeper.look(token, place.person)
        if isinstance(review, KeepRefused):
            return refusal(review)
        name, audience = await asyncio.gather(
            name_of(self._door.messenger, place.person), audience_of(self._door.messenger, review.channel)
        )
        kept = await self._keeper.keep(Keep(token=token, person=place.person, name=name, place=audience))
        if isinstance(kept, KeepRefused):
            return refusal(kept)
        self._show(body, kept_card(body["message"]["blocks"], token, place.person, until=kept.until))
        return ""

    async def _retire(self, body: Payload, token: str, place: Address) -> str:
        refused = await self._keeper.retire(token, place.person)
        if refused:
            return refusal(refused)
        self._show(body, retired_card(body["message"]["blocks"], place.person))
        return ""

    def _show(self, body: Payload, card: list[Block]) -> None:
        message: Payload = body["message"]
        update = self._door.messenger.update(
            body["channel"]["id"], message["ts"], text=message.get("text", ""), blocks=card
        )
        self._tasks.run(update)

    async def _barred(self, place: Address) -> str:
        """Say why this person may keep nothing here: cards work in the reviewers' channel, for its own people."""
        if place.channel != self._channel:
            return refusal(KeepRefused(reason="unknown"))
        try:
            is_reviewer = await self._reviewers.include(place.person)
        except GroupUnknownError:
            return review_refusal(ReviewRefused(reason="reviewers_unknown"))
        return "" if is_reviewer else review_refusal(ReviewRefused(reason="not_yours"))


async def name_of(messenger: Messenger, person: PersonId) -> str:
    """Return how a person is called; their id if Slack does not say it in time."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            user = await messenger.user(person)
    except (SlackError, TimeoutError):
        return person
    profile: Payload = user.get("profile") or {}
    return str(profile.get("display_name") or profile.get("real_name") or user.get("name") or person)


async def audience_of(messenger: Messenger, channel: str) -> str:
    """Return for whom it is what stands in a channel: everyone, if all members may open it; else its people."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            is_public = await messenger.is_public(channel)
    except (SlackError, TimeoutError) as error:
        structlog.get_logger().warning("channel_not_read", channel=channel, error=str(error))
        is_public = False
    return EVERYONE if is_public else channel_name(channel)
