"""Listeners for review requests and decisions: the intake stores each one before Slack is answered."""

from dataclasses import replace
from typing import Any, assert_never

import structlog
from slack_bolt.async_app import AsyncAck

from bot.conversation.address import Address, Ts, ts_at
from bot.conversation.asks.review import Decision, HumanAsked, ReviewRefused
from bot.conversation.asks.review_intake import ReviewIntake
from bot.slack.blocks.review_cards import (
    NOTHING_WRITTEN,
    edit_modal,
    refusal,
    refusal_in_modal,
    refusal_to_ask,
    reject_modal,
)
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.actions import place_of_action, place_of_submission
from bot.slack.listeners.events import Identity, Payload
from bot.slack.listeners.review_actions import (
    FormWanted,
    answer_to_form,
    is_review_form,
    read_review_action,
    read_review_form,
)
from bot.slack.reviewers import Reviewers


class ReviewListeners:
    """The listeners for a review's buttons and modals."""

    def __init__(self, reviews: ReviewIntake, access_check: AccessCheck, reviewers: Reviewers) -> None:
        self._reviews = reviews
        self._access_check = access_check
        self._messenger = access_check.messenger
        self._me = access_check.people.me
        self._reviewers = reviewers

    async def act(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Handle a click on a review's button."""
        is_refused = await self._access_check.refuse(body, beside_the_card(body, self._me))
        action = None if is_refused else read_review_action(body, self._me)
        match action:
            case None:
                pass
            case HumanAsked():
                await self._ask(action, place_of_action(body, self._me))
            case Decision():
                await self._approve(action, beside_the_card(body, self._me))
            case FormWanted():
                await self._open(action, beside_the_card(body, self._me))
            case _:
                assert_never(action)
        await ack()

    async def submit(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Store the text of a modal. If it changed nothing, the modal stays open with its text."""
        await ack(**answer_to_form(body, await self._take_form(body)))

    async def _take_form(self, body: Payload) -> str:
        """Store the reviewer's text; return what is wrong with it, or nothing."""
        place = place_of_submission(body, self._me)
        if place is None or not is_review_form(body) or await self._access_check.refuse(body, place):
            return ""
        decision = read_review_form(body, at=ts_at(self._access_check.clock.now()))
        if decision is None:
            return NOTHING_WRITTEN
        refused = await self._decide(decision, place)
        return refusal_in_modal(refused) if refused else ""

    async def _ask(self, asked: HumanAsked, place: Address) -> None:
        refused = await self._reviews.ask_human(asked)
        structlog.get_logger().info("human_asked", event_key=asked.event_key, refused=refused and refused.reason)
        if refused:
            self._access_check.post_ephemeral(place, refusal_to_ask(refused))

    async def _approve(self, decision: Decision, place: Address) -> None:
        refused = await self._decide(decision, place)
        # A repeated press or delivery has counted already.
        if refused and (refused.reason, refused.by) != (decision.kind, decision.person):
            self._access_check.post_ephemeral(place, refusal(refused))

    async def _decide(self, decision: Decision, place: Address) -> ReviewRefused | None:
        refused = await self._barred(place) or await self._reviews.decide(decision)
        log = structlog.get_logger()
        log.info("review_clicked", event_key=decision.event_key, kind=decision.kind, refused=refused and refused.reason)
        return refused

    async def _open(self, wanted: FormWanted, place: Address) -> None:
        review = await self._barred(place) or await self._reviews.look(wanted.origin.token)
        if isinstance(review, ReviewRefused):
            self._access_check.post_ephemeral(place, refusal(review))
            return
        view = edit_modal if wanted.kind == "edited" else reject_modal
        await self._messenger.open_modal(wanted.trigger_id, view(wanted.origin, review.packet))

    async def _barred(self, place: Address) -> ReviewRefused | None:
        barred = await self._reviewers.bar(place)
        return ReviewRefused(reason=barred) if barred else None


def beside_the_card(body: Payload, me: Identity) -> Address:
    """Return where a button of a reviewers' card was clicked, and by whom."""
    # Not in the card's thread, which hardly anybody has open.
    return replace(place_of_action(body, me), thread_ts=Ts(""))
