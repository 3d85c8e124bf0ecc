"""Listeners for Slack's payloads: read the payload, store it in the inbox, then acknowledge."""

import secrets
from dataclasses import replace
from typing import Any, Protocol, assert_never

import structlog
from slack_bolt.async_app import AsyncAck

from bot.conversation.address import Address, Ts, ts_at
from bot.conversation.inputs import Change, Click, ClickRefused, Message, Rating, WishDenied
from bot.conversation.intake import Intake
from bot.slack.blocks import cards
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.actions import (
    Action,
    AskAgain,
    AskNextTime,
    AskOffered,
    Elaborate,
    LookAgain,
    LookAtChange,
    Retry,
    is_approval,
    is_typed_answer,
    place_of_action,
    place_of_submission,
    question_again,
    read_action,
    read_approval,
    read_submission,
)
from bot.slack.listeners.events import Payload, is_foreign, read_change, read_event, read_thread_change, said_before
from bot.slack.listeners.flag_handlers import FlagListeners
from bot.slack.listeners.mode_handlers import ModeListeners
from bot.slack.listeners.review_actions import answer_to_form
from bot.slack.listeners.shapes import faults
from bot.slack.listeners.shortcuts import place_of_shortcut
from bot.slack.listeners.stop_actions import read_stop
from bot.slack.listeners.verify_handlers import VerifyListeners


class NoteThread(Protocol):
    """Notes that people's words in a thread have changed, if its channel is a source."""

    async def __call__(self, channel: str, thread_ts: str, /, *, is_outdated: bool) -> object:
        """Note it before this returns."""
        ...


class Listeners:
    """The listeners, one for each kind of payload. Each commits before it returns; after an error Slack sends again."""

    def __init__(
        self,
        intake: Intake,
        access_check: AccessCheck,
        *,
        verify: VerifyListeners,
        modes: ModeListeners,
        flags: FlagListeners,
        note_thread: NoteThread,
    ) -> None:
        self._note_thread = note_thread
        self._intake = intake
        self._verify = verify
        self._modes = modes
        self._flags = flags
        self._access_check = access_check
        self.messenger = access_check.messenger
        self.me = access_check.people.me
        """The identity that the listeners act under."""

    async def hear(self, body: dict[str, Any]) -> None:
        """Store a message, an edit or a deletion."""
        is_shared = body.get("is_ext_shared_channel")
        if is_shared is not None:
            self.messenger.shared.told(body["event"]["channel"], is_shared=is_shared)
        if heard := read_thread_change(body, self.me):
            await self._note_thread(heard.channel, heard.thread_ts, is_outdated=heard.is_outdated)
        change = read_change(body, self.me)
        if change is not None:
            await self._take_change(change)
            return
        message = read_event(body, self.me)
        if message is not None:
            await self._take_message(message)
        elif is_foreign(body["event"], self.me):
            structlog.get_logger().info("foreign_message_ignored", event_key=body["event_id"])

    async def stop(self, body: dict[str, Any]) -> None:
        """Store a person's stop. Other reactions are ignored."""
        stop = read_stop(body, self.me)
        if stop is not None and await self._access_check.people.access(stop.person) == "granted":
            was_there = await self._intake.stop(stop)
            structlog.get_logger().info("stop_received", event_key=stop.event_key, was_there=was_there)

    async def ignore(self) -> None:
        """Acknowledge an unknown payload; otherwise Slack would send it again."""

    async def pass_over(self, ack: AsyncAck) -> None:
        """Acknowledge a shortcut that is none of ours."""
        await ack()

    async def act(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Handle a click on one of our buttons."""
        action, place = read_action(body, self.me), place_of_action(body, self.me)
        # A message that nobody has taken yet is answered privately, and a rating shows nothing.
        is_for_anywhere = isinstance(action, (LookAgain, Rating))
        if action is not None and not await self._access_check.refuse(body, place, is_for_anywhere=is_for_anywhere):
            await self._do(action, body)
        await ack()

    async def submit(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Store what a modal says. If it changed nothing, the modal stays open and says why."""
        if is_approval(body):
            refused = await self._take_approval(body)
            await (ack(response_action="update", view=cards.said_modal(refused)) if refused else ack())
            return
        await ack(**answer_to_form(body, await self._take_typed(body)))

    async def apologise(self, error: Exception, body: dict[str, Any]) -> None:
        """Log the error, and tell the person who clicked. An event is not acknowledged, so Slack sends it again."""
        reference = secrets.token_hex(4)
        structlog.get_logger().error("listener_failed", reference=reference, kind=body.get("type"), exc_info=error)
        place = self._place(body)
        if place is not None:
            text = f"That did not work, sorry. Please try again. (Reference: `{reference}`)"
            self._access_check.post_ephemeral(place, text)

    async def _take_message(self, message: Message) -> None:
        if _is_overheard(message):
            return
        if not await self._accept(message):
            await self._modes.overhear(message)
        elif left := await self._modes.left(message):
            await self._intake.receive(left)
            log = structlog.get_logger()
            log.info("message_received", event_key=message.event_key, thread_id=message.address.thread_id)
            await self._verify.overhear(message)

    async def _take_change(self, changed: Change) -> None:
        change = await self._modes.change(changed)
        if change is None:
            return
        if change.kind == "removal":
            # A message that would be refused leaves no trace when it is deleted, either.
            is_served = await self._is_served(change.message)
            await self._intake.change(replace(change, of_known_only=not is_served))
        elif await self._accept(change.message, edited_at=change.changed_at):
            await self._intake.change(replace(change, of_known_only=_is_overheard(change.message)))
        else:
            return
        structlog.get_logger().info("message_changed", event_key=change.message.event_key, kind=change.kind)

    async def _is_served(self, message: Message) -> bool:
        is_for_us = await self._intake.concerns(message, earlier_too=True)
        return is_for_us and await self._access_check.people.access(message.address.person) == "granted"

    async def _accept(self, message: Message, *, edited_at: Ts | None = None) -> bool:
        """Accept a message to the bot from somebody whom it serves; otherwise tell the writer, if that is allowed.

        Return whether it is accepted. Nothing of the message is stored before that.
        """
        if not await self._intake.concerns(message):
            return False
        if message.address.privately and self._access_check.people.policy.in_shared_channels == "silent":
            structlog.get_logger().info("message_refused", event_key=message.event_key, why="shared")
            return False
        why = await self._access_check.people.access(message.address.person)
        if why == "granted":
            return True
        structlog.get_logger().info("message_refused", event_key=message.event_key, why=why)
        if why == "unchecked" or (why == "guest" and message.turn.addressed):
            # Others also talk in threads that the bot knows, and get no notice for messages to each other.
            await self._intake.decline(message, why, edited_at=edited_at)
        return False

    async def _look_again(self, again: LookAgain, place: Address) -> None:
        """Store the clicker's message with its current text, because none of it was stored before."""
        found = await self._access_check.message(place.channel, again.message.thread_ts, again.message.ts)
        event: Payload = said_before(found, place.channel, is_shared=again.message.is_shared) if found else {}
        message = None if faults(event) else read_event(event, self.me)
        if found is None or message is None:
            self._access_check.post_ephemeral(place, cards.NOT_FOUND)
        elif message.address.person != place.person:
            self._access_check.post_ephemeral(place, cards.ELSEWHERE)
        elif edited := found.get("edited"):
            await self._intake.change(Change(kind="edit", message=message, changed_at=Ts(edited["ts"])))
        else:
            await self._intake.receive(message)

    async def _take_typed(self, body: Payload) -> str:
        """Store the typed answer; return what is wrong with it, or nothing."""
        place = place_of_submission(body, self.me)
        if place is None or not is_typed_answer(body) or await self._access_check.refuse(body, place):
            return ""
        click = read_submission(body, self.me, at=ts_at(self._access_check.clock.now()))
        if click is None:
            return cards.NOTHING_TYPED
        refused = await self._claim(click)
        return cards.refusal_in_modal(refused) if refused else ""

    async def _take_approval(self, body: Payload) -> str:
        """Store the approval; return why it does not count, or nothing."""
        click = read_approval(body, self.me, at=ts_at(self._access_check.clock.now()))
        place = place_of_submission(body, self.me)
        if click is None or place is None or await self._access_check.refuse(body, place):
            return ""
        refused = await self._claim(click)
        return cards.refusal(refused) if refused else ""

    async def _look_at_change(self, looking: LookAtChange, place: Address) -> None:
        change = await self._intake.look_at_change(looking.click)
        if isinstance(change, ClickRefused):
            self._access_check.post_ephemeral(place, cards.refusal(change))
        else:
            await self.messenger.open_modal(looking.trigger_id, cards.approval_modal(looking.origin, change))

    async def _do(self, action: Action, body: Payload) -> None:
        place = place_of_action(body, self.me)
        match action:
            case Click():
                await self._choose(action, place)
            case Elaborate():
                message: Payload = body.get("message") or {}
                view = cards.modal(action.origin, message.get("blocks") or [])
                await self.messenger.open_modal(action.trigger_id, view)
            case LookAtChange():
                await self._look_at_change(action, place)
            case AskAgain():
                await self._ask_again(action, place, body)
            case AskNextTime():
                await self._ask_next_time(action.click, place)
            case AskOffered() | WishDenied() | Rating():
                await self._do_below_answer(action, place, body)
            case Retry():
                await self._retry(action, place)
            case LookAgain():
                await self._look_again(action, place)
            case _:
                assert_never(action)

    async def _do_below_answer(self, action: AskOffered | WishDenied | Rating, place: Address, body: Payload) -> None:
        match action:
            case AskOffered():
                await self._ask_offered(action.message, place)
            case WishDenied():
                await self._deny_wish(action, place)
            case Rating():
                await self._rate(action, place, body)

    async def _retry(self, retry: Retry, place: Address) -> None:
        if not await self._intake.retry(retry.reference, retry.thread_id, card=retry.card):
            self._access_check.post_ephemeral(place, cards.ELSEWHERE)

    async def _choose(self, click: Click, place: Address) -> None:
        await self._verify.confirm(click, place)
        if refused := await self._claim(click):
            self._access_check.post_ephemeral(place, cards.refusal(refused))

    async def _claim(self, click: Click) -> ClickRefused | None:
        refused = await self._intake.choose(click)
        said = refused.reason if refused else "taken"
        structlog.get_logger().info("clarification_clicked", event_key=click.event_key, outcome=said)
        return refused

    async def _ask_offered(self, message: Message, place: Address) -> None:
        first = await self._intake.ask_offered(message)
        structlog.get_logger().info("follow_up_clicked", event_key=message.event_key, is_first=first is None)
        if first and first != place.person:
            self._access_check.post_ephemeral(place, cards.asked_already(first))

    async def _deny_wish(self, denied: WishDenied, place: Address) -> None:
        refused = await self._intake.deny_wish(denied)
        structlog.get_logger().info("wish_denied", thread_id=place.thread_id, refused=refused and refused.reason)
        if refused and (said := cards.refusal_of_denial(refused)):
            self._access_check.post_ephemeral(place, said)

    async def _rate(self, rating: Rating, place: Address, body: Payload) -> None:
        is_new = await self._intake.rate(rating)
        if rating.verdict == "bad":
            await self._flags.ask(body, place)
            return
        await self._flags.like(body, place)
        if is_new:
            self._access_check.post_ephemeral(place, cards.THANKS[rating.verdict])
            await self._verify.rate(rating)

    async def _ask_next_time(self, click: Click, place: Address) -> None:
        refused = await self._intake.ask_next_time(click)
        said = cards.refusal(refused) if refused else cards.FORGOTTEN
        self._access_check.post_ephemeral(place, said)

    async def _ask_again(self, again: AskAgain, place: Address, body: Payload) -> None:
        refused = await self._intake.choose(again.click)
        if refused is None:
            return
        if refused.reason != "superseded" or not refused.question:
            self._access_check.post_ephemeral(place, cards.refusal(refused))
            return
        await self._intake.receive(question_again(again, refused.question, place))
        self._access_check.update(body, cards.asked_again_card(body["message"]["blocks"], place.person))

    def _place(self, body: Payload) -> Address | None:
        match body.get("type"):
            case "block_actions":
                return place_of_action(body, self.me)
            case "view_submission":
                return place_of_submission(body, self.me)
            case "message_action":
                return place_of_shortcut(body, self.me)
            case _:
                return None


def _is_overheard(message: Message) -> bool:
    """Tell whether people talk with each other in a thread whose conversation with the bot is elsewhere."""
    return message.address.privately and not message.turn.addressed
