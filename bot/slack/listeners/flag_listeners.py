"""Listeners for what readers say of an answer that they disliked, and for what a document's owner says to it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import structlog

from bot.audience import Names
from bot.contributions.flag import FlagIntake, Objection, RatedAnswer, Recipient
from bot.conversation.address import Address, NamesAt, Ts
from bot.conversation.inputs import Rating
from bot.errors import SlackError
from bot.slack.blocks.contributed import flag_cards
from bot.slack.blocks.modal_responses import replaced_by
from bot.slack.listeners.access_check import AccessCheck, in_time
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed, Submitted, origin_of_press, picked_in, words_of
from bot.slack.payloads.buttons import ModalOrigin
from bot.slack.people.reviewers import Reviewers


class FlagListeners:
    """The listeners for the modal about a disliked answer, and for the buttons of an owner's message."""

    def __init__(self, flags: FlagIntake, access_check: AccessCheck, names_at: NamesAt, reviewers: Reviewers) -> None:
        self._flags = flags
        self._access_check = access_check
        self._names_at = names_at
        self._reviewers = reviewers

    async def ask(self, pressed: Pressed) -> None:
        """Ask a person what was wrong with an answer. The rating is stored already, so they may skip it."""
        place, origin = pressed.place, origin_of_press(pressed, pressed.value)
        asked = await self._flags.look(_answer_of(origin, place), await self._names(place))
        try:
            await self._access_check.messenger.open_modal(pressed.trigger_id, flag_cards.what_was_wrong(origin, asked))
        except SlackError as error:
            structlog.get_logger().info("reason_not_asked", error=str(error))

    async def like(self, rating: Rating) -> None:
        """Forget what a person said was wrong with an answer that they like now."""
        rated = RatedAnswer(channel=rating.channel, message_ts=rating.message_ts, person=rating.person)
        await self._flags.take_back(rated, is_liked=True)

    async def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        """Store what was wrong; the modal then says what comes of it."""
        return await self._access_check.submit(
            body, self._note, respond=lambda _, said: replaced_by(flag_cards.TITLE, said), is_for_anywhere=True
        )

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click of who was told of a flagged document."""
        await self._access_check.take(body, {buttons.IS_RIGHT: self._settle, buttons.REREAD: self._reread})

    async def _note(self, sent: Submitted) -> str:
        values, answer = sent.values, _answer_of(sent.origin, sent.place)
        reason = picked_in(values, buttons.REASON)
        if reason == flag_cards.TAKE_BACK:
            await self._flags.take_back(answer, is_liked=False)
            return flag_cards.TAKEN_BACK
        objection = Objection(
            answer=answer,
            reason=reason if reason in ("outdated", "wrong", "off_topic", "other") else None,
            document_id=buttons.document_of(picked_in(values, buttons.DOCUMENT)),
            words=words_of(values, buttons.WORDS)[: flag_cards.LONGEST_WORDS],
            is_named=picked_in(values, buttons.NAMED) == flag_cards.YES,
        )
        documents = await self._flags.note(objection, await self._names(sent.place))
        return flag_cards.NOT_THERE if documents is None else flag_cards.thanks(documents)

    async def _settle(self, pressed: Pressed) -> str | None:
        """Settle a document's flags."""
        if not await self._did(self._flags.settle, pressed):
            return flag_cards.NOT_YOURS
        today = datetime.now(UTC).date()
        self._access_check.update(pressed, flag_cards.settled(pressed.blocks, pressed.place.person, today))
        return None

    async def _reread(self, pressed: Pressed) -> str | None:
        """Let a document be read again."""
        if not await self._did(self._flags.reread, pressed):
            return flag_cards.NOT_YOURS
        self._access_check.update(pressed, flag_cards.reread(pressed.blocks))
        return None

    async def _did(self, act: Callable[[int, Recipient, Names], Awaitable[bool]], pressed: Pressed) -> bool:
        """Act on the document of a button; return whether the person may do that."""
        place, document = pressed.place, buttons.document_of(pressed.value)
        is_card = place.channel == self._reviewers.channel
        if document is None or (is_card and await self._reviewers.bar(place)):
            return False
        return await act(document, place.channel if is_card else place.person, await self._names(place))

    async def _names(self, place: Address) -> Names:
        """Return the names under which a person reads; none if Slack does not tell in time."""
        return await in_time(self._names_at(place)) or Names()


def _answer_of(origin: ModalOrigin, place: Address) -> RatedAnswer:
    return RatedAnswer(
        channel=origin.channel,
        message_ts=Ts(origin.card_ts),
        person=place.person,
        passages=buttons.passages_of(origin.token),
    )
