"""Applies what ends a question while nothing runs in its thread: a person's stop, or an administrator's drop.

Applied twice, as after a crash, each comes to the same. Each raises `SlackError` if Slack fails, except at the last
attempt, because the thread must go on.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

from bot.conversation import store, transitions
from bot.conversation.address import PersonId, Placed
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.ask import AskRules
from bot.conversation.asks.card import Cards, said_of_call
from bot.conversation.asks.clarifications import Clarification, read_typed
from bot.conversation.contents import ChoiceContent, DropContent, StopContent
from bot.conversation.handlers.reviews import Reviews
from bot.conversation.items import Item
from bot.conversation.message_kinds import CardOutcome, Ending, PartialAnswer, Parts, Shown
from bot.conversation.work import Work
from bot.conversation.workers import burst_store
from bot.postgres.pool import Connection
from graph.turn import Choice, Turn

DROPPED: Final = "An administrator has dropped this question."
UNSAID: Final = "(Stopped before anything was said.)"
"""The answer in a thread's memory if there is none: the thread must know that the bot was asked."""


@dataclass(frozen=True, kw_only=True)
class StopTarget:
    """The target of a stop, as the inbox knows it."""

    item: Item
    asked: Clarification | None
    """The open question of the item's thread, by any person, or the one that the item has closed."""
    is_asked_later: bool = False
    """Whether a later item has asked it."""

    @property
    def own_question(self) -> Clarification | None:
        """The open question, if the item has asked it."""
        return self.asked if self.asked and self.asked.inbox_id == self.item.id else None

    @property
    def partial_answer(self) -> PartialAnswer | None:
        """The partial answer of the run, if it was cancelled properly."""
        stored = self.item.partial
        return replace(PartialAnswer(**stored), sources=tuple(stored["sources"])) if stored else None

    @property
    def is_again(self) -> bool:
        """Whether the item runs again, so that its visible answer may be to its earlier words.

        The same holds for a run that was about to ask back and has shown nothing itself.
        """
        return self.item.runs_again or self.item.asking or self.item.kind == "revision"

    @property
    def ends(self) -> Literal["run", "question", "nothing"]:
        """What is left to end: the run may have finished, or another stop may have been first."""
        if self.item.status == "waiting":
            return "run"
        if self.own_question:
            return "question"
        return "run" if self.item.status == "asking" else "nothing"

    def answered_with(self, rules: AskRules) -> Choice | None:
        """Return the option that the item's words choose, if another item asked before it."""
        asked, item = self.asked, self.item
        if asked is None or self.own_question or self.is_asked_later or item.kind != "turn" or item.turn.was_clicked:
            return None
        typed = read_typed(item.turn, item.address.person, asked, rules)
        return typed if isinstance(typed, Choice) else None


async def stop_target(connection: Connection, item_id: int) -> StopTarget:
    """Return the target of a stop; a turn with all messages that are part of it."""
    item = await store.item_by_id(connection, item_id)
    asked, _ = await ask_store.lock_met(connection, item)
    return StopTarget(
        item=await burst_store.whole(connection, item) if item.kind == "turn" else item,
        asked=asked,
        is_asked_later=asked is not None and (await store.item_by_id(connection, asked.inbox_id)).is_after(item),
    )


async def apply_stop(work: Work, stop: StopContent) -> None:
    """End the item. The partial answer stays in thread and memory, and the message says who stopped it."""
    target = await stop_target(work.connection, stop.target)
    if target.ends == "nothing":
        return
    item, by = target.item, stop.by
    posted = await work.posted(item)
    await Reviews(work).give_up(item)
    async with work.engine.presenter(item, posted) as presenter:
        called = await _withdraw_call(work, item)
        card = await _close_question(work, work.cards(presenter), target, has_answer="answer" in posted, by=by)
        partial_answer = PartialAnswer(text=called) if called else await _partial_answer(work, target, posted)
        if target.ends == "run" or card is None:
            with work.tolerating(failure="stop_not_shown"):
                await presenter.stop(partial_answer, by=by)
        await _remember(work, item, partial_answer)
        await store.change(work.connection, [item.id], transitions.ended, status="stopped", now=work.now)


async def apply_drop(work: Work, drop: DropContent) -> None:
    """End the item, close its open ask, and tell the person.

    Partial answers and answers to an earlier choice are deleted from the thread's memory.
    """
    target = await stop_target(work.connection, drop.target)
    item = target.item
    if target.ends == "nothing" and item.status != "failed":
        return
    await store.change(work.connection, [item.id], transitions.ended, status="dropped", now=work.now)
    await Reviews(work).give_up(item)
    if not item.is_a_question:
        return
    called = await _withdraw_call(work, item)
    if await work.run.remembers(item.address.message_ts):
        await work.run.forget(item.address.message_ts)
    async with work.engine.presenter(item, await work.posted(item)) as presenter:
        cards = work.cards(presenter)
        await cards.show_choice(item)
        if target.own_question:
            await cards.close(target.own_question)
        await ask_store.show_again(work.connection, beside=item.id, now=work.now)
        with work.tolerating(failure="drop_not_shown"):
            await presenter.dismiss(" ".join(filter(None, [DROPPED, drop.why, called])))


async def _withdraw_call(work: Work, item: Item) -> str:
    """Take back the approval that the item would have acted on; return what came of a call that has begun already."""
    if not isinstance(item.content, ChoiceContent):
        return ""
    await call_store.withdraw(work.connection, item.content.ask_id)
    asked = await ask_store.by_id(work.connection, Clarification, item.content.ask_id)
    return await said_of_call(work.connection, asked) if asked else ""


async def _close_question(
    work: Work, cards: Cards, target: StopTarget, *, has_answer: bool, by: PersonId | None
) -> Placed | None:
    """Close the question that the item asked, or that a cancelled run has answered; return its card."""
    item, asked = target.item, target.asked
    await cards.show_choice(item)
    if asked is None:
        return None
    rules = await work.rules_in(asked.channel)
    if asked.status != "open":
        # The item has closed it. Its run may have died before Slack knew.
        typed = read_typed(item.turn, item.address.person, asked, rules)
        how: Ending = "given_up" if typed == "given_up" else "superseded"
        await cards.show_outcome(asked, CardOutcome(how=how, by=item.address.person))
        return None
    choice = target.answered_with(rules)
    if choice is None and not target.own_question:
        await ask_store.show_again(work.connection, beside=item.id, now=work.now)
        return None
    if choice is None or not (has_answer or item.turn.addressed):
        return await cards.close(asked, how="stopped", by=by)
    # The typed answer stays the choice; a button below it answers the question after all.
    person = item.address.person
    await ask_store.decide(work.connection, asked, asdict(choice), by=person, now=work.now, decided_in=item.id)
    await cards.show_outcome(asked, CardOutcome(how="answered", by=person, label=choice.label))
    return None


async def _partial_answer(work: Work, target: StopTarget, posted: Mapping[Shown, Parts]) -> PartialAnswer:
    partial_answer, placed = target.partial_answer or PartialAnswer(), posted.get("answer")
    if partial_answer.text or partial_answer.is_withdrawn or not placed:
        return partial_answer
    # After a kill, or an end before new text, only the visible message has the partial answer.
    text = ""
    with work.tolerating(failure="thread_not_read"):
        text = await work.engine.output.posted_text(target.item.address, placed)
    return PartialAnswer(text=text, is_earlier=True) if target.is_again and text else replace(partial_answer, text=text)


async def _remember(work: Work, item: Item, partial_answer: PartialAnswer) -> None:
    """Add an item's question to the thread's memory, with its partial answer."""
    if work.engine.mode == "stateless":
        return
    asked = await ask_store.answered_by(work.connection, item)
    asking = await store.item_by_id(work.connection, asked.inbox_id) if asked else item
    turn = Turn(
        question=asked.about if asked else item.turn.question,
        asker=item.address.person,
        addressed=True,
        key=asking.address.message_ts,
    )
    text = "" if partial_answer.is_earlier else partial_answer.text
    await work.engine.run(item, work.saver).remember(
        turn, text or UNSAID, partial_answer.cited, unless_known=partial_answer.is_earlier
    )
