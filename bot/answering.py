"""The spine: take an item, run the graph on its thread, show what it says, record what became of it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import Final

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from bot.address import Placed
from bot.carding import close_card, post_card, remind
from bot.changing import Changing
from bot.conversing import Conversation
from bot.database import Connection, Database
from bot.dropping import drop
from bot.errors import RunOvertakenError, StreamStoppedError
from bot.inbox import change_store, clarification_store, revision_store, stop_store, store
from bot.inbox.clarifications import Deadlines
from bot.inbox.habits import HabitsIn
from bot.inbox.items import Item
from bot.inbox.revisions import changeable
from bot.inbox.rules import USUAL, Rules
from bot.inbox.sequels import new_reference
from bot.inbox.worker import Handled
from bot.reviewing import Reviewing
from bot.revising import still_counts
from bot.said import Said
from bot.shown import Parts, Shown, Standing
from bot.stage import Presenter, Stage
from bot.stopping import stop
from graph.builder import CompiledGraph
from graph.context import Clock, Context
from graph.events import AnswerEvent, ClarificationRequested, ReadingRecalled, SilenceKept
from graph.run import Run
from graph.turn import Mode, Turn

FAILED: Final = "I could not answer this: something went wrong on my side."
LATER: Final = 2
"""Not the first attempt: an earlier run of the item may have died."""
UNSAID: Final = "(Stopped before anything was said.)"
"""What a thread remembers as the answer then; that the question was put to the bot, it must know."""


class Answering:
    """The handler of the inbox's items."""

    def __init__(
        self, database: Database, graph: CompiledGraph, context_of: Callable[[str], Context], stage: Stage,
        clock: Clock, *, deadlines: Deadlines, reviewing: Reviewing, rules: Rules = USUAL,
        mode: Mode = "conversational",
    ) -> None:  # fmt: skip
        self._database = database
        self._graph = graph
        self._context_of = context_of
        self._stage = stage
        self._clock = clock
        self._deadlines = deadlines
        self._reviewing = reviewing
        self._mode: Mode = mode
        self._rules = rules

    async def handle(self, item: Item, connection: Connection, *, attempt: int) -> Handled:
        """Do what the item asks for; all it stores goes through the connection, and so lives or dies with the item."""
        if order := self._orders().get(item.kind):
            await order(item, connection)
            return Handled(asking=False)
        if item.kind == "revision" and not await still_counts(item, connection):
            return Handled(asking=False)
        posted = await self._posted(item, connection, attempt)
        async with self._presenter(item, posted) as presenter:
            if item.asking:
                await post_card(item, connection, presenter)
            elif item.is_change:
                await self._change(item, connection, presenter)
            elif item.kind == "review":
                await self._reviewing.put(item, connection, presenter, attempt=attempt)
            elif item.kind == "ruling":
                await self._reviewing.rule(item, connection, self._run(item, connection), presenter)
            elif item.kind == "reminder":
                if "reminder" not in posted:
                    await remind(item, connection, presenter)
            else:
                return Handled(asking=await self._answer(item, connection, presenter))
        return Handled(asking=False)

    async def give_up(self, item: Item) -> bool:
        """Tell the person that the item has failed, where somebody waits for it; return whether it was done after all.

        An order is tried for as long as a failure would be told: left undone, it leaves a wrong answer standing.
        """
        if item.is_an_order:
            async with self._database.transaction(item.workspace) as connection:
                await self.handle(item, connection, attempt=LATER)
            return True
        if item.kind == "review":
            await self._reviewing.give_up(item)
        if item.is_a_question:
            await self._tell_of_failure(item)
        return False

    async def _tell_of_failure(self, item: Item) -> None:
        async with self._database.transaction(item.workspace) as connection:
            # Also what nobody recorded: telling it may have been interrupted before.
            posted = await self._posted(replace(item, asking=False), connection, attempt=LATER)
        async with self._presenter(item, posted) as presenter:
            await presenter.fail(FAILED)

    def _orders(self) -> Mapping[str, Callable[[Item, Connection], Awaitable[None]]]:
        """Return what is done by items that show nothing of their own in the thread."""
        return {"notice": self._turn_away, "drop": self._drop, "stop": self._stop}

    async def _turn_away(self, notice: Item, _connection: Connection) -> None:
        async with self._presenter(notice, {}) as presenter:
            await presenter.turn_away(notice.crowd)

    async def _posted(self, item: Item, connection: Connection, attempt: int) -> dict[Shown, tuple[Placed, ...]]:
        """Return what earlier runs of the item have posted, also what they died too early to record."""
        if attempt == 1 and not item.asking and not item.takes_over:
            return {}
        posted = await _recorded(item, connection)
        shown = posted.get(item.shows, ())
        # An answer may have gone on in a part that is not known; anything else is one message.
        if attempt == 1 or item.is_change or (shown and item.shows != "answer"):
            return posted
        known = await store.known_messages(connection, item)
        lost = await self._stage.unrecorded(item.address, known)
        if lost is None:
            return posted
        # Also where there is nothing more to show, as of a card whose button was pressed before anybody knew of it.
        await self._record(item, item.shows, (*shown, lost))
        return {**posted, item.shows: (*shown, lost)}

    async def _answer(self, item: Item, connection: Connection, presenter: Presenter) -> bool:
        """Answer a turn or a reply; return whether the run waits for a person, whom the card is still to ask."""
        conversation = Conversation(
            item=item,
            run=self._run(item, connection),
            connection=connection,
            stage=self._stage,
            presenter=presenter,
            mode=self._mode,
            rules=self._rules,
            now=self._clock.now(),
        )
        await presenter.begin()
        events = await conversation.events() or _silence()
        ending = await self._shown(item, self._standing(events, item, presenter), presenter)
        if isinstance(ending, ClarificationRequested):
            await clarification_store.open_clarification(
                connection, item, ending, about=await self._about(item, connection), token=secrets.token_urlsafe(12),
                now=self._clock.now(), deadlines=self._deadlines,
            )  # fmt: skip
            return True
        await self._reviewing.take_note(item, connection, ending)
        return False

    async def _change(self, item: Item, connection: Connection, presenter: Presenter) -> None:
        changing = Changing(
            connection=connection,
            supersede=partial(close_card, connection, presenter),
            remove=presenter.remove,
            end_reviews=partial(self._reviewing.close, connection),
            forget=self._run(item, connection).forget,
            now=self._clock.now(),
        )
        await changing.bring_into_force(item)

    async def _drop(self, order: Item, connection: Connection) -> None:
        posted = partial(self._posted, connection=connection, attempt=LATER)
        await drop(order, connection, posted=posted, presenter=self._presenter, now=self._clock.now())

    async def _stop(self, order: Item, connection: Connection) -> None:
        await stop(
            order, connection, self._stage,
            posted=partial(self._posted, connection=connection), presenter=self._presenter,
            remember=partial(self._remember, connection), now=self._clock.now(),
        )  # fmt: skip

    async def _remember(self, connection: Connection, item: Item, said: Said) -> None:
        if self._mode != "stateless":
            question = await self._about(item, connection)
            turn = Turn(question=question, asker=item.address.person, addressed=True, key=item.address.message_ts)
            await self._run(item, connection).remember(turn, said.text or UNSAID, said.cited)

    async def _shown(self, item: Item, events: AsyncIterator[AnswerEvent], presenter: Presenter) -> AnswerEvent | None:
        """Show the run; return what it ended in: a question back is posted only once it is stored."""
        event, said = None, Said()
        try:
            async for event in events:
                said = said.after(event)
                if not isinstance(event, ClarificationRequested):
                    await presenter.show(event)
        except asyncio.CancelledError:
            await self._keep(item, said)
            raise
        except StreamStoppedError as error:
            await self._keep(item, said, is_stopped=True)
            raise RunOvertakenError from error
        return event

    async def _keep(self, item: Item, said: Said, *, is_stopped: bool = False) -> None:
        """Keep what a run has said that is being ended, apart from it; and that Slack says it is, if Slack does."""
        async with self._database.transaction(item.workspace) as connection:
            await stop_store.keep_said(connection, item, said)
            if is_stopped:
                await stop_store.insert_stop(
                    connection, item.id, by=None, event_key=f"stopped:{new_reference()}", now=self._clock.now()
                )

    def _run(self, item: Item, connection: Connection) -> Run:
        habits = HabitsIn(
            database=self._database, workspace=item.workspace, channel=item.address.channel, rules=self._rules,
            clock=self._clock,
        )  # fmt: skip
        context = replace(self._context_of(item.workspace), habits=habits)
        return Run(self._graph, AsyncPostgresSaver(connection), thread_id=item.thread_id, context=context)

    async def _standing(
        self, events: AsyncIterator[AnswerEvent], item: Item, presenter: Presenter
    ) -> AsyncIterator[AnswerEvent]:
        """Pass the events on; where a reading was assumed as last time, let people choose another below the answer."""
        async for event in events:
            if isinstance(event, ReadingRecalled):
                # Apart from the run, for the menu may be seen before the run is committed.
                async with self._database.transaction(item.workspace) as connection:
                    assumed = await clarification_store.keep_assumed(
                        connection, item, event,
                        about=item.turn.question, token=secrets.token_urlsafe(12), now=self._clock.now(),
                    )  # fmt: skip
                label = assumed.choice.label if assumed.choice else ""
                menu = changeable(assumed, label, self._rules, has_card=False)
                presenter.stand_on(Standing(label=label, changeable=menu))
            yield event

    async def _about(self, item: Item, connection: Connection) -> str:
        if item.kind == "turn":
            return item.turn.question
        asked = await clarification_store.clarification_by_id(connection, item.clarification_id)
        return asked.about if asked else ""

    async def _record(self, item: Item, kind: Shown, parts: Parts) -> None:
        # Apart from the run, which may die: what Slack has shown stays known.
        async with self._database.transaction(item.workspace) as connection:
            shown = replace(item, id=item.shown_for)
            await store.record_message(connection, shown, kind=kind, parts=parts, now=self._clock.now())

    def _presenter(self, item: Item, posted: Mapping[Shown, Parts]) -> AbstractAsyncContextManager[Presenter]:
        return self._stage.presenter(
            item.address,
            reference=item.reference,
            posted=posted,
            record=partial(self._record, item),
            is_discreet=item.kind == "turn" and not item.turn.addressed,
        )


async def _recorded(item: Item, connection: Connection) -> dict[Shown, tuple[Placed, ...]]:
    """Return the messages that the item's run takes over: its own, or the answer that it revises or has reviewed."""
    if item.kind != "revision":
        return await store.messages_of(connection, item.shown_for)
    asked = await clarification_store.clarification_by_id(connection, item.clarification_id)
    family = await change_store.family_of(connection, asked.inbox_id) if asked else []
    return await revision_store.shown_so_far(connection, family)


async def _silence() -> AsyncIterator[AnswerEvent]:
    # Said all the same: where a message was edited, what answered its old text goes.
    yield SilenceKept(reason="It is left to the people.")
