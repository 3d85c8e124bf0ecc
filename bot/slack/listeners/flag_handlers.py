"""Listeners for what readers say of an answer that they disliked, and for what a document's owner says to it."""

import asyncio
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from slack_bolt.async_app import AsyncAck

from bot.audience import Names
from bot.contributions.flag import FlagIntake, Objection, RatedAnswer
from bot.conversation.address import Address, NamesAt, Ts
from bot.errors import PersonLookupError, SlackError
from bot.markup import storable
from bot.slack.blocks import buttons, cards
from bot.slack.blocks.buttons import ModalOrigin
from bot.slack.blocks.contributed import flag_cards
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.actions import origin_of, place_of_submission
from bot.slack.listeners.events import Payload
from bot.slack.reviewers import Reviewers

PATIENCE_SECONDS: Final = 1.0
"""How long a click waits for what its person may read. The person was checked before, within 1.5 seconds."""


class FlagListeners:
    """The listeners for the modal about a disliked answer, and for the buttons of an owner's message."""

    def __init__(self, flags: FlagIntake, access_check: AccessCheck, names_at: NamesAt, reviewers: Reviewers) -> None:
        self._flags = flags
        self._access_check = access_check
        self._messenger = access_check.messenger
        self._names_at = names_at
        self._reviewers = reviewers
        self._me = access_check.people.me

    async def ask(self, body: Payload, place: Address) -> None:
        """Ask a person what was wrong with an answer. The rating is stored already, so they may skip it."""
        origin = ModalOrigin(
            token=body["actions"][0].get("value") or "",
            channel=place.channel,
            thread_ts=place.thread_ts,
            card_ts=body["container"]["message_ts"],
        )
        asked = await self._flags.look(_answer_of(origin, place), await self._names(place))
        try:
            await self._messenger.open_modal(body["trigger_id"], flag_cards.what_was_wrong(origin, asked))
        except SlackError as error:
            structlog.get_logger().info("reason_not_asked", error=str(error))
            self._access_check.post_ephemeral(place, cards.THANKS["bad"])

    async def like(self, body: Payload, place: Address) -> None:
        """Forget what a person said was wrong with an answer that they like now."""
        rated = RatedAnswer(channel=place.channel, message_ts=Ts(body["container"]["message_ts"]), person=place.person)
        await self._flags.take_back(rated, is_liked=True)

    async def submit(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Store what was wrong; the modal then says what comes of it."""
        place, origin = place_of_submission(body, self._me), origin_of(body["view"])
        if place is None or origin is None or await self._access_check.refuse(body, place, is_for_anywhere=True):
            await ack()
            return
        said = await self._note(body, _answer_of(origin, place), place)
        await ack(response_action="update", view=cards.said_modal(said, flag_cards.TITLE))

    async def act(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Handle a click of who was told of a flagged document."""
        if pressed := await self._access_check.pressed(body):
            settles = pressed.id == buttons.IS_RIGHT
            document = buttons.document_of(pressed.value)
            if document is not None and await self._answer_flag(pressed.place, document, settles=settles):
                shown, person = body["message"]["blocks"], pressed.place.person
                today = datetime.now(UTC).date()
                blocks = flag_cards.settled(shown, person, today) if settles else flag_cards.reread(shown)
                self._access_check.update(body, blocks)
            else:
                self._access_check.post_ephemeral(pressed.place, flag_cards.NOT_YOURS)
        await ack()

    async def _note(self, body: Payload, answer: RatedAnswer, place: Address) -> str:
        values: Payload = body["view"]["state"]["values"]
        reason = _picked(values, buttons.REASON)
        if reason == flag_cards.TAKE_BACK:
            await self._flags.take_back(answer, is_liked=False)
            return flag_cards.TAKEN_BACK
        objection = Objection(
            answer=answer,
            reason=reason if reason in ("outdated", "wrong", "off_topic", "other") else None,
            document_id=buttons.document_of(_picked(values, buttons.DOCUMENT)),
            words=_typed(values)[: flag_cards.LONGEST_WORDS],
            is_named=_picked(values, buttons.NAMED) == flag_cards.YES,
        )
        documents = await self._flags.note(objection, await self._names(place))
        return flag_cards.NOT_THERE if documents is None else flag_cards.thanks(documents)

    async def _answer_flag(self, place: Address, document: int, *, settles: bool) -> bool:
        """Settle a document's flags, or let the document be read again; return whether the person may do that."""
        is_card = place.channel == self._reviewers.channel
        if is_card and await self._reviewers.bar(place):
            return False
        by = place.channel if is_card else place.person
        take = self._flags.settle if settles else self._flags.reread
        return await take(document, by, await self._names(place))

    async def _names(self, place: Address) -> Names:
        """Return the names under which a person reads; none if Slack does not tell in time."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._names_at(place)
        except (SlackError, PersonLookupError, TimeoutError):
            return Names()


def _answer_of(origin: ModalOrigin, place: Address) -> RatedAnswer:
    return RatedAnswer(
        channel=origin.channel,
        message_ts=Ts(origin.card_ts),
        person=place.person,
        passages=buttons.passages_of(origin.token),
    )


def _picked(values: Payload, name: str) -> str:
    option: Payload = values.get(name, {}).get(name, {}).get("selected_option") or {}
    return option.get("value") or ""


def _typed(values: Payload) -> str:
    return storable(values.get(buttons.WORDS, {}).get(buttons.WORDS, {}).get("value") or "").strip()
