"""Answers an item: begins or resumes a run of the graph on its thread, shows the events, and stores the outcome.

A run of the graph holds no connection: its beginning is committed before it, and its outcome is stored with the end of
its claim.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from typing import Final

from bot.conversation import command_store, message_store, store, transitions
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store, family_store, preference_store
from bot.conversation.asks.card import Cards, assumed, card_of
from bot.conversation.asks.clarifications import (
    Clarification,
    assuming,
    changeable,
    clarifying,
    read_typed,
    still_counts,
)
from bot.conversation.contents import ChoiceContent, StopContent
from bot.conversation.handlers.reviews import Reviews
from bot.conversation.inputs import Click
from bot.conversation.items import ClaimedItem, Item, new_reference
from bot.conversation.message_kinds import CardOutcome, Ending, PartialAnswer, Shown
from bot.conversation.ports import Presenter
from bot.conversation.work import Engine, Work
from bot.conversation.workers import burst_store
from bot.errors import RunOvertakenError, StreamStoppedError
from bot.postgres.checkpoints import KeptCheckpoints
from bot.postgres.pool import Connection
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, ReadingRecalled, SilenceKept
from graph.text.phrases import Unclear
from graph.text.wording import GIVEN_UP, IN_ITS_THREAD, STAYS_OPEN, TAKEN_ABOVE, spoken
from graph.text.words import language_of
from graph.turn import Choice, Reply, Turn

LEFT_TO_THE_PEOPLE: Final = SilenceKept(reason="It is left to the people.")
"""The presenter still gets it, so that the answer to the earlier text is removed."""


@dataclass(frozen=True, kw_only=True)
class Answering:
    """Answers one turn, reply or changed choice. If the graph asks back, the item's next run posts the card."""

    claim: ClaimedItem
    engine: Engine

    async def answer(self) -> None:
        """Answer, and end the claim."""
        posted = dict[Shown, tuple[Placed, ...]]()
        if self._item.kind != "turn" or not self._item.attempt.is_first:
            async with self.engine.working(self.claim) as work:
                posted = await work.posted(self._item)
                if await self._is_outdated(work.connection):
                    # Not earlier: the item that replaces this one needs the messages of its runs.
                    await work.end()
                    return
        kept = KeptCheckpoints(self.engine.database)
        async with self.engine.presenter(self._item, posted) as presenter:
            await presenter.begin()
            async with self.engine.working(self.claim, kept) as work:
                events = await RunStart(work, work.cards(presenter)).begin()
            ending = await self._shown(events, presenter)
            # Show a card's outcome before it is stored, because nothing would show it later.
            await presenter.close()
            async with self.engine.database.transaction(self._item.workspace) as connection:
                await kept.store(connection)
                work = Work(claim=self.claim, connection=connection, engine=self.engine, saver=kept)
                await self._end(work, ending)

    @property
    def _item(self) -> Item:
        return self.claim.item

    async def _is_outdated(self, connection: Connection) -> bool:
        chosen = self._item.content
        return isinstance(chosen, ChoiceContent) and not still_counts(
            chosen, await ask_store.by_id(connection, Clarification, chosen.ask_id)
        )

    async def _shown(self, events: AsyncGenerator[AnswerEvent], presenter: Presenter) -> AnswerEvent | None:
        """Show the run; return its last event. A question back is posted only after it is stored."""
        event, partial_answer = None, PartialAnswer()
        try:
            # An error of any kind ends the run within its transaction, so that nothing of the run is stored.
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, ReadingRecalled):
                        await self._keep_assumed(event, presenter)
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
                stop = StopContent(target=self._item.id, by=None)
                await command_store.insert(connection, stop, event_key=key, now=self.engine.clock.now())

    async def _keep_assumed(self, event: ReadingRecalled, presenter: Presenter) -> None:
        """Offer below the answer another choice than the preference that was assumed."""
        # In a transaction of its own, because people may see the menu before the run is committed.
        async with self.engine.database.transaction(self._item.workspace) as connection:
            now = self.engine.clock.now()
            about = await self._about(connection)
            new = assuming(event, about=about, asker=self._item.address.person, now=now)
            asked = await ask_store.insert_assumed(connection, self._item, new, now=now)
        presenter.set_banner(assumed(asked, self.engine.rules))

    async def _about(self, connection: Connection) -> str:
        """Return the question that the item asks, or answers a question back about."""
        asked = await ask_store.answered_by(connection, self._item)
        return asked.about if asked else self._item.turn.question

    async def _end(self, work: Work, ending: AnswerEvent | None) -> None:
        """Store the outcome, and end the claim."""
        item = self._item
        await Reviews(work).close_earlier(item)
        is_asking = isinstance(ending, ClarificationRequested)
        if is_asking:
            about, asker = await self._about(work.connection), item.address.person
            new = clarifying(ending, about=about, asker=asker, now=work.now, rules=self.engine.rules)
            await ask_store.insert(work.connection, Clarification, item, new, now=work.now)
        else:
            await Reviews(work).take_note(ending)
        await work.end(asking=is_asking)


class RunStart:
    """The start of a turn, a reply or a changed choice."""

    def __init__(self, work: Work, cards: Cards) -> None:
        self._work, self._cards = work, cards
        self._item, self._connection, self._rules = work.item, work.connection, work.engine.rules

    async def begin(self) -> AsyncGenerator[AnswerEvent]:
        """Begin or resume the run that the item asks for, or return the one event that needs none.

        What this stores is committed before anything is shown. Done twice, as after a crash, it has the same result. It
        does not wait for Slack: cards show how they ended in the background, and the thread is read by the run.
        """
        if isinstance(self._item.content, ChoiceContent):
            return await self._chosen(self._item.content)
        asked, answered = await ask_store.lock_met(self._connection, self._item)
        if asked is None and answered is None and (above := await self._answered_above()):
            return _alone(above)
        if asked and not await self._makes_way(asked) and answered is None:
            return await self._typed(asked)
        if again := await self._asked_again():
            return _alone(again)
        if answered is None:
            return await self._started()
        # Its words have answered a question before. Somebody may have chosen otherwise since.
        choice = None if answered.revision else answered.choice
        return await self._resumed(answered, choice) if choice else _alone(LEFT_TO_THE_PEOPLE)

    async def _makes_way(self, asked: Clarification) -> bool:
        """Close the open question if the turn cannot be its answer; return whether it was closed."""
        if asked.inbox_id == self._item.id:
            # Its card could not be posted, and a person pressed Retry.
            await ask_store.change(self._connection, asked.id, was="open", status="superseded")
        elif (await store.item_by_id(self._connection, asked.inbox_id)).is_after(self._item):
            # It is asked again after the item, an earlier message that runs again.
            await self._cards.close(asked)
            await store.change(self._connection, [asked.inbox_id], transitions.run_again, now=self._work.now)
        elif self._item.turn.was_clicked:
            await self._close(asked)
        else:
            return False
        return True

    async def _close(self, asked: Clarification, *, how: Ending = "superseded") -> None:
        """Close a question, and show so, also if an earlier run has closed it and died before Slack knew."""
        await self._cards.close(asked, how=how, by=self._item.address.person, until_ended=self._item.id)

    async def _chosen(self, chosen: ChoiceContent) -> AsyncGenerator[AnswerEvent]:
        """Go on with a clicked choice. A changed one runs the question afresh, and its answer replaces the earlier."""
        asked = await ask_store.by_id(self._connection, Clarification, chosen.ask_id)
        if asked is None:
            raise LookupError("The question of a choice is gone.")
        if not chosen.revision:
            return await self._resumed(asked, chosen.choice)
        await self._show_choice(asked, chosen.choice)
        await self._cards.set_banner(self._item)
        return self._work.run.start(await self._question_of(asked), chosen.choice)

    async def _typed(self, asked: Clarification) -> AsyncGenerator[AnswerEvent]:
        """Take a message as the answer to the open question, as one of its own, or leave it to the people."""
        rules = await self._work.rules_in(asked.channel)
        typed = read_typed(self._item.turn, self._item.address.person, asked, rules)
        match typed:
            case Choice():
                person, now = self._item.address.person, self._work.now
                await ask_store.decide(
                    self._connection, asked, asdict(typed), by=person, now=now, decided_in=self._item.id
                )
                await preference_store.learn(self._connection, asked, typed, person=person, rules=self._rules, now=now)
                return await self._resumed(asked, typed)
            case "question":
                await self._close(asked)
                # Said to the bot, with or without a mention: it closed the bot's question.
                await store.change(self._connection, [self._item.id], transitions.said_to_us)
                return await self._started(is_addressed=True)
            case "given_up":
                await self._close(asked, how="given_up")
                return _alone(LEFT_TO_THE_PEOPLE)
            case "left":
                return _alone(LEFT_TO_THE_PEOPLE)
            case _:
                return _alone(_saying(_why_open(asked, typed)))

    async def _answered_above(self) -> AnswerCompleted | None:
        """Take what was typed at the bottom of a direct message as said to the one question open in it.

        Only a number, a label or a set phrase ("not sure", "never mind") is: anything else starts a conversation.
        """
        if not self._item.address.starts_a_direct_conversation:
            return None
        asked = await ask_store.lock_only_waiting(self._connection, self._item)
        if asked is None:
            return None
        language = language_of(asked.about)
        typed = read_typed(self._item.turn, self._item.address.person, asked, self._rules)
        match typed:
            case Choice(kind="text") | "question" | "left":
                return None
            case Choice():
                if asked.status == "open":
                    await self._choose_above(asked, typed)
                return _saying(spoken(TAKEN_ABOVE, language))
            case "given_up":
                await self._close(asked, how="given_up")
                return _saying(spoken(GIVEN_UP, language))
            case _:
                return _saying(f"{_why_open(asked, typed)} {spoken(IN_ITS_THREAD, language)}")

    async def _choose_above(self, asked: Clarification, typed: Choice) -> None:
        """Let a message choose like a click on the card."""
        address = self._item.address
        click = Click(
            event_key=f"typed:{self._item.id}:{asked.id}",
            token=asked.token,
            choice=typed,
            thread_id=address.thread_id,
            person=address.person,
            clicked_at=address.message_ts,
        )
        await ask_store.choose(self._connection, asked, click, rules=self._rules, now=self._work.now)
        # If this run dies before it has said so, the next one finds the question by it.
        await ask_store.change(self._connection, asked.id, was=None, superseded_by=self._item.id)

    async def _asked_again(self) -> ClarificationRequested | None:
        """Ask an earlier question with the same options: nothing is assumed, and no run waits for the answer."""
        token = self._item.turn.asks_again
        asked = await ask_store.by_token(self._connection, Clarification, token) if token else None
        # The change is planned again, for the person who wishes for it now.
        return replace(asked.as_asked(), interrupt_id=f"again:{token}") if asked and not asked.change else None

    async def _started(self, *, is_addressed: bool = False) -> AsyncGenerator[AnswerEvent]:
        turn = self._item.turn
        addressed = turn.addressed or is_addressed or self._item.is_said_to_us
        # A question back would stand in the channel, too.
        mode = "stateless" if self._item.address.is_held and not addressed else self._work.engine.mode
        addressed = addressed or self._item.address.untagged
        turn = replace(turn, key=self._item.address.message_ts, addressed=addressed, mode=mode)
        is_called_in = self._item.address.asked_at or await message_store.joins_a_conversation(
            self._connection, self._item
        )
        return self._called_in(turn) if turn.addressed and is_called_in else self._work.run.start(turn)

    async def _called_in(self, turn: Turn) -> AsyncGenerator[AnswerEvent]:
        """Start the run of a turn with what people said in its thread. This reads Slack, after the transaction."""
        earlier = await self._work.engine.output.earlier(self._item.address)
        async with aclosing(self._work.run.start(replace(turn, earlier=earlier))) as events:
            async for event in events:
                yield event

    async def _resumed(self, asked: Clarification, choice: Choice) -> AsyncGenerator[AnswerEvent]:
        if await self._work.run.waits_for(asked.interrupt_id):
            events = self._work.run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))
        elif asked.change:
            events = self._work.run.conclude_change(await self._question_of(asked), asked.change, choice)
        else:
            # A deploy removed the node that waited: the stored question is answered afresh, with the choice.
            events = self._work.run.start(await self._question_of(asked), choice)
        if asked.status == "expired":
            return self._cards.showing_expired(events, asked, await card_of(self._connection, asked))
        await self._show_choice(asked, choice)
        return events

    async def _show_choice(self, asked: Clarification, choice: Choice) -> None:
        menu = changeable(asked, choice.label, self._rules)
        outcome = CardOutcome(how="answered", by=self._item.address.person, label=choice.label, changeable=menu)
        await self._cards.show_outcome(asked, outcome)

    async def _question_of(self, asked: Clarification) -> Turn:
        """Return what a question was asked about, as if said to the bot: people who choose want an answer."""
        first = await family_store.first_of(self._connection, asked.inbox_id)
        whole = await burst_store.whole(self._connection, first)
        return replace(whole.turn, key=whole.address.message_ts, addressed=True, mode=self._work.engine.mode)


def _why_open(asked: Clarification, why: Unclear) -> str:
    return spoken(STAYS_OPEN[why], language_of(asked.about), count=str(len(asked.options)))


def _saying(text: str) -> AnswerCompleted:
    """Say something without a run, so that the open question of the thread stays open."""
    return AnswerCompleted(outcome="conversed", text=text)


async def _alone(event: AnswerEvent) -> AsyncGenerator[AnswerEvent]:
    """Return the events of an item that needs no run."""
    yield event
