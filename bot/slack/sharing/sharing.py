"""Listeners for the buttons that tell an answer elsewhere: to its asker alone, and then, if they want, to a channel."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final, TypeAlias

import structlog

from bot.audience import Names
from bot.conversation.address import Address, NamesAt, PersonId, Placed, Ts
from bot.conversation.commands import family_store
from bot.conversation.inputs import Message
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.errors import ChannelSharedError, PersonLookupError, PostRefusedError, SlackError
from bot.postgres.pool import Connection
from bot.slack.blocks import buttons
from bot.slack.blocks.buttons import AskedHere
from bot.slack.blocks.elements import Block
from bot.slack.blocks.share_cards import (
    NOT_A_MEMBER,
    NOT_FOR_ALL,
    NOT_FOR_YOU_ANY_MORE,
    NOT_TAKEN,
    NOT_THERE,
    NOT_YOURS,
    OUTSIDERS_THERE,
    SHARED,
    TOLD_ALONE,
    TOO_LONG,
    rests_on,
    shared_blocks,
)
from bot.slack.channel_modes.mode_store import Storing
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.readers import in_direct_message
from bot.slack.sharing import share_store
from bot.slack.sharing.share_store import Shared
from graph.context import Clock
from graph.turn import Turn

MayRead: TypeAlias = Callable[[Connection, Names, Collection[int]], Awaitable[bool]]
"""Tells whether these names may read all these passages now, and they are as they were."""
_NOBODY: Final = Names()


class ShareListeners:
    """The listeners for answers that are told elsewhere. Each commits before it returns."""

    def __init__(
        self,
        storing: Storing,
        intake: Intake,
        access_check: AccessCheck,
        clock: Clock,
        *,
        names_of: NamesAt,
        may_read: MayRead,
    ) -> None:
        self._storing = storing
        self._intake = intake
        self._access_check = access_check
        self._messenger = access_check.messenger
        self._clock = clock
        self._names_of = names_of
        self._may_read = may_read

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click that asks for an answer alone, or that shares one."""
        if pressed := await self._access_check.pressed(body):
            if pressed.id == buttons.TELL_ALONE:
                said = await self._tell_alone(AskedHere.of_text(pressed.value), pressed.place)
            else:
                said = await self._share(pressed.place, pressed.message)
            self._access_check.post_ephemeral(pressed.place, said)

    async def take_back(self, message_key: str) -> None:
        """Delete the copy of a question's answer, if it was shared."""
        async with self._storing() as connection:
            await share_store.hold(connection, message_key)
            if copy := await share_store.standing(connection, message_key):
                await self._messenger.delete(copy.channel, copy.ts)
                await share_store.note_taken_back(connection, message_key, now=self._clock.now())

    async def _tell_alone(self, asked: AskedHere | None, place: Address) -> str:
        """Store the question once more, to be answered in a direct message; return what there is to say."""
        if asked is None:
            return ""
        key = f"{place.channel}:{asked.ts}"
        turn = Turn(question=asked.question, asker=place.person, addressed=True)
        here = Address(
            team=place.team,
            channel=place.channel,
            thread_ts=Ts(asked.thread_ts),
            message_ts=Ts(asked.ts),
            person=place.person,
            person_team=place.person_team,
        )
        alone = Message(event_key=key, message_key=key, address=here, turn=turn).told_alone
        return NOT_TAKEN if (await self._intake.ask_clicked(alone)).is_refused else TOLD_ALONE

    async def _share(self, place: Address, clicked: Placed) -> str:
        """Post a copy of the answer below its question, once; only its asker may. Return what there is to say."""
        own_names, own_channels = await self._rights_of(place.person)
        names_there = await self._names_there(clicked)
        async with self._storing() as connection:
            question = await family_store.question_of(connection, clicked)
            asked = question.address.asked_at if question else None
            if question is None or asked is None or asked.person != place.person:
                return NOT_YOURS
            if asked.channel not in own_channels:
                return NOT_A_MEMBER
            key = f"{asked.channel}:{asked.message_ts}"
            await share_store.hold(connection, key)
            if await share_store.standing(connection, key):
                return ""
            if len(await share_store.parts_of(connection, clicked)) > 1:
                return TOO_LONG
            return await self._share_checked(connection, question, clicked, (own_names, names_there))

    async def _rights_of(self, person: PersonId) -> tuple[Names, Collection[str]]:
        """Return under which names a person reads, and the channels that they are in, as Slack says at this moment."""
        try:
            names = await self._names_of(in_direct_message(person, self._access_check.people.me))
            return names, await self._messenger.channels_of(person)
        except (PersonLookupError, SlackError):
            return _NOBODY, ()

    async def _names_there(self, clicked: Placed) -> Names:
        """Return under which names all of the channel reads in which the question of an answer stands."""
        async with self._storing() as connection:
            question = await family_store.question_of(connection, clicked)
        try:
            return (
                await self._names_of(question.address.asked_at) if question and question.address.asked_at else _NOBODY
            )
        except PersonLookupError:
            return _NOBODY

    async def _share_checked(
        self, connection: Connection, question: Item, clicked: Placed, names: tuple[Names, Names]
    ) -> str:
        """Share an answer if its documents allow it; return what there is to say.

        The names are its sharer's, alone and in the channel.
        """
        own_names, names_there = names
        address = question.address
        asked = address.asked_at or address
        shown = await self._messenger.message(clicked.channel, address.thread_ts, clicked.ts)
        blocks: list[Block] = shown.get("blocks") or [] if shown else []
        cited = rests_on(blocks)
        is_open = await self._may_read(connection, names_there, cited)
        if not is_open and not address.alone:
            return NOT_FOR_ALL
        if not cited or not await self._may_read(connection, own_names, cited):
            return NOT_FOR_YOU_ANY_MORE
        documents = await share_store.documents_of(connection, cited)
        try:
            ts = await self._posted(asked, shared_blocks(blocks, asked.person, is_restricted=not is_open), clicked)
        except PostRefusedError as error:
            return OUTSIDERS_THERE if isinstance(error, ChannelSharedError) else NOT_THERE
        shared = Shared(
            channel=asked.channel,
            ts=ts,
            person=asked.person,
            documents=documents,
            is_restricted=not is_open,
            shared_at=self._clock.now(),
        )
        await share_store.note(connection, f"{asked.channel}:{asked.message_ts}", shared)
        structlog.get_logger().info(
            "answer_shared", channel=asked.channel, person=asked.person, documents=documents, restricted=not is_open
        )
        return ""

    async def _posted(self, asked: Address, blocks: list[Block], clicked: Placed) -> Ts:
        """Post the copy, once, and return its message."""
        key = f"share:{clicked.channel}:{clicked.ts}"
        there = await self._messenger.find(asked.channel, key, thread_ts=asked.thread_ts)
        return there or await self._messenger.post(
            asked.channel, text=SHARED, blocks=blocks, thread_ts=asked.thread_ts, key=key
        )
