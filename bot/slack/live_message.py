"""The one message that a run shows itself in, in the best way that Slack allows at the moment.

unopened ──▶ streaming ──▶ rewriting      a stream was refused, closed or is no longer true
         ├─▶ rewriting                    streams are refused, or an earlier attempt's message is taken over
         └─▶ whole                        too many answers at once, or Slack is busy: it appears when it is done
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import structlog

from bot.address import Address, ChannelId, Placed, Ts
from bot.errors import PostRefusedError, SlackBusyError, SlackError, StreamRefusedError
from bot.shown import Record, Shown
from bot.slack.blocks import (
    Block,
    answer_blocks,
    answer_text,
    closing_blocks,
    draft_blocks,
    misplaced_block,
    notification,
)
from bot.slack.chunks import Streamed, fits_a_stream, news
from bot.slack.messenger import Messenger
from bot.slack.view import View
from bot.slack.web_api import MaybeHeardError


class LiveMessage:
    """A message that grows, or is written anew, but is never a second one."""

    def __init__(self, messenger: Messenger, address: Address, record: Record, *, placed: Placed | None) -> None:
        self._messenger = messenger
        self._address = address
        self._record = record
        self._placed = placed
        self._kept: Shown | None = None
        self._streamed = Streamed()
        self.way: Literal["unopened", "streaming", "rewriting", "whole"] = "unopened"

    @property
    def is_open(self) -> bool:
        """Whether people see the message."""
        return self._placed is not None

    @property
    def pause_seconds(self) -> float:
        """How long to wait between two looks at what is new."""
        pace = self._messenger.pace
        return pace.rewrite_seconds if self.way == "rewriting" else pace.append_seconds

    async def show(self, view: View) -> bool:
        """Show an unfinished answer; return False where there is more to show than Slack takes just now.

        Raises `MaybeHeardError` where nobody knows whether the message was opened.
        """
        try:
            if self._placed is not None:
                return await self._show_more(self._placed, view)
            if view.worth_a_message and self.way == "unopened":
                await self._open(view)
        except SlackBusyError:
            structlog.get_logger().info("draft_left_out", way=self.way)
            return self.way == "whole"
        except SlackError as error:
            if self._placed is None and isinstance(error, MaybeHeardError):
                # It may stand there, unknown to us: the next attempt looks for it.
                raise
            structlog.get_logger().warning("draft_not_shown", way=self.way, error=str(error))
        return True

    async def finish(self, view: View) -> None:
        """Show the whole answer; raise `SlackError` where even a direct message is refused."""
        if self._placed is not None and self.way == "streaming" and await self._close_with(self._placed, view):
            return
        await self.write("answer", text=notification(answer_text(view)), blocks=answer_blocks(view))

    async def write(self, kind: Shown, *, text: str, blocks: Sequence[Block]) -> None:
        """Let the message say something else, for good; a direct message, where Slack refuses it here."""
        await self.close_stream()
        ways = [*([self._rewrite] if self._placed else []), self._post, self._post_directly]
        for write in ways[:-1]:
            with suppress(PostRefusedError):
                return await write(text, blocks, kind)
        return await ways[-1](text, blocks, kind)

    async def remove(self) -> None:
        """Take the message away, where there is one; raise `SlackError` where Slack does not say that it is gone."""
        placed = self._placed
        if placed is None:
            return
        await self.close_stream()
        with suppress(PostRefusedError):
            await self._messenger.delete(placed.channel, placed.ts)
        self._placed = None

    async def close_stream(self) -> None:
        """Close the stream, ours or that of an attempt that died: while it is open it refuses other changes."""
        if self._placed is not None and self.way in ("unopened", "streaming"):
            self.way = "rewriting"
            with suppress(SlackError):
                await self._messenger.stop_stream(self._placed.channel, self._placed.ts)

    async def _open(self, view: View) -> None:
        # Until something was opened: a refusal of any kind leaves the answer to appear whole.
        self.way = "whole"
        first = news(Streamed(), view)
        if first is None or not await self._messenger.pace.may_stream():
            return
        chunks, streamed = first
        try:
            ts = await self._messenger.start_stream(self._address, chunks)
        except StreamRefusedError:
            await self._post(notification(view.status), draft_blocks(view), "answer")
            self.way = "rewriting"
        else:
            self.way, self._streamed = "streaming", streamed
            await self._keep(self._address.channel, ts, "answer")

    async def _show_more(self, placed: Placed, view: View) -> bool:
        if self.way == "streaming":
            more = news(self._streamed, view)
            if more is not None:
                return await self._append(placed, *more)
            await self.close_stream()
        if not self._messenger.pace.has_room("chat.update"):
            return False
        text = notification(view.status)
        await self._messenger.update(placed.channel, placed.ts, text=text, blocks=draft_blocks(view), is_draft=True)
        return True

    async def _append(self, placed: Placed, chunks: Sequence[Block], streamed: Streamed) -> bool:
        if not chunks:
            return True
        if not self._messenger.pace.has_room("chat.appendStream"):
            return False
        try:
            await self._messenger.append(placed.channel, placed.ts, chunks)
        except StreamRefusedError:
            self.way = "rewriting"
            return False
        self._streamed = streamed
        return True

    async def _close_with(self, placed: Placed, view: View) -> bool:
        last = news(self._streamed, view) if fits_a_stream(view) else None
        if last is None:
            return False
        self.way = "rewriting"
        try:
            await self._messenger.stop_stream(placed.channel, placed.ts, chunks=last[0], blocks=closing_blocks(view))
        except (StreamRefusedError, PostRefusedError):
            return False
        return True

    async def _rewrite(self, text: str, blocks: Sequence[Block], kind: Shown) -> None:
        assert self._placed is not None
        await self._messenger.update(self._placed.channel, self._placed.ts, text=text, blocks=blocks)
        if kind != self._kept:
            # What showed a failure may show an answer now, which people rate.
            await self._keep(self._placed.channel, self._placed.ts, kind)

    async def _post(self, text: str, blocks: Sequence[Block], kind: Shown) -> None:
        channel = self._address.channel
        ts = await self._messenger.post(channel, text=text, blocks=blocks, thread_ts=self._address.thread_ts)
        await self._keep(channel, ts, kind)

    async def _post_directly(self, text: str, blocks: Sequence[Block], kind: Shown) -> None:
        channel = await self._messenger.open_direct(self._address.person)
        explained = [misplaced_block(self._address.channel), *blocks]
        await self._keep(channel, await self._messenger.post(channel, text=text, blocks=explained), kind)

    async def _keep(self, channel: ChannelId, ts: Ts, kind: Shown) -> None:
        self._placed, self._kept = Placed(channel=channel, ts=ts), kind
        await self._record(kind, channel, ts)
