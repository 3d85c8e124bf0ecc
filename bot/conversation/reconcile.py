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
from bot.conversation.asks.ask import USUAL, Policy
from bot.conversation.asks.call_store import ApprovedCall, Write
from bot.conversation.asks.card import banner_of
from bot.conversation.asks.preference_store import PreferencesIn
from bot.conversation.asks.reviewing import Reviewing
from bot.conversation.commands.apply_change import ChangeHandler
from bot.conversation.commands.apply_end import apply_drop, apply_stop
from bot.conversation.items import Claim, Item
from bot.conversation.ports import Output
from bot.conversation.traces.recorder import keep_run
from bot.conversation.work import Posting, Work
from bot.conversation.workers import claim_store
from bot.postgres.checkpoints import Saver, saver_on
from bot.postgres.pool import Database
from graph.builder import CompiledGraph
from graph.context import Clock, Context
from graph.run import Run
from graph.turn import Mode

FAILED: Final = "I could not answer this: something went wrong on my side."
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
        async with self._working(claim) as work:
            await _apply(work)
            await keep_run(work.connection, item, now=work.now)
            return await claim_store.end(work.connection, claim, now=work.now)

    async def give_up(self, claim: Claim) -> bool:
        """Tell the person that the item has failed, if somebody waits; return whether the item was done after all.

        A command is applied instead, as far as Slack allows it: giving up would leave a wrong answer in the thread, and
        the thread must go on.
        """
        item = claim.item
        if item.is_command:
            await self.handle(claim)
            return True
        if item.kind == "review":
            async with self._database.transaction(item.workspace) as connection:
                await self._reviewing.give_up(item, connection)
        if item.is_a_question:
            await self._tell_of_failure(claim)
        return False

    def _answering(self, claim: Claim) -> Answering:
        return self.answering(
            claim=claim, database=self._database, working=partial(self._working, claim), posting=self._posting,
            reviewing=self._reviewing, rules=self._rules, clock=self._clock,
        )  # fmt: skip

    @asynccontextmanager
    async def _working(self, claim: Claim, saver: Saver | None = None) -> AsyncGenerator[Work]:
        """Lend a transaction in which Slack may be called. Their number is limited, because Slack may be slow.

        Its run keeps checkpoints in `saver`, by default in the transaction.
        """
        async with self._speakers, self._database.transaction(claim.item.workspace) as connection:
            yield Work(
                claim=claim, connection=connection, output=self._output, posting=self._posting,
                reviewing=self._reviewing, run_of=partial(self._run, saver=saver or saver_on(connection)),
                rules=self._rules, mode=self._engine.mode, clock=self._clock,
            )  # fmt: skip

    async def _move(self, claim: Claim) -> int:
        """Move a question from a shared channel to a direct message."""
        item = claim.item
        address = await self._output.meet(item.address, f"{item.reference}-meeting")
        async with self._database.transaction(item.workspace) as connection:
            await store.move(connection, item.id, address)
            await claim_store.release(connection, claim)
        return 0

    async def _tell_of_failure(self, claim: Claim) -> None:
        item = claim.item
        async with self._working(claim) as work:
            # Include unrecorded messages, because an earlier failure message may have been interrupted. Tell the person
            # in any case.
            posted = await self._posting.posted(replace(item, status="waiting"), work.connection, may_miss=True)
            await ask_store.show_again(work.connection, beside=item.id, now=work.now)
            await self._reviewing.fail(item, work.connection)
            async with self._posting.presenter(item, posted) as presenter:
                cards = work.cards(presenter)
                if item.asking:
                    await cards.close_unseen(item)
                await cards.show_choice(item, is_final=False)
                await presenter.fail(FAILED)

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


async def _apply(work: Work) -> None:
    """Do what an item wants that needs no model."""
    match work.item.kind:
        case "stop":
            await apply_stop(work)
        case "drop":
            await apply_drop(work)
        case "notice":
            async with work.posting.presenter(work.item, {}) as presenter:
                if said := work.item.content.get("said"):
                    await presenter.tell(said)
                else:
                    await presenter.refuse(work.item.refused_message)
        case _:
            await _show(work)


async def _show(work: Work) -> None:
    item, connection = work.item, work.connection
    posted = await work.posted(item)
    async with work.posting.presenter(item, posted) as presenter:
        if item.is_of_review and (banner := await banner_of(connection, item.shown_for, work.rules)):
            # The reviewed answer keeps the banner below it.
            presenter.set_banner(banner)
        match item.kind:
            case _ if item.asking:
                await work.cards(presenter).post(item)
            case "edit" | "removal":
                await ChangeHandler(work=work, presenter=presenter).apply()
            case "review":
                await work.reviewing.put(item, connection, presenter, attempt=work.attempt.number)
            case "decision":
                await work.reviewing.rule(item, connection, work.run, presenter)
            case "reminder" if "reminder" not in posted:
                await work.cards(presenter).remind(item)
            case _:
                pass
