"""The message that shows a run, in the best way that Slack allows at the moment.

unopened ──▶ streaming ──▶ rewriting      a stream was refused, or is full, old or no longer true
         ├─▶ rewriting                    streams are refused, or an earlier attempt's message is taken over
         └─▶ whole                        too many answers at once, or Slack is busy: it appears when it is done

A stream is one message. A long answer goes on in further messages, and is rewritten from there on.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import structlog

from bot.conversation.address import Placed
from bot.conversation.message_kinds import Shown
from bot.errors import (
    OutcomeUnknownError,
    PostRefusedError,
    SlackBusyError,
    SlackError,
    StreamRefusedError,
    StreamStoppedError,
)
from bot.slack.api.sessions import Session
from bot.slack.blocks.answers import closing_blocks
from bot.slack.blocks.elements import Block
from bot.slack.blocks.pages import Page, answer_pages, draft_pages
from bot.slack.blocks.view import View
from bot.slack.presenter.multipart import Destination, MultipartMessage
from bot.slack.presenter.stream_diff import Streamed, StreamUpdate, update_of


class LiveMessage:
    """A message that grows or is rewritten, but is never posted twice.

    With `keeps_text` it keeps the text of an earlier run until there is new text.
    """

    def __init__(
        self, destination: Destination, placed: Sequence[Placed], session: Session, *, keeps_text: bool = False
    ) -> None:
        self._messenger = destination.messenger
        self._address = destination.address
        self._parts = MultipartMessage(destination, placed)
        self._session = session
        self._streamed = Streamed()
        self._streaming_since = 0.0
        self._keeps_text = keeps_text
        self.is_stopped = False
        """Whether a person has stopped the stream. Then nothing more is written."""
        self.way: Literal["unopened", "streaming", "rewriting", "whole"] = "unopened"

    @property
    def is_open(self) -> bool:
        """Whether people see the message."""
        return self._parts.last is not None

    @property
    def shows_steps(self) -> bool:
        """Whether the message shows the steps, so that no status is needed."""
        return self.is_open and not self._keeps_text

    @property
    def was_posted(self) -> bool:
        """Whether something was posted in the thread, which takes the status away."""
        return self._parts.was_posted

    @property
    def pause_seconds(self) -> float:
        """The pause between two updates."""
        pace = self._messenger.pace
        return pace.rewrite_seconds if self.way == "rewriting" else pace.append_seconds

    @property
    def patience_seconds(self) -> float | None:
        """How long the message may stay unchanged; `None` if it is not streamed."""
        return max(0.0, self._messenger.pace.stream_seconds - self._age_seconds) if self.way == "streaming" else None

    async def show(self, view: View) -> bool:
        """Show an unfinished answer; return `False` if Slack does not accept all of it now.

        Raises `OutcomeUnknownError` if it is unknown whether Slack opened the message.
        """
        try:
            if self.is_stopped or (self._keeps_text and not view.text):
                return True
            if self.is_open:
                return await self._show_more(view)
            if view.worth_a_message and self.way == "unopened":
                return await self._open(view)
        except StreamStoppedError:
            self.is_stopped = True
        except SlackBusyError:
            structlog.get_logger().info("draft_skipped", way=self.way)
            return self.way == "whole"
        except SlackError as error:
            if not self.is_open and isinstance(error, OutcomeUnknownError):
                # Slack may have posted it. The next attempt searches for it.
                raise
            structlog.get_logger().warning("draft_not_shown", way=self.way, error=str(error))
        return True

    async def finish(self, view: View) -> None:
        """Show the whole answer.

        Raises `StreamStoppedError`, or `SlackError` if Slack also refuses a direct message.
        """
        if self.is_stopped:
            raise StreamStoppedError
        if self.way == "streaming" and await self._close_with(view):
            return
        await self.leave_stream()
        await self._parts.write("answer", answer_pages(view))

    async def write(self, kind: Shown, *, text: str, blocks: Sequence[Block]) -> None:
        """Replace the text for good; post a direct message if Slack refuses the thread."""
        await self.write_pages(kind, [Page(text=text, blocks=blocks)])

    async def write_pages(self, kind: Shown, pages: Sequence[Page]) -> None:
        """Replace the text for good by several pages."""
        await self.close_stream()
        await self._parts.write(kind, pages)

    async def remove(self) -> None:
        """Delete the message, if there is one. Raises `SlackError` if Slack does not confirm it."""
        await self.close_stream()
        await self._parts.remove()

    async def close_stream(self) -> None:
        """Close the stream, ours or a dead attempt's, because an open stream refuses other changes."""
        with suppress(StreamStoppedError):
            await self.leave_stream()

    async def leave_stream(self) -> None:
        """Close the stream to rewrite its message. Raises `StreamStoppedError` if a person has stopped it."""
        if self.is_stopped:
            raise StreamStoppedError
        newest = self._parts.newest
        if newest is None or self.way not in ("unopened", "streaming"):
            return
        self.way = "rewriting"
        try:
            await self._messenger.stop_stream(newest.channel, newest.ts)
        except StreamStoppedError:
            raise
        except SlackError:
            # Slack may have closed it already; if it has not, it refuses the update that follows.
            return

    async def _open(self, view: View) -> bool:
        # Until something was opened, any refusal means that the answer appears as a whole.
        self.way = "whole"
        first = update_of(Streamed(), view)
        if (first and not first.chunks) or not await self._messenger.pace.may_stream():
            return True
        if first and await self._is_started(first):
            return True
        is_shown = await self._draft(view)
        self.way = "rewriting"
        return is_shown

    async def _is_started(self, first: StreamUpdate) -> bool:
        """Start the stream; return whether Slack accepts it."""
        # Set before the call, because Slack counts from the call's arrival.
        self._streaming_since = self._messenger.pace.now()
        with suppress(StreamRefusedError):
            ts = await self._messenger.start_stream(self._address, first.chunks)
            self.way, self._streamed = "streaming", first.shown
            await self._parts.add(ts)
            return True
        return False

    async def _show_more(self, view: View) -> bool:
        more = update_of(self._streamed, view) if self.way == "streaming" else None
        if more is None or self._age_seconds >= self._messenger.pace.stream_seconds:
            await self.leave_stream()
            return await self._draft(view)
        return await self._append(more)

    async def _draft(self, view: View) -> bool:
        is_shown = await self._parts.draft(draft_pages(view))
        self._keeps_text = self._keeps_text and not is_shown
        return is_shown

    async def _append(self, more: StreamUpdate) -> bool:
        if not more.chunks:
            return True
        last = self._parts.last
        assert last is not None
        if not await self._messenger.pace.may("chat.appendStream"):
            return False
        # Not earlier: most answers that are complete at once are not worth this call.
        self._session.work()
        try:
            await self._messenger.append(last.channel, last.ts, more.chunks)
        except StreamRefusedError:
            self.way = "rewriting"
            return False
        self._streamed = more.shown
        return True

    async def _close_with(self, view: View) -> bool:
        """Show the whole answer at the end of the stream; return `False` if the stream cannot show it."""
        more, last = update_of(self._streamed, view), self._parts.last
        if more is None or last is None:
            return False
        state = self._session.closing_state
        try:
            await self._messenger.stop_stream(
                last.channel, last.ts, chunks=more.chunks, blocks=closing_blocks(view), session=state
            )
        except (StreamRefusedError, PostRefusedError):
            # Slack may have closed the stream, or refuses what we add to an open one.
            return False
        self.way = "rewriting"
        if state:
            self._session.closed_with_stream()
        return True

    @property
    def _age_seconds(self) -> float:
        return self._messenger.pace.now() - self._streaming_since
