"""Shows a run: folds its events into a view, and lets one message follow the view at Slack's pace."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeAlias

import structlog

from bot.conversation.address import PersonId, Placed
from bot.conversation.message_kinds import (
    AssumptionBanner,
    CardOutcome,
    MessageRefused,
    PartialAnswer,
    Shown,
)
from bot.errors import SlackError, StreamStoppedError
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.sessions import Session, Sessions
from bot.slack.blocks.answers import dismissal_blocks, failure_blocks
from bot.slack.blocks.cards import approval_card, open_card, outcome_card, reminder
from bot.slack.blocks.elements import Block, notification, section
from bot.slack.blocks.limit_notices import KNOWS_MORE, knows_more_blocks, notice_blocks, notice_place, refusal_text
from bot.slack.blocks.markdown import escaped
from bot.slack.blocks.pages import stopped_pages
from bot.slack.blocks.review_cards import UNDER_REVIEW
from bot.slack.blocks.view import View, fold
from bot.slack.presenter.live_message import LiveMessage
from bot.slack.presenter.multipart import Destination
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    ReviewRequested,
    SilenceKept,
)

_STATUS_LIMIT: Final = 100
_TASKS_SECONDS: Final = 15.0
"""The longest wait for background updates at the end of a run, so that a refused card cannot fail the run."""


Posted: TypeAlias = Mapping[Shown, Sequence[Placed]]
"""The messages that earlier attempts at an item have posted, in parts."""


class AnswerPresenter:
    """Shows one run to a person, from the first status to the final answer."""

    def __init__(
        self,
        destination: Destination,
        sessions: Sessions,
        posted: Posted | None = None,
        *,
        is_discreet: bool = False,
        view: View | None = None,
    ) -> None:
        """Take over what earlier attempts at the item have posted, in parts.

        `is_discreet` is for messages that may not be meant for the bot: they get no status before an answer is sure.
        """
        self._destination = destination
        self._messenger = destination.messenger
        self._address = destination.address
        self._reference = destination.reference
        self._is_discreet = is_discreet
        self._tasks = BackgroundTasks()
        self._session = Session(sessions, self._address, self._tasks)
        # A retried run answers in place of its failure. If it answers elsewhere, the failure is deleted.
        posted = posted or {}
        answer = posted.get("answer", ())
        # Somebody may be reading an answer, but a failure should disappear at once.
        self._message = self._live([*answer, *posted.get("failure", ())], keeps_text=bool(answer))
        self._card = self._live(posted.get("card", ()))
        self._view = view or View()
        self._status = ""
        self._status_until = 0.0
        self._news = asyncio.Event()
        self._is_over = asyncio.Event()
        self._follower: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._is_closed = False

    async def begin(self) -> None:
        """Show a status at once, in the background, and take over the messages of an earlier attempt."""
        if self._message.is_open:
            self._session.take_over()
        await self._message.close_stream()
        self._news.set()
        self._follower = asyncio.create_task(self._follow(), name=f"show {self._reference}")

    async def show(self, event: AnswerEvent) -> None:
        """Show an event. Only the last event is shown before this returns.

        Raises `StreamStoppedError` if a person has stopped the stream.
        """
        if self._message.is_stopped:
            raise StreamStoppedError
        self._view = fold(self._view, event)
        match event:
            case AnswerCompleted():
                await self._stop_following()
                await self._to_the_end(self._message.finish(self._view))
                if event.knows_more:
                    self._tasks.run(self._notify(KNOWS_MORE, knows_more_blocks(self._address, event.knows_more)))
                await self._clear_status()
            case ReviewRequested():
                await self._stop_following()
                await self._to_the_end(self._message.leave_stream())
                text = notification(UNDER_REVIEW)
                await self._to_the_end(self._message.write("answer", text=text, blocks=[section(UNDER_REVIEW)]))
                await self._clear_status()
            case SilenceKept():
                await self._stop_following()
                # If an edit turned the question into talk, its earlier answer is still here.
                await self._message.remove()
                await self._clear_status()
            case ClarificationRequested():
                # Its card comes later. If Slack may have our message without our knowing, the run must fail before.
                await self._stop_following()
                await self._to_the_end(self._message.leave_stream())
            case _:
                self._news.set()

    async def ask(self, token: str, event: ClarificationRequested) -> None:
        """Post the card, or update the posted one. Its buttons carry `token`."""
        await self._stop_following()
        labels = " / ".join(option.label for option in event.options)
        text = notification(f"{event.question} {labels}")
        # A message that already shows steps becomes the card; otherwise the card is a message of its own.
        target = self._message if self._message.is_open and not self._card.is_open else self._card
        if event.change:
            blocks = approval_card(token, event.question, event.asker)
        else:
            blocks = open_card(token, event.question, event.options)
        await self._to_the_end(target.write("card", text=text, blocks=blocks))
        if target is self._card:
            # If an edit made an answered question ambiguous again, its answer no longer counts.
            await self._message.remove()
        self._session.suspend()
        await self._clear_status()

    async def show_outcome(self, card: Placed, token: str, asked: ClarificationRequested, outcome: CardOutcome) -> None:
        """Show the outcome on a card, in the background: the answer does not wait for it."""
        if outcome.how == "answered":
            self._session.work()
        else:
            self._session.take_over()
        blocks = outcome_card(token, asked.question, asked.options, outcome)
        self._tasks.run(self._messenger.update(card.channel, card.ts, text=notification(asked.question), blocks=blocks))

    def set_banner(self, banner: AssumptionBanner) -> None:
        """Name the assumed interpretation below the answer when the answer is complete."""
        self._view = replace(self._view, banner=banner)

    async def remind(self, asker: PersonId, question: str, *, until: datetime) -> None:
        """Remind the asker of an open question, in a message of its own."""
        await self._message.write(
            "reminder", text=notification(f"Still waiting: {question}"), blocks=reminder(asker, question, until=until)
        )

    async def remove(self, message: Placed) -> None:
        """Delete one of our messages; raise `SlackError` if Slack does not confirm it."""
        await self._live([message]).remove()

    async def stop(self, said: PartialAnswer, *, by: PersonId | None) -> None:
        """Show the partial answer and who stopped it; show nothing of a run that nobody was to notice."""
        if self._is_hidden and not self._message.is_open:
            return
        self._session.take_over()
        await self._message.write_pages("answer", stopped_pages(said, by=by, reference=self._reference))

    async def refuse(self, refused: MessageRefused) -> None:
        """Post an ephemeral notice that the message was refused. If Slack refuses the notice, post it in the thread.

        A notice that tells something about a person is never posted in the thread.
        """
        text = refusal_text(refused)
        try:
            await self._notify(text, notice_blocks(refused, self._address))
        except SlackError:
            if refused.is_about_its_person:
                raise
            await self._message.write("answer", text=text, blocks=[section(text)])

    async def tell(self, text: str) -> None:
        """Post an ephemeral message."""
        await self._notify(escaped(text))

    async def dismiss(self, reason: str) -> None:
        """Say why there will be no answer, with the reference and without a way to retry."""
        await self._stop_following()
        await self._message.write(
            "failure", text=notification(reason), blocks=dismissal_blocks(reason, self._reference)
        )

    async def fail(self, reason: str) -> None:
        """Say what went wrong, with the reference and Retry."""
        await self._stop_following()
        text = notification(f"{reason} (reference {self._reference})")
        try:
            await self._message.write("failure", text=text, blocks=failure_blocks(reason, self._reference))
        except SlackError:
            if not self._address.is_in_company:
                raise
            await self._notify(text)
        await self._clear_status()

    async def close(self) -> None:
        """Stop all tasks, and close a stream that would look unfinished; once."""
        if self._is_closed:
            return
        # The same error has already failed the run.
        await asyncio.gather(self._stop_following(), return_exceptions=True)
        if self._ending is not None:
            await asyncio.gather(self._ending, return_exceptions=True)
        if self._message.way == "streaming":
            await self._message.close_stream()
        await self._clear_status()
        self._session.close()
        await self._tasks.finish(within_seconds=_TASKS_SECONDS)
        self._is_closed = True

    @property
    def _is_hidden(self) -> bool:
        """Whether nobody is to notice the run, because the message may be for somebody else."""
        return self._is_discreet and not self._view.is_promised

    async def _notify(self, text: str, blocks: Sequence[Block] = ()) -> None:
        await self._messenger.post_ephemeral(notice_place(self._address), text, blocks)

    def _live(self, placed: Sequence[Placed], *, keeps_text: bool = False) -> LiveMessage:
        return LiveMessage(self._destination, placed, self._session, keeps_text=keeps_text)

    async def _follow(self) -> None:
        while not self._is_over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), self._patience_seconds)
            self._news.clear()
            if self._is_over.is_set():
                return
            await self._show_status()
            if not await self._message.show(self._view):
                self._news.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), self._message.pause_seconds)

    @property
    def _patience_seconds(self) -> float | None:
        """How long Slack keeps what people see, if nothing new comes; `None` if it keeps it for good."""
        if not self._status or self._message.shows_steps:
            return self._message.patience_seconds
        return max(0.0, self._status_until - self._messenger.pace.now())

    async def _show_status(self) -> None:
        status, pace = self._view.status[:_STATUS_LIMIT], self._messenger.pace
        if self._message.shows_steps:
            await self._clear_status()
        elif not self._is_hidden and (status != self._status or pace.now() >= self._status_until):
            self._status, self._status_until = status, pace.now() + pace.status_seconds
            await self._set_status(f"{status}…")

    async def _clear_status(self) -> None:
        # A post in the thread removes the status by itself.
        was_posted = self._message.was_posted or self._card.was_posted
        if self._status and not was_posted:
            await self._set_status("")
            # Only now: a cancelled run removes the status when it closes.
            self._status = ""

    async def _set_status(self, status: str) -> None:
        try:
            await self._messenger.set_status(self._address, status)
        except SlackError as error:
            structlog.get_logger().info("status_not_shown", error=str(error))

    async def _stop_following(self) -> None:
        self._is_over.set()
        self._news.set()
        if self._follower is not None:
            await asyncio.shield(self._follower)

    async def _to_the_end(self, writing: Coroutine[None, None, None]) -> None:
        # If the run is stopped, `close` waits for the call: a cancelled call could leave an unrecorded message.
        self._ending = asyncio.create_task(writing)
        await asyncio.shield(self._ending)


class HeldPresenter(AnswerPresenter):
    """Shows a run for which nobody called the bot: the whole answer at once, or nothing.

    It shows no status, draft or failure. An edit may have left an earlier answer, which is then deleted.
    """

    async def show(self, event: AnswerEvent) -> None:
        """Show a whole answer; keep silent at the end of any other run."""
        if isinstance(event, AnswerCompleted) and not event.is_whole:
            event = SilenceKept(reason="The documents answer a part.")
        if isinstance(event, (AnswerCompleted, SilenceKept)):
            await super().show(event)

    async def dismiss(self, reason: str) -> None:
        """Say nothing."""
        await super().show(SilenceKept(reason=reason))

    async def fail(self, reason: str) -> None:
        """Say nothing."""
        await self.dismiss(reason)
