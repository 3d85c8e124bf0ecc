"""The spine: take a turn or a reply, run the graph on its thread, show what it says, record what became of it."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, Literal, Protocol, TypeAlias

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from bot.address import Address, ChannelId, PersonId, Placed, Ts
from bot.changing import Changing
from bot.database import Connection, Database
from bot.inbox import change_store, clarification_store, store
from bot.inbox.clarifications import Clarification, Deadlines, MayAnswer, assumed_reading, read_typed
from bot.inbox.items import Item, Shown, turn_from_json
from bot.inbox.worker import Handled
from graph.builder import CompiledGraph
from graph.context import Clock, Context
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, Option
from graph.run import Run
from graph.turn import Choice, Remark, Reply

Record: TypeAlias = Callable[[Shown, ChannelId, Ts], Awaitable[None]]
"""Remembers a message that was just posted: its kind, channel and ts."""
Settled: TypeAlias = Literal["answered", "superseded", "expired"]

FAILED: Final = "I could not answer this: something went wrong on my side."


class Presenter(Protocol):
    """Shows one item's run where it was asked; shown twice, it looks the same."""

    async def begin(self) -> None:
        """Say at once that the bot is at work, and take over what an earlier run of the item left."""
        ...

    async def show(self, event: AnswerEvent) -> None:
        """Show what the run says."""
        ...

    async def ask(self, token: str, event: ClarificationRequested) -> None:
        """Post the card with the question and its buttons."""
        ...

    async def settle(
        self, card: Placed, *, token: str, question: str, options: tuple[Option, ...],
        how: Settled, by: PersonId | None = None, label: str = "",
    ) -> None:  # fmt: skip
        """Show on an earlier card what became of its question."""
        ...

    async def remind(self, asker: PersonId, question: str, *, until: datetime) -> None:
        """Call the asker to a question that still waits, and say when it is answered without them."""
        ...

    async def remove(self, message: Placed) -> None:
        """Take a message of ours away; once it is gone, do nothing."""
        ...

    async def fail(self, reason: str) -> None:
        """Say plainly why there is no answer, with the reference and a way to try again."""
        ...


class Stage(Protocol):
    """Where answers are shown: Slack, or the terminal."""

    def presenter(
        self, address: Address, *, reference: str, posted: Mapping[Shown, Placed], record: Record, is_discreet: bool
    ) -> AbstractAsyncContextManager[Presenter]:
        """Open a presenter; `posted` are the messages of an earlier run of the item, to be taken over.

        `is_discreet` is for messages that may not be meant for the bot: it works without showing so.
        """
        ...

    async def earlier(self, address: Address) -> tuple[Remark, ...]:
        """Read what people said in the thread before this message."""
        ...


class Answering:
    """The handler of the inbox's items."""

    def __init__(
        self, database: Database, graph: CompiledGraph, context_of: Callable[[str], Context], stage: Stage,
        clock: Clock, *, deadlines: Deadlines, may_answer: MayAnswer = "anyone",
    ) -> None:  # fmt: skip
        self._database = database
        self._graph = graph
        self._context_of = context_of
        self._stage = stage
        self._clock = clock
        self._deadlines = deadlines
        self._may_answer: MayAnswer = may_answer

    async def handle(self, item: Item, connection: Connection, *, attempt: int) -> Handled:
        """Run the item; its checkpoint goes through the connection, and so lives or dies with the outcome."""
        if item.is_change:
            await self._change(item, connection)
            return Handled(asking=False)
        posted = await store.messages_of(connection, item.id) if item.asking or attempt > 1 else {}
        async with self._presenter(item, posted) as presenter:
            if item.asking:
                await _post_card(item, connection, presenter)
                return Handled(asking=False)
            if item.kind == "reminder":
                if "reminder" not in posted:
                    await _remind(item, connection, presenter)
                return Handled(asking=False)
            await presenter.begin()
            asked = await _shown(await self._events(item, connection, presenter), presenter)
        if asked is None:
            return Handled(asking=False)
        about = await self._about(item, connection)
        await clarification_store.open_clarification(
            connection, item, asked, about=about, token=secrets.token_urlsafe(12), now=self._clock.now(),
            deadlines=self._deadlines,
        )  # fmt: skip
        return Handled(asking=True)

    async def give_up(self, item: Item) -> None:
        """Tell the person that the item has failed; nobody waits for a reminder or a change."""
        if item.kind == "reminder" or item.is_change:
            return
        async with self._database.transaction(item.workspace) as connection:
            posted = await store.messages_of(connection, item.id)
        async with self._presenter(item, posted) as presenter:
            await presenter.fail(FAILED)

    async def _events(
        self, item: Item, connection: Connection, presenter: Presenter
    ) -> AsyncIterator[AnswerEvent] | None:
        """Begin what the item asks for; nothing, where it is left to the people."""
        run = self._run(item, connection)
        if item.kind == "reply":
            asked = await clarification_store.clarification_by_id(connection, item.clarification_id)
            return await self._resumed(run, item, connection, presenter, asked=asked, choice=item.choice)
        asked = await clarification_store.lock_open_clarification(connection, item.thread_id)
        if asked is None:
            return await self._started(run, item, connection)
        if await change_store.asked_later(connection, asked.inbox_id, item.id):
            # An earlier message was edited: it cannot be the answer, and the question is asked again after it.
            await _supersede(connection, presenter, asked)
            await change_store.run_again(connection, asked.inbox_id, now=self._clock.now())
            return await self._started(run, item, connection)
        typed = read_typed(item.turn, item.address.person, asked, self._may_answer)
        if typed.choice:
            await clarification_store.mark_answered(
                connection, asked.id, typed.choice,
                person=item.address.person, now=self._clock.now(), answered_in=item.id,
            )  # fmt: skip
            return await self._resumed(run, item, connection, presenter, asked=asked, choice=typed.choice)
        if not typed.supersedes:
            return None
        await _supersede(connection, presenter, asked)
        return await self._started(run, item, connection)

    async def _change(self, item: Item, connection: Connection) -> None:
        async with self._presenter(item, {}) as presenter:
            changing = Changing(
                connection=connection,
                supersede=partial(_close_card, connection, presenter),
                remove=presenter.remove,
                forget=self._run(item, connection).forget,
                now=self._clock.now(),
            )
            await changing.bring_into_force(item)

    def _run(self, item: Item, connection: Connection) -> Run:
        return Run(
            self._graph, AsyncPostgresSaver(connection),
            thread_id=item.thread_id, context=self._context_of(item.workspace),
        )  # fmt: skip

    async def _started(self, run: Run, item: Item, connection: Connection) -> AsyncIterator[AnswerEvent]:
        turn = replace(item.turn, key=item.address.message_ts)
        if turn.addressed and await store.joins_a_conversation(connection, item):
            turn = replace(turn, earlier=await self._stage.earlier(item.address))
        return run.start(turn)

    async def _resumed(
        self, run: Run, item: Item, connection: Connection, presenter: Presenter, *,
        asked: Clarification | None, choice: Choice,
    ) -> AsyncIterator[AnswerEvent]:  # fmt: skip
        if asked is None:
            raise LookupError("The question of a reply is gone.")
        card = await _card_of(connection, asked)
        if asked.status == "expired":
            return _settling(await self._going_on(run, connection, asked, choice), card, presenter, asked)
        await _settle(card, presenter, asked, how="answered", by=item.address.person, label=choice.label)
        return await self._going_on(run, connection, asked, choice)

    async def _going_on(
        self, run: Run, connection: Connection, asked: Clarification, choice: Choice
    ) -> AsyncIterator[AnswerEvent]:
        if await run.waits_for(asked.interrupt_id):
            return run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))
        # A deploy removed the node that waited: the stored question is answered afresh, with the choice.
        address, _, content = await clarification_store.origin(connection, asked.inbox_id)
        return run.start(replace(turn_from_json(content), key=address.message_ts), choice)

    async def _about(self, item: Item, connection: Connection) -> str:
        if item.kind == "turn":
            return item.turn.question
        asked = await clarification_store.clarification_by_id(connection, item.clarification_id)
        return asked.about if asked else ""

    def _presenter(self, item: Item, posted: Mapping[Shown, Placed]) -> AbstractAsyncContextManager[Presenter]:
        async def record(kind: Shown, channel: ChannelId, ts: Ts) -> None:
            # Apart from the run, which may die: what Slack has shown stays known.
            async with self._database.transaction(item.workspace) as connection:
                await store.record_message(connection, item, kind=kind, channel=channel, ts=ts, now=self._clock.now())

        return self._stage.presenter(
            item.address,
            reference=item.reference,
            posted=posted,
            record=record,
            is_discreet=item.kind == "turn" and not item.turn.addressed,
        )


async def _post_card(item: Item, connection: Connection, presenter: Presenter) -> None:
    asked = await clarification_store.clarification_asked_by(connection, item.id)
    if asked and asked.status == "open":
        await presenter.ask(asked.token, asked.as_asked())


async def _remind(item: Item, connection: Connection, presenter: Presenter) -> None:
    asked = await clarification_store.clarification_by_id(connection, item.clarification_id)
    if asked and asked.status == "open":
        await presenter.remind(asked.asker, asked.question, until=asked.due_at)


async def _settling(
    events: AsyncIterator[AnswerEvent], card: Placed | None, presenter: Presenter, asked: Clarification
) -> AsyncIterator[AnswerEvent]:
    """Settle the card of an expired question when its run has said which reading it assumed."""
    assumed = ""
    async for event in events:
        if isinstance(event, AnswerCompleted):
            assumed = assumed_reading(asked, event.notes)
        yield event
    await _settle(card, presenter, asked, how="expired", label=assumed)


async def _card_of(connection: Connection, asked: Clarification) -> Placed | None:
    return (await store.messages_of(connection, asked.inbox_id)).get("card")


async def _supersede(connection: Connection, presenter: Presenter, asked: Clarification) -> None:
    await clarification_store.mark_superseded(connection, asked.id)
    await _close_card(connection, presenter, asked)


async def _close_card(connection: Connection, presenter: Presenter, asked: Clarification) -> None:
    await _settle(await _card_of(connection, asked), presenter, asked, how="superseded")


async def _settle(
    card: Placed | None, presenter: Presenter, asked: Clarification, *,
    how: Settled, by: PersonId | None = None, label: str = "",
) -> None:  # fmt: skip
    if card:
        event = asked.as_asked()
        await presenter.settle(
            card,
            token=asked.token,
            question=event.question,
            options=event.options,
            how=how,
            by=by,
            label=label,
        )


async def _shown(events: AsyncIterator[AnswerEvent] | None, presenter: Presenter) -> ClarificationRequested | None:
    """Show the run; return the question in which it ended, which is posted only once it is stored."""
    asked = None
    if events is not None:
        async for event in events:
            if isinstance(event, ClarificationRequested):
                asked = event
            else:
                await presenter.show(event)
    return asked
