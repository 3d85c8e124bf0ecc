"""Slack as the output that shows answers."""

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog

from bot.conversation.address import Address, Placed, Ts
from bot.conversation.contents import TurnContent
from bot.conversation.items import Item
from bot.conversation.message_kinds import Parts, Record, Shown
from bot.errors import SlackError, ThreadGoneError
from bot.slack.api.messenger import Messenger, read_message
from bot.slack.api.sessions import Sessions
from bot.slack.blocks.elements import section
from bot.slack.blocks.limit_notices import (
    ANSWERED_DIRECTLY,
    notice_place,
    why_directly,
)
from bot.slack.blocks.pages import draft_text
from bot.slack.blocks.view import View
from bot.slack.history import Unforgotten, earlier_remarks
from bot.slack.payloads.identity import spoken_by
from bot.slack.payloads.shapes import essence_in
from bot.slack.people.people import People
from bot.slack.presenter.multipart import WITHDRAWN, Destination
from bot.slack.presenter.presenter import AnswerPresenter, HeldPresenter
from graph.text.words import language_of
from graph.turn import Remark

NEWER_MESSAGES = 200


class SlackOutput:
    """Opens a presenter for each item, in the workspace of one installation."""

    def __init__(self, messenger: Messenger, people: People, unforgotten: Unforgotten | None = None) -> None:
        self._messenger = messenger
        self._people = people
        self._unforgotten = unforgotten
        self._sessions = Sessions(messenger)

    @asynccontextmanager
    async def presenter(
        self, item: Item, *, posted: Mapping[Shown, Parts], record: Record
    ) -> AsyncGenerator[AnswerPresenter]:
        """Open a presenter, which takes over the messages in `posted`."""
        address, turn = item.address, item.content.turn if isinstance(item.content, TurnContent) else None
        destination = Destination(messenger=self._messenger, address=address, reference=item.reference, record=record)
        # The message may not be meant for the bot: there is no status before an answer is sure.
        is_discreet = turn is not None and not turn.addressed
        opened = HeldPresenter if is_discreet and address.is_held else AnswerPresenter
        asked = address.asked_at or address
        view = View(
            asker=address.person,
            # Nobody wrote a question that a person clicked, so the answer names it.
            clicked=turn.question if turn and turn.is_follow_up else "",
            language=language_of(turn.question) if turn else "en",
            untagged=f"{asked.channel}:{asked.message_ts}" if address.untagged else "",
            is_shareable=address.asked_at is not None and (address.untagged or address.alone),
        )
        presenter = opened(destination, self._sessions, posted, is_discreet=is_discreet, view=view)
        try:
            yield presenter
        finally:
            await presenter.close()

    async def meet(self, address: Address, key: str) -> Address:
        """Begin a direct conversation with a link to the question, and say so beside it, unless it was begun."""
        channel = await self._messenger.open_direct(address.person)
        ts = await self._messenger.find(channel, key, oldest=address.message_ts)
        if ts is None:
            link = await self._messenger.permalink(address.channel, address.message_ts)
            said = why_directly(address, link)
            ts = await self._messenger.post(channel, text=said, blocks=[section(said)], key=key)
            if not (address.alone or address.untagged):
                await self._tell_beside(address)
        return replace(address, channel=channel, thread_ts=ts, message_ts=ts, asked_at=address)

    async def _tell_beside(self, address: Address) -> None:
        try:
            await self._messenger.post_ephemeral(notice_place(address), ANSWERED_DIRECTLY)
        except SlackError as error:
            structlog.get_logger().warning("private_answer_not_announced", error=str(error))

    async def unrecorded(self, address: Address, known: Collection[Ts]) -> Placed | None:
        """Find a message of ours, newer than the address's, that is not among the known ones; raise `SlackError`."""
        try:
            newer = await self._messenger.replies(
                address.channel, address.thread_ts, oldest=address.message_ts, limit=NEWER_MESSAGES
            )
        except ThreadGoneError:
            return None
        said = (message for one in newer if (message := read_message(one) or essence_in(one)))
        ours = (one.ts for one in said if spoken_by(one, self._people.me) == "us" and one.text != WITHDRAWN)
        unknown = (ts for ts in ours if ts not in known)
        lost = [ts for ts in unknown if float(ts) > float(address.message_ts)]
        return Placed(channel=address.channel, ts=Ts(lost[0])) if lost else None

    async def posted_text(self, address: Address, message: Parts) -> str:
        """Read the text of a message that an unfinished run has left; raise `SlackError`."""
        try:
            first, last = message[0], message[-1]
            found = await self._messenger.replies(
                first.channel, address.thread_ts, oldest=first.ts, latest=last.ts, limit=NEWER_MESSAGES
            )
        except ThreadGoneError:
            return ""
        ours = {placed.ts for placed in message}
        return "\n\n".join(draft_text(one) for one in found if one["ts"] in ours)

    async def earlier(self, address: Address) -> tuple[Remark, ...]:
        """Read the earlier messages of people in the thread; return none if Slack refuses."""
        try:
            said = await earlier_remarks(self._messenger, address, self._people)
        except SlackError as error:
            structlog.get_logger().warning("thread_not_read", error=str(error))
            return ()
        return await self._unforgotten(address, said) if said and self._unforgotten else said
