"""Answers an item: begins or resumes a run of the graph on its thread, shows the events, and stores the outcome.

A run of the graph holds no connection: its beginning is committed before it, and its outcome is stored with the end of
its claim.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from bot.conversation import message_store, store, transitions
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store
from bot.conversation.asks.card import assumed
from bot.conversation.asks.clarifications import Clarification, assuming, clarifying, counts
from bot.conversation.commands import command_store, family_store
from bot.conversation.items import Claim, Item, new_reference
from bot.conversation.message_kinds import PartialAnswer, Shown
from bot.conversation.payloads import ChoicePayload, StopPayload
from bot.conversation.ports import Presenter
from bot.conversation.run_start import RunStart
from bot.conversation.traces.recorder import keep_run
from bot.conversation.work import Engine
from bot.conversation.workers import claim_store
from bot.errors import RunOvertakenError, StreamStoppedError
from bot.postgres.checkpoints import KeptCheckpoints
from bot.postgres.pool import Connection
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, ReadingRecalled


@dataclass(frozen=True, kw_only=True)
class Answering:
    """Answers one turn, reply or changed choice. If the graph asks back, the item's next run posts the card."""

    claim: Claim
    engine: Engine

    async def answer(self) -> int:
        """Answer, and end the claim; return the number of the thread's checkpoints."""
        posted = dict[Shown, tuple[Placed, ...]]()
        if self._item.kind != "turn" or not self._item.attempt.is_first:
            async with self.engine.working(self.claim) as work:
                posted = await work.posted(self._item)
                if not await self._counts(work.connection):
                    # Not earlier: the item that replaces this one needs the messages of its runs.
                    return await claim_store.end(work.connection, self.claim, now=work.now)
        kept = KeptCheckpoints(self.engine.database)
        async with self.engine.presenter(self._item, posted) as presenter:
            await presenter.begin()
            async with self.engine.working(self.claim, kept) as work:
                begun = await RunStart(work, presenter).begin()
                if not isinstance(begun, AsyncGenerator):
                    ending = await self._shown(_alone(begun), presenter)
                    await presenter.close()
                    return await self._end(work.connection, ending)
            ending = await self._shown(begun, presenter)
            # Show a card's outcome before it is stored, because nothing would show it later.
            await presenter.close()
            async with self.engine.database.transaction(self._item.workspace) as connection:
                await kept.store(connection)
                return await self._end(connection, ending)

    @property
    def _item(self) -> Item:
        return self.claim.item

    async def _counts(self, connection: Connection) -> bool:
        """Tell whether the item still matters: neither a choice nor its question was changed since."""
        if not isinstance(self._item.payload, ChoicePayload):
            return True
        asked = await ask_store.by_id(connection, Clarification, self._item.payload.ask_id)
        return asked is not None and counts(self._item.payload, asked)

    async def _shown(self, events: AsyncGenerator[AnswerEvent], presenter: Presenter) -> AnswerEvent | None:
        """Show the run; return its last event. A question back is posted only after it is stored."""
        event, partial_answer = None, PartialAnswer()
        try:
            # An error of any kind ends the run within its transaction, so that nothing of the run is stored.
            async with aclosing(events):
                async for event in events:
                    await self._set_below(event, presenter)
                    partial_answer = partial_answer.after(event)
                    await presenter.show(event)
        except asyncio.CancelledError:
            await self._keep(partial_answer)
            raise
        except StreamStoppedError as error:
            await self._keep(partial_answer, is_stopped=True)
            raise RunOvertakenError from error
        return event

    async def _keep(self, partial_answer: PartialAnswer, *, is_stopped: bool = False) -> None:
        """Store a cancelled run's partial answer in a transaction of its own, and whether Slack confirmed the stop."""
        async with self.engine.database.transaction(self._item.workspace) as connection:
            await store.change(connection, [self._item.id], transitions.with_partial, partial=partial_answer)
            if is_stopped:
                key = f"stopped:{new_reference()}"
                stop = StopPayload(target=self._item.id, by=None)
                await command_store.insert(connection, stop, event_key=key, now=self.engine.clock.now())

    async def _set_below(self, event: AnswerEvent, presenter: Presenter) -> None:
        """Offer below the answer another choice than a preference that was assumed, and further questions."""
        match event:
            case ReadingRecalled():
                await self._keep_assumed(event, presenter)
            case AnswerCompleted(follow_ups=questions) if questions:
                await self._offer(questions, presenter)
            case _:
                pass

    async def _keep_assumed(self, event: ReadingRecalled, presenter: Presenter) -> None:
        # In a transaction of its own, because people may see the menu before the run is committed.
        async with self.engine.database.transaction(self._item.workspace) as connection:
            now = self.engine.clock.now()
            new = assuming(event, about=self._item.turn.question, asker=self._item.address.person, now=now)
            asked = await ask_store.insert_assumed(connection, self._item, new, now=now)
        presenter.set_banner(assumed(asked, self.engine.rules))

    async def _offer(self, questions: Sequence[str], presenter: Presenter) -> None:
        # Apart from the run, because a button may be clicked before the run is committed.
        async with self.engine.database.transaction(self._item.workspace) as connection:
            offered = await ask_store.offer(connection, self._item, questions, now=self.engine.clock.now())
        presenter.offer(offered)

    async def _end(self, connection: Connection, ending: AnswerEvent | None) -> int:
        """Store the outcome, and end the claim."""
        item, now = self._item, self.engine.clock.now()
        if family := await family_store.family_before(connection, item):
            # The answer to a changed choice is the only one that its question has.
            await message_store.keep_own_answer(connection, item, family)
            await self.engine.reviewing.close(connection, family)
        is_asking = isinstance(ending, ClarificationRequested)
        if is_asking:
            asked = await ask_store.answered_by(connection, item)
            new = clarifying(
                ending, about=asked.about if asked else item.turn.question, asker=item.address.person, now=now,
                rules=self.engine.rules,
            )  # fmt: skip
            await ask_store.insert(connection, Clarification, item, new, now=now)
        else:
            await self.engine.reviewing.take_note(item, connection, ending)
        await keep_run(connection, item, now=now)
        return await claim_store.end(connection, self.claim, asking=is_asking, now=now)


async def _alone(event: AnswerEvent) -> AsyncGenerator[AnswerEvent]:
    yield event
