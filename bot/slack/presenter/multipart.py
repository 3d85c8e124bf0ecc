"""A message of ours in one or several Slack messages: the places of its parts, and their content."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.conversation.address import Address, Placed, Ts
from bot.conversation.message_kinds import Record, Shown
from bot.errors import ChannelSharedError, MessageKeptError, PostRefusedError
from bot.slack.api.messenger import Messenger
from bot.slack.blocks.answers import misplaced_block
from bot.slack.blocks.elements import section
from bot.slack.blocks.pages import Page

WITHDRAWN: Final = "This was withdrawn."
"""The text of a surplus message that Slack refuses to delete."""


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where the messages of a run go, and who takes note of them."""

    messenger: Messenger
    address: Address
    reference: str
    """What a person quotes to an administrator; posts are found again by it."""
    record: Record


class MultipartMessage:
    """The parts of one message, in order. Each is rewritten in its place; surplus parts are deleted."""

    def __init__(self, destination: Destination, placed: Sequence[Placed]) -> None:
        self._messenger = destination.messenger
        self._address = destination.address
        self._reference = destination.reference
        self._record = destination.record
        # Each part once: an answer that is taken over may be recorded for two items, and surplus parts are deleted.
        self._placed = list(dict.fromkeys(placed))
        self._taken_over = len(self._placed)
        self._shows: dict[Ts, Page] = {}
        self._kept: tuple[Shown, tuple[Placed, ...]] | None = None
        self.was_posted = False
        """Whether a part of it was posted in the thread, which takes the status away."""

    @property
    def last(self) -> Placed | None:
        """The place of the last part; `None` if nothing is posted."""
        return self._placed[-1] if self._placed else None

    @property
    def newest(self) -> Placed | None:
        """The place of the part that was posted last. Only this part may be an open stream."""
        return max(self._placed, key=lambda placed: float(placed.ts), default=None)

    async def add(self, ts: Ts) -> None:
        """Add a part that was opened as a stream."""
        self.was_posted = True
        self._placed.append(Placed(channel=self._address.channel, ts=ts))
        await self._keep("answer")

    async def draft(self, pages: Sequence[Page]) -> bool:
        """Show an unfinished answer; return `False` if Slack has no room for all changes."""
        for number, page in enumerate(pages):
            if number == len(self._placed):
                await self._post(page, "answer")
            elif not await self._redraft(self._placed[number], page):
                return False
        await self._leave_nothing_twice(len(pages))
        return True

    async def write(self, kind: Shown, pages: Sequence[Page]) -> None:
        """Replace the text for good; post a direct message if Slack refuses the thread."""
        if self._address.is_in_company:
            await self._write_directly(kind, pages, is_shared=True)
            return
        try:
            for number, page in enumerate(pages):
                await self._put(number, page, kind)
        except PostRefusedError as error:
            await self._write_directly(kind, pages, is_shared=isinstance(error, ChannelSharedError))
        else:
            await self._cut(len(pages))
            await self._keep(kind)

    async def remove(self) -> None:
        """Delete all parts; raise `SlackError` if Slack does not confirm it."""
        if self._placed:
            await self._cut(0)
            await self._keep("answer")

    async def _put(self, number: int, page: Page, kind: Shown) -> None:
        if number < len(self._placed) and await self._rewrite(self._placed[number], page):
            return
        # Somebody deleted this part, so it and the later ones are posted again. Or nothing may be written here; then
        # the post is refused, too.
        await self._cut(number)
        await self._post(page, kind)

    async def _rewrite(self, placed: Placed, page: Page) -> bool:
        if self._shows.get(placed.ts) != page:
            try:
                await self._messenger.update(placed.channel, placed.ts, text=page.text, blocks=page.blocks)
            except PostRefusedError:
                return False
            self._shows[placed.ts] = page
        return True

    async def _redraft(self, placed: Placed, page: Page) -> bool:
        if self._shows.get(placed.ts) == page:
            return True
        if not await self._messenger.pace.may("chat.update"):
            return False
        await self._messenger.update(placed.channel, placed.ts, text=page.text, blocks=page.blocks, is_draft=True)
        self._shows[placed.ts] = page
        return True

    async def _post(self, page: Page, kind: Shown) -> None:
        # A message that continues an answer continues at its place.
        channel = self._placed[0].channel if self._placed else self._address.channel
        if channel == self._address.channel:
            thread_ts = self._address.thread_ts
            ts = await self._messenger.post(channel, text=page.text, blocks=page.blocks, thread_ts=thread_ts)
            self.was_posted = True
        else:
            ts = await self._post_directly(channel, page, kind)
        self._shows[ts] = page
        self._placed.append(Placed(channel=channel, ts=ts))
        await self._keep(kind)

    async def _write_directly(self, kind: Shown, pages: Sequence[Page], *, is_shared: bool) -> None:
        channel = await self._messenger.open_direct(self._address.person)
        self._placed = []
        for number, page in enumerate(pages):
            explained = [misplaced_block(self._address.channel, is_shared=is_shared)] if number == 0 else []
            ts = await self._post_directly(channel, replace(page, blocks=[*explained, *page.blocks]), kind)
            self._placed.append(Placed(channel=channel, ts=ts))
            await self._keep(kind)

    async def _post_directly(self, channel: str, page: Page, kind: Shown) -> Ts:
        """Post a part to a person; rewrite it if a dead run has posted it without recording it.

        In a thread such a part is found as an unrecorded message of ours. Without a thread, only its key identifies it.
        """
        key = f"{self._reference}-{'answer' if kind == 'failure' else kind}-{len(self._placed)}"
        lost = await self._messenger.find(channel, key, oldest=self._address.message_ts)
        if lost is None:
            return await self._messenger.post(channel, text=page.text, blocks=page.blocks, key=key)
        await self._messenger.update(channel, lost, text=page.text, blocks=page.blocks)
        return lost

    async def _leave_nothing_twice(self, count: int) -> None:
        """Delete parts of this run that the new text repeats or no longer has; leave another run's parts."""
        if len(self._placed) > (count := max(count, self._taken_over)):
            await self._cut(count)
            await self._keep("answer")

    async def _cut(self, count: int) -> None:
        while len(self._placed) > count:
            placed = self._placed[-1]
            with suppress(PostRefusedError):
                await self._take_away(placed)
            self._placed.pop()

    async def _take_away(self, placed: Placed) -> None:
        try:
            await self._messenger.delete(placed.channel, placed.ts)
        except MessageKeptError:
            # Slack keeps the message, so its text at least says that it is no answer.
            await self._messenger.update(placed.channel, placed.ts, text=WITHDRAWN, blocks=[section(WITHDRAWN)])

    async def _keep(self, kind: Shown) -> None:
        # Update it even if only the kind is new: a former failure may show an answer now, which people rate.
        kept = kind, tuple(self._placed)
        if kept != self._kept:
            self._kept = kept
            await self._record(*kept)
