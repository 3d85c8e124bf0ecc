"""Access to our buttons: only people whom the bot serves, where no other company reads. Others are told privately."""

import asyncio
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import structlog

from bot.audience import EVERYONE, channel_name
from bot.conversation.address import Address, PersonId
from bot.errors import PostRefusedError, SlackError
from bot.markup import display_name
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger, read_message
from bot.slack.blocks.cards import BUTTON_OUT_OF_DATE, NOT_KNOWN_WHO_READS, NOT_SERVED, SHARED
from bot.slack.blocks.elements import Block, section
from bot.slack.blocks.modal_responses import form_response, out_of_date
from bot.slack.payloads.actions import Pressed, Submitted, read_press, read_submission
from bot.slack.payloads.identity import is_from_elsewhere
from bot.slack.payloads.shapes import Entries, Payload, SlackMessage
from bot.slack.people.people import People
from graph.context import Clock

Answer = TypeVar("Answer")
ButtonTable: TypeAlias = Mapping[str, Callable[[Pressed], Awaitable[str | None]]]
"""What is done at a press of each button, by its kind. What it returns, if anything, is told to the person."""

_LONGEST_KIND: Final = 40
PATIENCE_SECONDS: Final = 1.0
"""How long a click waits for what Slack says of its channel, its message or a name. The person was checked before,
within 1.5 seconds.
"""


def click_timeout() -> asyncio.Timeout:
    """Return the time limit for what a click waits for."""
    return asyncio.timeout(PATIENCE_SECONDS)


async def in_time(answer: Awaitable[Answer]) -> Answer | None:
    """Return what Slack answers; `None` if it refuses, or does not answer within the time limit of a click."""
    try:
        async with click_timeout():
            return await answer
    except (SlackError, TimeoutError):
        return None


async def _out_of_date(pressed: Pressed) -> str:
    structlog.get_logger().info("unknown_button_pressed", kind=pressed.kind[:_LONGEST_KIND])
    return BUTTON_OUT_OF_DATE


class AccessCheck:
    """The access check before the listeners of one workspace, and what else they ask Slack and tell people."""

    def __init__(self, people: People, messenger: Messenger, tasks: BackgroundTasks, clock: Clock) -> None:
        self.clock = clock
        """Stamps what Slack sends without a time."""
        self.people = people
        self.messenger = messenger
        self.tasks = tasks

    async def take(
        self,
        body: Payload,
        listeners: ButtonTable,
        *,
        for_anywhere: Container[str] = (),
        told_at: Callable[[Address], Address] = lambda place: place,
    ) -> None:
        """Hand a press to its button's listener; if it is refused, tell its person instead.

        The buttons `for_anywhere` also count where another company reads. `told_at` returns where the person of a press
        is told of it. A card of another version may have a button that is unknown here.
        """
        pressed = read_press(body, self.people.me)
        listen = listeners.get(pressed.kind, _out_of_date)
        place = told_at(pressed.place)
        if not await self.refuse(place, is_for_anywhere=pressed.kind in for_anywhere):
            self.tell(place, await listen(pressed) or "")

    async def submit(
        self,
        body: Payload,
        take: Callable[[Submitted], Awaitable[str]],
        *,
        respond: Callable[[Entries, str], dict[str, Any]] = form_response,
        is_for_anywhere: bool = False,
    ) -> dict[str, Any]:
        """Hand a modal to `take`, and return how it is acknowledged: as `respond` says of what `take` returns.

        A modal that is refused stays open and says why: its person may have written for minutes.
        """
        sent = read_submission(body, self.people.me)
        if sent is None:
            return out_of_date(body)
        if why := await self._why_refused(sent.place, is_for_anywhere=is_for_anywhere):
            return form_response(sent.values, why)
        return respond(sent.values, await take(sent))

    async def refuse(self, place: Address, *, is_for_anywhere: bool = False) -> bool:
        """Refuse a click of somebody whom the bot does not serve, and tell that person; return whether so."""
        why = await self._why_refused(place, is_for_anywhere=is_for_anywhere)
        self.tell(place, why)
        return bool(why)

    async def _why_refused(self, place: Address, *, is_for_anywhere: bool) -> str:
        """Return what somebody is told whose click, or modal, does not count.

        Unless the click is for anywhere, it counts only in a channel that no other company reads.
        """
        is_away = is_from_elsewhere(place, self.people.me)
        why = "stranger" if is_away else await self.people.access(place.person)
        if why == "granted":
            return "" if is_for_anywhere else await self._why_not_here(place)
        structlog.get_logger().info("click_refused", channel=place.channel, why=why)
        return NOT_SERVED[why]

    async def is_administrator(self, person: PersonId) -> bool:
        """Ask Slack whether a person administers the workspace; if Slack does not say so soon, they do not."""
        user = await in_time(self.messenger.user(person)) or {}
        return any(user.get(sign) is True for sign in ("is_admin", "is_owner", "is_primary_owner"))

    async def name_of(self, person: PersonId) -> str:
        """Return how a person is called; their id if Slack does not say it in time."""
        user = await in_time(self.messenger.user(person)) or {}
        return display_name(user) or person

    async def audience_of(self, channel: str) -> str:
        """Return who may read what stands in a channel: everyone if all members may open it, else its people."""
        try:
            async with click_timeout():
                is_public = await self.messenger.is_public(channel)
        except (SlackError, TimeoutError) as error:
            structlog.get_logger().warning("channel_not_read", channel=channel, error=str(error))
            is_public = False
        return EVERYONE if is_public else channel_name(channel)

    async def message(self, channel: str, thread_ts: str, ts: str) -> SlackMessage | None:
        """Return a message's current content; `None` if it is gone, or if Slack does not show it soon."""
        found = await in_time(self.messenger.message(channel, thread_ts, ts))
        return read_message(found) if found else None

    def tell(self, place: Address, text: str, blocks: Sequence[Block] = ()) -> None:
        """Tell a person something in private, in the background; an empty text says nothing."""
        if text:
            self.tasks.run(self._tell(place, text, blocks))

    def update(self, pressed: Pressed, blocks: Sequence[Block]) -> None:
        """Update the message with the button in the background."""
        shown = pressed.message
        self.tasks.run(self.messenger.update(shown.channel, shown.ts, text=pressed.text, blocks=blocks))

    async def _tell(self, place: Address, text: str, blocks: Sequence[Block]) -> None:
        """Tell a person in an ephemeral message; in a direct message if the bot cannot write there."""
        try:
            await self.messenger.post_ephemeral(place, text, blocks)
        except PostRefusedError as error:
            structlog.get_logger().info("told_directly", channel=place.channel, error=str(error))
            channel = await self.messenger.open_direct(place.person)
            await self.messenger.post(channel, text=text, blocks=blocks or [section(text)])

    async def _why_not_here(self, place: Address) -> str:
        try:
            async with click_timeout():
                return SHARED if await self.messenger.shared.include(place.channel, is_patient=False) else ""
        except (SlackError, TimeoutError) as error:
            structlog.get_logger().warning("channel_not_checked", channel=place.channel, error=str(error))
            return NOT_KNOWN_WHO_READS
