"""Listeners for channel modes: untagged messages, the channel's card, and the buttons of what nobody asked the bot."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from slack_bolt.async_app import AsyncAck

from bot.audience import is_direct
from bot.conversation.address import Address, ChannelId, PersonId, Placed, Ts
from bot.conversation.inputs import Change, Intake, Message
from bot.errors import ChannelSharedError, PersonLookupError, PostRefusedError
from bot.postgres.pool import Connection
from bot.slack.blocks import buttons
from bot.slack.blocks.answers import Block
from bot.slack.blocks.limit_notices import notice_place
from bot.slack.blocks.mode_cards import (
    NOT_FOR_ALL,
    NOT_KNOWN,
    NOT_THERE,
    NOT_YET,
    NOT_YOURS,
    ONLY_MEMBERS,
    OUTSIDERS_HERE,
    OUTSIDERS_THERE,
    REMOVED,
    SHARED,
    TOO_LONG,
    rests_on,
    shared_blocks,
)
from bot.slack.channel_modes import mode_store
from bot.slack.channel_modes.mode_store import Answer, Storing
from bot.slack.channel_modes.modes import CHOICES, TOO_LATE, Choice, chosen
from bot.slack.channel_modes.vetoes import veto
from bot.slack.listeners.access_check import AccessCheck
from graph.context import Clock
from graph.turn import Turn

_ASKS_FOR_CARD: Final = frozenset({"mode", "modes", "channel mode"})
"""What people write to the bot to get the channel's card."""
MayRead: TypeAlias = Callable[[Connection, ChannelId, Collection[int]], Awaitable[bool]]
"""Tells whether a channel may read all these passages now, and they are as they were."""


class ModeListeners:
    """The listeners for channel modes. Each commits before it returns."""

    def __init__(
        self, storing: Storing, intake: Intake, access_check: AccessCheck, clock: Clock, *,
        may_read: MayRead, patience: timedelta,
    ) -> None:  # fmt: skip
        """`patience` is the time that people have to answer an untagged question first."""
        self._storing = storing
        self._may_read = may_read
        self._intake = intake
        self._access_check = access_check
        self._messenger = access_check.messenger
        self._clock = clock
        self._patience = patience

    async def takes(self, message: Message) -> bool:
        """Take a message that asks for the card, or talk of others below an untagged question, away from the bot."""
        address, turn = message.address, message.turn
        if not turn.addressed:
            async with self._storing() as connection:
                root = await mode_store.handed(connection, f"{address.channel}:{address.thread_ts}")
            return root is not None and root["person"] != address.person
        if turn.question.strip(" .!?").casefold() not in _ASKS_FOR_CARD or is_direct(address.channel):
            return False
        if address.privately:
            self._access_check.post_ephemeral(notice_place(address), OUTSIDERS_HERE)
            return True
        async with self._storing() as connection:
            await mode_store.want_card(connection, address.channel, key=address.message_ts, now=self._clock.now())
        return True

    async def overhear(self, message: Message) -> None:
        """Note where an untagged question stands, and no word of it."""
        said_at = datetime.fromtimestamp(float(message.address.message_ts), UTC)
        if veto(message) is None and self._clock.now() - said_at < TOO_LATE:
            async with self._storing() as connection:
                await mode_store.wait(connection, message, due_at=said_at + self._patience)

    async def change(self, change: Change) -> bool:
        """Take in an edit or a deletion before it is stored; return whether that is all, for the answer is unwanted."""
        key, address = change.message.message_key, change.message.address
        if address.thread_ts != address.message_ts:
            return False
        async with self._storing() as connection:
            if change.kind == "removal":
                await mode_store.forget(connection, key)
            else:
                await mode_store.wait_anew(connection, key, due_at=self._clock.now() + self._patience)
            known = await mode_store.handed(connection, key)
            if known and known["share_ts"]:
                await self._messenger.delete(address.channel, known["share_ts"])
                await mode_store.note_share(connection, key, None)
        return known is not None and known["unwanted_by"] is not None

    async def act(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Handle a click on a channel's card, or below an answer that nobody asked the bot for."""
        if pressed := await self._access_check.pressed(body):
            clicked = Placed(channel=pressed.place.channel, ts=Ts(body["container"]["message_ts"]))
            match pressed.id:
                case buttons.NOT_FOR_YOU:
                    said = await self._remove(pressed.value, pressed.place, clicked)
                case buttons.SHARE:
                    said = await self._share(pressed.value, pressed.place, clicked)
                case _:
                    said = await self._choose(pressed.value, pressed.place)
            self._access_check.post_ephemeral(pressed.place, said)
        await ack()

    async def _choose(self, wanted: str, place: Address) -> str:
        known: Choice | None = next((one for one in CHOICES if one == wanted), None)
        if known is None or not await self._is_member(place.person):
            return ONLY_MEMBERS
        async with self._storing() as connection:
            now = self._clock.now()
            current = await mode_store.mode_of(connection, place.channel, now=now)
            if current is None:
                return NOT_KNOWN
            after = chosen(current, known, by=place.person, now=now)
            await mode_store.save(connection, after, now=now)
        return NOT_YET if known == "on" and after.phase(now) == "shadow" else ""

    async def _is_member(self, person: PersonId) -> bool:
        try:
            return await self._access_check.people.account_type(person) == "member"
        except PersonLookupError:
            return False

    async def _remove(self, message_key: str, place: Address, clicked: Placed) -> str:
        now = self._clock.now()
        async with self._storing() as connection:
            is_its_answer = await mode_store.is_answered_by(connection, message_key, clicked)
            if not is_its_answer or not await mode_store.mark_unwanted(
                connection, message_key, by=place.person, now=now
            ):
                return NOT_KNOWN
        # As if its writer had deleted the question: the answer goes, and so does what was remembered of it.
        channel, _, ts = message_key.partition(":")
        question = Message(
            event_key=f"unwanted:{message_key}", message_key=message_key,
            address=replace(place, channel=ChannelId(channel), thread_ts=Ts(ts), message_ts=Ts(ts)),
            turn=Turn(question="", asker=place.person, addressed=False),
        )  # fmt: skip
        at = Ts(f"{now.timestamp():.6f}")
        await self._intake.change(Change(kind="removal", message=question, changed_at=at, of_known_only=True))
        return REMOVED

    async def _share(self, message_key: str, place: Address, clicked: Placed) -> str:
        """Post a copy of the answer below its question, once; only its asker may. Return what there is to say."""
        async with self._storing() as connection:
            # The row is held while Slack is called, so that two clicks post one copy.
            known = await mode_store.handed(connection, message_key)
            answer = await mode_store.answer_of(connection, clicked.channel, clicked.ts)
            if known is None or answer is None or known["person"] != place.person or known["unwanted_by"]:
                return NOT_YOURS
            if not await mode_store.is_answered_by(connection, message_key, clicked):
                return NOT_YOURS
            if known["share_ts"] is not None:
                return ""
            if len(answer.parts) > 1:
                return TOO_LONG
            key = f"share:{clicked.channel}:{clicked.ts}"
            try:
                shared_ts = await self._copied(connection, message_key, place, answer, key=key)
            except PostRefusedError as error:
                return OUTSIDERS_THERE if isinstance(error, ChannelSharedError) else NOT_THERE
            if shared_ts:
                await mode_store.note_share(connection, message_key, shared_ts)
        return "" if shared_ts else NOT_FOR_ALL

    async def _copied(
        self, connection: Connection, message_key: str, place: Address, answer: Answer, *, key: str
    ) -> Ts | None:
        """Return the copy's message; `None` if the channel may not read all that the answer rests on."""
        channel, _, asked_ts = message_key.partition(":")
        if there := await self._messenger.find_reply(channel, asked_ts, key):
            return there
        shown = await self._messenger.message(place.channel, answer.thread_ts, answer.parts[0])
        blocks: list[Block] = shown.get("blocks") or [] if shown else []
        if not blocks or not await self._may_read(connection, ChannelId(channel), rests_on(blocks)):
            return None
        blocks = shared_blocks(blocks, place.person)
        return await self._messenger.post(channel, text=SHARED, blocks=blocks, thread_ts=asked_ts, key=key)
