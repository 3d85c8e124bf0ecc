"""The reconciler: takes an item, and lets the handler of its kind do what it wants.

Whatever needs no model is handled in the one transaction that ends the claim.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from bot.conversation import store
from bot.conversation.answering import Answering
from bot.conversation.asks import ask_store
from bot.conversation.asks.approved_call import ApprovedCall, Write
from bot.conversation.asks.card import banner_of, close_card, close_unseen, post_card, remind, show_choice
from bot.conversation.asks.preferences import PreferencesIn
from bot.conversation.commands import stop_store
from bot.conversation.commands.apply_change import Changing
from bot.conversation.commands.apply_drop import Dropping
from bot.conversation.commands.apply_stop import Stopping
from bot.conversation.commands.stops import by_whom, what_ends
from bot.conversation.items import Claim, Item
from bot.conversation.partial_answer import PartialAnswer
from bot.conversation.policy import USUAL, Policy
from bot.conversation.ports import Output, Presenter
from bot.conversation.posting import Posting
from bot.conversation.reviews.reviewing import Reviewing
from bot.conversation.traces.recorded import keep_run
from bot.conversation.turns.retry import Attempt
from bot.conversation.workers import claim_store
from bot.postgres.checkpoints import Saver, saver_on
from bot.postgres.pool import Connection, Database
from graph.builder import CompiledGraph
from graph.context import Clock, Context
from graph.run import Run
from graph.turn import Mode, Turn

FAILED: Final = "I could not answer this: something went wrong on my side."
UNSAID: Final = "(Stopped before anything was said.)"
"""The answer in a thread's memory if there is none: the thread must know that the bot was asked."""
MOST_SPEAKERS: Final = 6
"""The most transactions at a time that call Slack."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """The graph, and the context of its runs."""

    graph: CompiledGraph
    context_of: Callable[[Item], Context]
    """Returns the context of an item's run."""
    mode: Mode = "conversational"
    writing_tools: Callable[[], Awaitable[Write]] | None = None
    """Returns what calls a tool that writes, once the servers were tried; `None`: none is called."""


class Reconciler:
    """The handler of the inbox's items."""

    answering: type[Answering] = Answering

    def __init__(
        self, database: Database, engine: Engine, output: Output, clock: Clock, *,
        reviewing: Reviewing, rules: Policy = USUAL,
    ) -> None:  # fmt: skip
        self._database = database
        self._engine = engine
        self._output = output
        self._posting = Posting(database, output, clock)
        self._clock = clock
        self._reviewing = reviewing
        self._rules = rules
        self._speakers = asyncio.Semaphore(MOST_SPEAKERS)

    async def handle(self, claim: Claim) -> int:
        """Handle an item, and end its claim; return the number of the thread's checkpoints."""
        item = claim.item
        if item.kind == "turn" and item.address.is_in_company:
            return await self._move(claim)
        if item.kind in ("turn", "reply", "revision") and not item.asking:
            return await self._answering(claim).answer()
        async with self._speaking(item) as connection:
            await self._apply(claim, connection)
            await keep_run(connection, item, now=self._clock.now())
            return await claim_store.end(connection, claim, now=self._clock.now())

    def _answering(self, claim: Claim) -> Answering:
        return self.answering(
            claim=claim,
            database=self._database,
            posting=self._posting,
            output=self._output,
            reviewing=self._reviewing,
            run_on=partial(self._run, claim.item),
            speaking=partial(self._speaking, claim.item),
            mode=self._engine.mode,
            rules=self._rules,
            clock=self._clock,
        )

    async def _move(self, claim: Claim) -> int:
        """Move a question from a shared channel to a direct message."""
        item = claim.item
        address = await self._output.meet(item.address, f"{item.reference}-meeting")
        async with self._database.transaction(item.workspace) as connection:
            await store.move(connection, item.id, address)
            await claim_store.release(connection, claim)
        return 0

    @asynccontextmanager
    async def _speaking(self, item: Item) -> AsyncGenerator[Connection]:
        """Lend a transaction in which Slack may be called. Their number is limited, because Slack may be slow."""
        async with self._speakers, self._database.transaction(item.workspace) as connection:
            yield connection

    async def _apply(self, claim: Claim, connection: Connection) -> None:
        item = claim.item
        match item.kind:
            case "notice":
                await self._refuse(item)
            case "drop":
                end_reviews = partial(self._reviewing.give_up, connection=connection)
                dropping = Dropping(
                    connection=connection, posting=self._posting, run=self._run(item, saver_on(connection)),
                    end_reviews=end_reviews, rules=self._rules, is_last=claim.attempt.is_last, now=self._clock.now(),
                )  # fmt: skip
                await dropping.apply(item)
            case "stop":
                await self._stop(item, connection, claim.attempt)
            case _:
                await self._show(item, connection, claim.attempt)

    async def give_up(self, claim: Claim) -> bool:
        """Tell the person that the item has failed, if somebody waits; return whether the item was done after all.

        A command is applied instead, as far as Slack allows it: giving up would leave a wrong answer in the thread, and
        the thread must go on.
        """
        item = claim.item
        if item.is_an_order:
            await self.handle(claim)
            return True
        if item.kind == "review":
            async with self._database.transaction(item.workspace) as connection:
                await self._reviewing.give_up(item, connection)
        if item.is_a_question:
            await self._tell_of_failure(item)
        return False

    async def _tell_of_failure(self, item: Item) -> None:
        async with self._database.transaction(item.workspace) as connection:
            # Include unrecorded messages, because an earlier failure message may have been interrupted. Tell the person
            # in any case.
            posted = await self._posting.posted(replace(item, status="waiting"), connection, may_miss=True)
            await ask_store.show_again(connection, beside=item.id, now=self._clock.now())
            if item.asking:
                await close_unseen(item, connection)
            await self._reviewing.fail(item, connection)
            async with self._posting.presenter(item, posted) as presenter:
                await show_choice(item, connection, presenter, self._rules, is_final=False)
                await presenter.fail(FAILED)

    async def _show(self, item: Item, connection: Connection, attempt: Attempt) -> None:
        """Handle an item that needs no model."""
        posted = await self._posting.posted(item, connection, is_first=attempt.is_first, may_miss=attempt.is_last)
        async with self._posting.presenter(item, posted) as presenter:
            if item.is_of_review and (banner := await banner_of(connection, item.shown_for, self._rules)):
                # The reviewed answer keeps the banner below it.
                presenter.set_banner(banner)
            match item.kind:
                case _ if item.asking:
                    await post_card(item, connection, presenter)
                case "edit" | "removal":
                    await self._change(item, connection, presenter, attempt)
                case "review":
                    await self._reviewing.put(item, connection, presenter, attempt=attempt.number)
                case "decision":
                    await self._reviewing.rule(item, connection, self._run(item, saver_on(connection)), presenter)
                case "reminder" if "reminder" not in posted:
                    await remind(item, connection, presenter)
                case _:
                    pass

    async def _refuse(self, notice: Item) -> None:
        async with self._posting.presenter(notice, {}) as presenter:
            await presenter.refuse(notice.refused_message)

    async def _change(self, item: Item, connection: Connection, presenter: Presenter, attempt: Attempt) -> None:
        changing = Changing(
            connection=connection,
            close_card=lambda asked, how: close_card(connection, presenter, asked, how=how),
            find=partial(self._posting.posted, connection=connection, may_miss=attempt.is_last),
            remove=presenter.remove,
            end_reviews=partial(self._reviewing.close, connection),
            forget=self._run(item, saver_on(connection)).forget,
            attempt=attempt,
            now=self._clock.now(),
        )
        await changing.bring_into_force(item)

    async def _stop(self, order: Item, connection: Connection, attempt: Attempt) -> None:
        stopped = await stop_store.what_is_stopped(connection, order)
        if what_ends(stopped) == "nothing":
            return
        posted = await self._posting.posted(stopped.item, connection, may_miss=attempt.is_last)
        await self._reviewing.give_up(stopped.item, connection)
        async with self._posting.presenter(stopped.item, posted) as presenter:
            stopping = Stopping(
                connection=connection, output=self._output, presenter=presenter, posted=posted,
                remember=partial(self._remember, connection), rules=self._rules, is_last=attempt.is_last,
                now=self._clock.now(),
            )  # fmt: skip
            await stopping.bring_into_force(stopped, by=by_whom(order))

    async def _remember(self, connection: Connection, item: Item, said: PartialAnswer) -> None:
        if self._engine.mode != "stateless":
            asked = await ask_store.answered_by(connection, item)
            question = asked.about if asked else item.turn.question
            asking = await store.item_by_id(connection, asked.inbox_id) if asked else item
            turn = Turn(question=question, asker=item.address.person, addressed=True, key=asking.address.message_ts)
            text = "" if said.is_earlier else said.text
            await self._run(item, saver_on(connection)).remember(
                turn, text or UNSAID, said.cited, unless_known=said.is_earlier
            )

    def _run(self, item: Item, saver: Saver) -> Run:
        preferences = PreferencesIn(
            database=self._database, workspace=item.workspace, channel=item.address.channel, rules=self._rules,
            clock=self._clock,
        )  # fmt: skip
        context = replace(self._engine.context_of(item), preferences=preferences)
        if self._engine.writing_tools and item.kind == "reply":
            approved = ApprovedCall(
                database=self._database, workspace=item.workspace, ask_id=item.ask_id,
                connected=self._engine.writing_tools, clock=self._clock,
            )  # fmt: skip
            context = replace(context, approved=approved)
        return Run(self._engine.graph, saver, thread_id=item.thread_id, context=context)
