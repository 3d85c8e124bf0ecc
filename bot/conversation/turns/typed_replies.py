"""What an item says in its conversation: a new question, the answer to an open one, or nothing to the bot."""

from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial

from bot.conversation import question, store
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store, channel_store
from bot.conversation.asks.card import card_of, revised, show_outcome, showing_expired, supersede
from bot.conversation.asks.clarifications import Clarification, changeable, read_typed
from bot.conversation.asks.preferences import choose, learn
from bot.conversation.commands import change_store
from bot.conversation.inputs import Click
from bot.conversation.items import Item
from bot.conversation.message_kinds import CardOutcome
from bot.conversation.policy import Policy
from bot.conversation.ports import Output, Presenter
from bot.conversation.turns import burst_store
from bot.postgres.pool import Connection
from graph.events import AnswerCompleted, AnswerEvent, SilenceKept
from graph.run import Run
from graph.text.wording import GIVEN_UP, IN_ITS_THREAD, TAKEN_ABOVE, spoken, unclear
from graph.text.words import language_of
from graph.turn import Choice, Mode, Reply, Turn


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What comes of an item, as far as it was decided before the graph runs."""

    events: AsyncGenerator[AnswerEvent]
    is_run: bool = True
    """Whether the graph runs, which may take long; else all that there is to say is known."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """One item in its thread, where nothing else runs meanwhile."""

    item: Item
    run: Run
    connection: Connection
    output: Output
    presenter: Presenter
    mode: Mode
    rules: Policy
    now: datetime

    async def begin(self) -> Beginning:
        """Begin or resume the run that the item asks for, or say what there is to say without one.

        What this stores is committed before the run: done twice, as after a crash, it comes to the same.
        """
        if self.item.kind != "turn":
            asked = await ask_store.by_id(self.connection, Clarification, self.item.ask_id)
            if asked is None:
                raise LookupError("The question of a choice is gone.")
            is_revised = self.item.kind == "revision"
            return Beginning(
                events=await (self._revised(asked) if is_revised else self._resumed(asked, self.item.choice))
            )
        asked, answered = await ask_store.lock_met(self.connection, self.item)
        if asked is not None and asked.inbox_id == self.item.id:
            # Its card could not be posted, and a person pressed Retry.
            await ask_store.supersede(self.connection, asked.id)
        elif asked is not None and await change_store.asked_later(self.connection, asked.inbox_id, self.item.id):
            await self._put_after(asked)
        elif asked is not None and answered is None and not self.item.turn.was_clicked:
            return await self._typed(asked)
        elif asked is not None and self.item.turn.was_clicked:
            await supersede(self.connection, self.presenter, asked)
        elif asked is None and answered is None and (answering := await self._answered_above()):
            return answering
        if again := await self._to_be_asked_again():
            return Beginning(events=_asking(again), is_run=False)
        return await (self._started() if answered is None else self._answered_again(answered))

    async def _revised(self, asked: Clarification) -> AsyncGenerator[AnswerEvent]:
        """Run the question afresh with the other choice; the new answer takes the place of the earlier one."""
        card = await self._show_choice(asked, self.item.choice)
        self.presenter.set_banner(revised(self.item, asked, self.rules, has_card=card is not None))
        return self.run.start(await self._question_anew(asked), self.item.choice)

    async def _typed(self, asked: Clarification) -> Beginning:
        """Take a message as the answer to the open question, as one of its own, or leave it to the people."""
        rules = await channel_store.rules_for(self.connection, self.rules, asked.channel)
        typed = read_typed(self.item.turn, self.item.address.person, asked, rules.may_answer)
        if typed.choice:
            person = self.item.address.person
            await ask_store.decide(
                self.connection, asked.id, asdict(typed.choice), by=person, now=self.now, decided_in=self.item.id
            )
            await learn(self.connection, asked, typed.choice, person=person, rules=self.rules, now=self.now)
            return Beginning(events=await self._resumed(asked, typed.choice))
        if typed.unclear:
            language = language_of(asked.about)
            return _saying(unclear(typed.unclear, options=len(asked.options), language=language))
        if typed.gives_up:
            by = self.item.address.person
            await supersede(self.connection, self.presenter, asked, how="given_up", by=by)
            return _silent()
        if not typed.supersedes:
            return _silent()
        await supersede(self.connection, self.presenter, asked, until_ended=self.item.id)
        # Said to the bot, with or without a mention: it closed the bot's question.
        await store.change(self.connection, [self.item.id], question.said_to_us)
        return await self._started(is_addressed=True)

    async def _answered_above(self) -> Beginning | None:
        """Take what was typed at the bottom of a direct message as said to the one question open in it.

        Only a number, a label or a set phrase ("not sure", "never mind") is: anything else starts a conversation.
        """
        if not self.item.address.starts_a_direct_conversation:
            return None
        asked = await ask_store.lock_only_waiting(self.connection, self.item)
        if asked is None:
            return None
        typed = read_typed(self.item.turn, self.item.address.person, asked, self.rules.may_answer)
        language = language_of(asked.about)
        if typed.unclear:
            why = unclear(typed.unclear, options=len(asked.options), language=language)
            return _saying(f"{why} {spoken(IN_ITS_THREAD, language)}")
        if typed.gives_up:
            await supersede(self.connection, self.presenter, asked, how="given_up", by=self.item.address.person)
            return _saying(spoken(GIVEN_UP, language))
        if typed.choice is None or typed.choice.kind == "text":
            return None
        address = self.item.address
        click = Click(
            event_key=f"typed:{self.item.id}:{asked.id}", token=asked.token, choice=typed.choice,
            thread_id=address.thread_id, person=address.person, clicked_at=address.message_ts,
        )  # fmt: skip
        await choose(self.connection, asked, click, rules=self.rules, now=self.now)
        return _saying(spoken(TAKEN_ABOVE, language))

    async def _to_be_asked_again(self) -> Clarification | None:
        token = self.item.turn.asks_again
        asked = await ask_store.by_token(self.connection, Clarification, token) if token else None
        # The change is planned again, for the person who wishes for it now.
        return None if asked and asked.change else asked

    async def _put_after(self, asked: Clarification) -> None:
        """Ask the open question again after the item, an earlier message that runs anew."""
        await supersede(self.connection, self.presenter, asked)
        await store.change(self.connection, [asked.inbox_id], partial(question.run_again, now=self.now))

    async def _answered_again(self, answered: Clarification) -> Beginning:
        """Go on with the question that the item's words had answered before it was ended, unless it was changed."""
        if answered.revision or answered.choice is None:
            return _silent()
        return Beginning(events=await self._resumed(answered, answered.choice))

    async def _started(self, *, is_addressed: bool = False) -> Beginning:
        turn = self.item.turn
        addressed = turn.addressed or is_addressed or self.item.is_said_to_us
        # A question back would stand in the channel, too.
        mode = "stateless" if self.item.address.is_held and not addressed else self.mode
        addressed = addressed or self.item.address.untagged
        turn = replace(turn, key=self.item.address.message_ts, addressed=addressed, mode=mode)
        is_called_in = self.item.address.asked_at or await store.joins_a_conversation(self.connection, self.item)
        if turn.addressed and is_called_in:
            turn = replace(turn, earlier=await self.output.earlier(self.item.address))
        return Beginning(events=self.run.start(turn))

    async def _resumed(self, asked: Clarification, choice: Choice) -> AsyncGenerator[AnswerEvent]:
        events = await self._going_on(asked, choice)
        if asked.status == "expired":
            return showing_expired(events, await card_of(self.connection, asked), self.presenter, asked, self.rules)
        await self._show_choice(asked, choice)
        return events

    async def _show_choice(self, asked: Clarification, choice: Choice) -> Placed | None:
        menu = changeable(asked, choice.label, self.rules)
        outcome = CardOutcome(how="answered", by=self.item.address.person, label=choice.label, changeable=menu)
        return await show_outcome(self.connection, self.presenter, asked, outcome)

    async def _going_on(self, asked: Clarification, choice: Choice) -> AsyncGenerator[AnswerEvent]:
        if await self.run.waits_for(asked.interrupt_id):
            return self.run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))
        turn = await self._question_anew(asked)
        if asked.change:
            return self.run.settle(turn, asked.change, choice)
        # A deploy removed the node that waited: the stored question is answered afresh, with the choice.
        return self.run.start(turn, choice)

    async def _question_anew(self, asked: Clarification) -> Turn:
        """Return what a question was asked about, as if said to the bot: people who choose want an answer."""
        whole = await burst_store.whole_turn(self.connection, asked.inbox_id)
        return replace(whole.turn, key=whole.address.message_ts, addressed=True, mode=self.mode)


def _saying(text: str) -> Beginning:
    """Say something that no run has to find: the question that waits in the thread goes on waiting."""
    return Beginning(events=_once(AnswerCompleted(outcome="conversed", text=text)), is_run=False)


def _silent() -> Beginning:
    """Leave it to the people; said all the same, for if a message was edited, what answered its old text goes."""
    return Beginning(events=_once(SilenceKept(reason="It is left to the people.")), is_run=False)


async def _once(event: AnswerEvent) -> AsyncGenerator[AnswerEvent]:
    yield event


async def _asking(again: Clarification) -> AsyncGenerator[AnswerEvent]:
    """Ask what was asked before, with the same options: nothing is assumed, and no run waits for the answer."""
    yield replace(again.as_asked(), interrupt_id=f"again:{again.token}")
