"""Listeners for the modes of channels and threads: untagged messages, the channel's card, and mute."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from bot.audience import is_direct
from bot.conversation.address import Address, ChannelId, PersonId, Ts, ts_at
from bot.conversation.inputs import Change, Message
from bot.conversation.intake import Intake
from bot.errors import PersonLookupError
from bot.postgres.pool import Connection
from bot.slack.blocks.limit_notices import notice_place
from bot.slack.channel_modes import mode_cards, mode_store
from bot.slack.channel_modes.mode_store import Storing
from bot.slack.channel_modes.modes import CHOICES, TOO_LATE, ModeChoice, chosen
from bot.slack.channel_modes.vetoes import veto
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed
from graph.context import Clock
from graph.turn import Turn

_ASKS_FOR_CARD: Final = frozenset({"mode", "modes", "channel mode"})
"""What people write to the bot to get the channel's card."""
_MUTES: Final = {
    "mute": True,
    "mute this thread": True,
    "be quiet": True,
    "stay quiet": True,
    "unmute": False,
    "unmute this thread": False,
}
"""What people write to the bot in a thread, and whether it mutes the thread."""
TakeBack: TypeAlias = Callable[[str], Awaitable[None]]
"""Deletes the shared copy of the answer to a question, named by its message key, if there is one."""


class ModeListeners:
    """The listeners for channel modes. Each commits before it returns."""

    def __init__(
        self,
        storing: Storing,
        intake: Intake,
        access_check: AccessCheck,
        clock: Clock,
        *,
        take_back: TakeBack,
        patience: timedelta,
    ) -> None:
        """`take_back` deletes the shared copy of a changed question's answer.

        `patience` is the time that people have to answer an untagged question first.
        """
        self._storing = storing
        self._take_back = take_back
        self._intake = intake
        self._access_check = access_check
        self._clock = clock
        self._patience = patience
        self._told_at: Ts | None = None
        """The last message whose writer was told that there is no mode to choose."""

    async def as_received(self, message: Message) -> Message | None:
        """Return a message as the bot is to receive it; `None` if it is a command, or talk below an untagged question.

        What was not said to the bot in a muted thread is marked: the bot reads it, and does not answer it.
        """
        address, turn = message.address, message.turn
        if not turn.addressed:
            async with self._storing() as connection:
                root = await mode_store.handed(connection, f"{address.channel}:{address.thread_ts}")
                is_talk = root is not None and root["person"] != address.person
                return None if is_talk else await _marked(connection, message)
        return None if await self._obeys(address, turn.question.strip(" .!?").casefold()) else message

    async def overhear(self, message: Message) -> None:
        """Note where an untagged question stands, and no word of it."""
        said_at = datetime.fromtimestamp(float(message.address.message_ts), UTC)
        if veto(message) is None and self._clock.now() - said_at < TOO_LATE:
            async with self._storing() as connection:
                await mode_store.enqueue(connection, message, due_at=said_at + self._patience)

    async def change(self, change: Change) -> Change | None:
        """Take in an edit or a deletion; return it as the bot is to receive it, or `None` if that is all."""
        key, address = change.message.message_key, change.message.address
        await self._take_back(key)
        async with self._storing() as connection:
            if address.thread_ts != address.message_ts:
                return replace(change, message=await _marked(connection, change.message))
            if change.kind == "removal":
                await mode_store.forget(connection, key)
            else:
                await mode_store.postpone(connection, key, due_at=self._clock.now() + self._patience)
            known = await mode_store.handed(connection, key)
        return None if known is not None and known["unwanted_by"] is not None else change

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click on a channel's card, or below an answer that nobody asked the bot for."""
        await self._access_check.take(body, {buttons.MODE: self._choose, buttons.NOT_FOR_YOU: self._remove})

    async def _obeys(self, address: Address, command: str) -> bool:
        """Obey a command about a channel or thread; return whether it was one."""
        if is_direct(address.channel) or not (command in _MUTES or command in _ASKS_FOR_CARD):
            return False
        if command in _MUTES:
            await self._mute(address, is_muted=_MUTES[command])
        elif address.privately:
            # A mention comes as two events, and only one of them gets an answer.
            if address.message_ts != self._told_at:
                self._told_at = address.message_ts
                self._access_check.tell(notice_place(address), mode_cards.OUTSIDERS_HERE)
        else:
            async with self._storing() as connection:
                await mode_store.want_card(connection, address.channel, key=address.message_ts, now=self._clock.now())
        return True

    async def _mute(self, address: Address, *, is_muted: bool) -> None:
        is_in_thread = address.thread_ts != address.message_ts
        async with self._storing() as connection:
            # A mention comes as two events, and only one of them gets an answer.
            counts = await mode_store.save_mute(connection, address, is_muted=is_muted and is_in_thread)
        if counts and is_in_thread:
            self._access_check.tell(address, mode_cards.MUTED if is_muted else mode_cards.UNMUTED)
        elif counts:
            self._access_check.tell(notice_place(address), mode_cards.ONLY_IN_THREAD)

    async def _choose(self, pressed: Pressed) -> str:
        place = pressed.place
        known: ModeChoice | None = next((one for one in CHOICES if one == pressed.value), None)
        if known is None or not await self._is_member(place.person):
            return mode_cards.ONLY_MEMBERS
        async with self._storing() as connection:
            now = self._clock.now()
            current = await mode_store.mode_of(connection, place.channel, now=now)
            if current is None:
                return mode_cards.OUT_OF_DATE
            after = chosen(current, known, by=place.person, now=now)
            await mode_store.save(connection, after, now=now)
        return mode_cards.NOT_YET if known == "on" and after.phase(now) == "shadow" else ""

    async def _is_member(self, person: PersonId) -> bool:
        try:
            return await self._access_check.people.account_type(person) == "member"
        except PersonLookupError:
            return False

    async def _remove(self, pressed: Pressed) -> str:
        message_key, place, now = pressed.value, pressed.place, self._clock.now()
        async with self._storing() as connection:
            is_its_answer = await mode_store.is_answered_by(connection, message_key, pressed.message)
            if not is_its_answer or not await mode_store.mark_unwanted(
                connection, message_key, by=place.person, now=now
            ):
                return mode_cards.NOT_KNOWN
        # As if its writer had deleted the question: the answer goes, and so does what was remembered of it.
        channel, _, ts = message_key.partition(":")
        question = Message(
            event_key=f"unwanted:{message_key}",
            message_key=message_key,
            address=replace(place, channel=ChannelId(channel), thread_ts=Ts(ts), message_ts=Ts(ts)),
            turn=Turn(question="", asker=place.person, addressed=False),
        )
        removal = Change(kind="removal", message=question, changed_at=ts_at(now), of_known_only=True)
        await self._intake.change(removal)
        return mode_cards.REMOVED


async def _marked(connection: Connection, message: Message) -> Message:
    if message.turn.addressed:
        return message
    is_muted = await mode_store.is_muted(connection, message.address)
    return replace(message, turn=replace(message.turn, is_muted=is_muted))
