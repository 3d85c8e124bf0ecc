"""Listeners for review requests and decisions: the intake stores each one before Slack is answered."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import structlog

from bot.conversation.address import Address, Ts, ts_at
from bot.conversation.asks.review import Decided, Decision, ReviewRefused
from bot.conversation.asks.review_intake import ReviewIntake
from bot.conversation.inputs import AnswerClicked
from bot.slack.blocks import review_cards
from bot.slack.blocks.elements import Block
from bot.slack.listeners.access_check import AccessCheck, ButtonTable
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed, Submitted, origin_of_form, words_of
from bot.slack.payloads.buttons import ModalOrigin
from bot.slack.people.reviewers import Reviewers
from graph.state import ReviewPacket

_FORMS: Final[Mapping[str, Decided]] = {buttons.EDITED: "edited", buttons.REJECTED: "rejected"}


class ReviewListeners:
    """The listeners for a review's buttons and modals."""

    def __init__(self, reviews: ReviewIntake, access_check: AccessCheck, reviewers: Reviewers) -> None:
        self._reviews = reviews
        self._access_check = access_check
        self._reviewers = reviewers
        self._table: ButtonTable = {
            buttons.ASK_HUMAN: self._ask,
            buttons.APPROVE: self._approve,
            buttons.EDIT: partial(self._open, review_cards.edit_modal),
            buttons.REJECT: partial(self._open, review_cards.reject_modal),
        }

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click on a review's button."""
        await self._access_check.take(body, self._table, told_at=beside_the_card)

    async def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        """Store the text of a modal. If it changed nothing, the modal stays open with its text."""
        return await self._access_check.submit(body, self._take_form)

    async def _take_form(self, sent: Submitted) -> str:
        """Store the reviewer's text; return what is wrong with it, or nothing."""
        kind = _FORMS.get(sent.id)
        if kind is None:
            return ""
        words = words_of(sent.values, sent.id)
        if not words:
            return review_cards.NOTHING_WRITTEN
        decision = Decision(
            event_key=sent.key,
            token=sent.origin.token,
            kind=kind,
            words=words,
            person=sent.place.person,
            decided_at=ts_at(self._access_check.clock.now()),
        )
        refused = await self._decide(decision, sent.place)
        return review_cards.refusal_in_modal(refused) if refused else ""

    async def _ask(self, pressed: Pressed) -> None:
        refused = await self._reviews.ask_human(AnswerClicked(answer=pressed.message, address=pressed.place))
        structlog.get_logger().info("human_asked", event_key=pressed.key, refused=refused and refused.reason)
        if refused:
            self._access_check.tell(pressed.place, review_cards.refusal_to_ask(refused))

    async def _approve(self, pressed: Pressed) -> str | None:
        place = pressed.place
        decision = Decision(
            event_key=pressed.key,
            token=pressed.value,
            kind="approved",
            person=place.person,
            decided_at=place.message_ts,
        )
        refused = await self._decide(decision, place)
        # A repeated press or delivery has counted already.
        is_told = refused and (refused.reason, refused.by) != (decision.kind, decision.person)
        return review_cards.refusal(refused) if refused and is_told else None

    async def _decide(self, decision: Decision, place: Address) -> ReviewRefused | None:
        refused = await self._barred(place) or await self._reviews.decide(decision)
        log = structlog.get_logger()
        log.info("review_clicked", event_key=decision.event_key, kind=decision.kind, refused=refused and refused.reason)
        return refused

    async def _open(self, view: Callable[[ModalOrigin, ReviewPacket], Block], pressed: Pressed) -> str | None:
        review = await self._barred(pressed.place) or await self._reviews.look(pressed.value)
        if isinstance(review, ReviewRefused):
            return review_cards.refusal(review)
        await self._access_check.messenger.open_modal(pressed.trigger_id, view(origin_of_form(pressed), review.packet))
        return None

    async def _barred(self, place: Address) -> ReviewRefused | None:
        barred = await self._reviewers.bar(place)
        return ReviewRefused(reason=barred) if barred else None


def beside_the_card(place: Address) -> Address:
    """Return where a person sees what is told of a click on a reviewers' card."""
    # Not in the card's thread, which hardly anybody has open.
    return replace(place, thread_ts=Ts(""))
