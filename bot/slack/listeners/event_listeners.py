"""Listeners for Slack's payloads: read the payload, store it in the inbox, then acknowledge."""

import secrets
from dataclasses import replace
from typing import Any, Protocol

import structlog

from bot.conversation.address import Address, Ts
from bot.conversation.inputs import Change, Message
from bot.conversation.intake import Intake
from bot.errors import PersonLookupError
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.button_listeners import ButtonListeners
from bot.slack.listeners.flag_listeners import FlagListeners
from bot.slack.listeners.mode_listeners import ModeListeners
from bot.slack.listeners.verify_listeners import VerifyListeners
from bot.slack.payloads.actions import read_press, read_submission
from bot.slack.payloads.identity import is_foreign
from bot.slack.payloads.messages import read_change, read_event, read_stop, read_thread_change
from bot.slack.payloads.shapes import EventCallback, MessageAction, MessageEvent, MessagePosted, Payload, event_in
from bot.slack.payloads.shortcuts import place_of_shortcut


class NoteThread(Protocol):
    """Notes that people's words in a thread have changed, if its channel is a source."""

    async def __call__(self, channel: str, thread_ts: str, /, *, is_outdated: bool) -> object:
        """Note it before this returns."""
        ...


class EventListeners:
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
        self._access_check = access_check
        self.me = access_check.people.me
        """The identity that the listeners act under."""
        self.buttons = ButtonListeners(intake, access_check, verify=verify, flags=flags)

    async def hear(self, body: dict[str, Any]) -> None:
        """Store a message, an edit or a deletion."""
        heard: EventCallback[MessageEvent] = event_in(body)
        if heard.is_ext_shared_channel is not None:
            self._access_check.messenger.shared.told(heard.event.channel, is_shared=heard.is_ext_shared_channel)
        if thread := read_thread_change(heard, self.me):
            await self._note_thread(thread.channel, thread.thread_ts, is_outdated=thread.is_outdated)
        change = read_change(heard, self.me)
        if change is not None:
            await self._take_change(change)
            return
        message = read_event(heard, self.me)
        if message is not None:
            await self._take_message(message)
        elif isinstance(heard.event, MessagePosted) and is_foreign(heard.event, self.me):
            structlog.get_logger().info("foreign_message_ignored", event_key=heard.event_id)

    async def stop(self, body: dict[str, Any]) -> None:
        """Store a person's stop. Other reactions are ignored.

        Raises `PersonLookupError` if the person cannot be checked now, so that Slack sends the stop again.
        """
        stop = read_stop(body, self.me)
        if stop is None:
            return
        access = await self._access_check.people.access(stop.person)
        if access == "unchecked":
            raise PersonLookupError
        if access == "granted":
            was_there = await self._intake.stop(stop)
            structlog.get_logger().info("stop_received", event_key=stop.event_key, was_there=was_there)

    async def ignore(self, body: dict[str, Any]) -> None:
        """Acknowledge an unknown payload; otherwise Slack would send it again."""

    async def report(self, error: Exception, body: dict[str, Any]) -> None:
        """Log the error, and tell the person who clicked. An event is not acknowledged, so Slack sends it again."""
        reference = secrets.token_hex(4)
        structlog.get_logger().error("listener_failed", reference=reference, kind=body.get("type"), exc_info=error)
        place = self._place(body)
        if place is not None:
            text = f"That did not work, sorry. Please try again. (Reference: `{reference}`)"
            self._access_check.tell(place, text)

    async def _take_message(self, message: Message) -> None:
        if _is_overheard(message):
            return
        if not await self._accept(message):
            await self._modes.overhear(message)
        elif received := await self._modes.as_received(message):
            await self._intake.receive(received)
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

    def _place(self, body: Payload) -> Address | None:
        match body.get("type"):
            case "block_actions":
                return read_press(body, self.me).place
            case "view_submission":
                sent = read_submission(body, self.me)
                return sent.place if sent else None
            case "message_action":
                return place_of_shortcut(MessageAction.model_validate(body), self.me)
            case _:
                return None


def _is_overheard(message: Message) -> bool:
    """Tell whether people talk with each other in a thread whose conversation with the bot is elsewhere."""
    return message.address.privately and not message.turn.addressed
