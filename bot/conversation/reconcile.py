"""The reconciler: takes an item, and lets the handler of its kind do what it wants.

Whatever needs no model is handled in the one transaction that ends the claim.
"""

from dataclasses import replace
from typing import Final

from bot.conversation import store
from bot.conversation.answering import Answering
from bot.conversation.asks import ask_store
from bot.conversation.asks.card import banner_of
from bot.conversation.commands.apply_change import ChangeHandler
from bot.conversation.commands.apply_end import apply_drop, apply_stop
from bot.conversation.items import Claim
from bot.conversation.traces.recorder import keep_run, recorded
from bot.conversation.work import Engine, Work
from bot.conversation.workers import claim_store

FAILED: Final = "I could not answer this: something went wrong on my side."


class Reconciler:
    """The handler of the inbox's items."""

    answering: type[Answering] = Answering

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def handle(self, claim: Claim) -> int:
        """Handle an item, record its run, and end its claim; return the number of the thread's checkpoints."""
        engine, item = self._engine, claim.item
        async with recorded(item, engine.database, engine.clock, keeps=engine.keeps_runs, spans_of=engine.spans_of):
            return await self._handle(claim)

    async def _handle(self, claim: Claim) -> int:
        item = claim.item
        if item.kind == "turn" and item.address.is_in_company:
            return await self._move(claim)
        if item.kind in ("turn", "reply", "revision") and not item.asking:
            return await self.answering(claim=claim, engine=self._engine).answer()
        async with self._engine.working(claim) as work:
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
            await self._handle(claim)
            return True
        if item.kind == "review":
            async with self._engine.database.transaction(item.workspace) as connection:
                await self._engine.reviewing.give_up(item, connection)
        if item.is_a_question:
            await self._tell_of_failure(claim)
        return False

    async def _move(self, claim: Claim) -> int:
        """Move a question from a shared channel to a direct message."""
        item = claim.item
        address = await self._engine.output.meet(item.address, f"{item.reference}-meeting")
        async with self._engine.database.transaction(item.workspace) as connection:
            await store.move(connection, item.id, address)
            await claim_store.release(connection, claim)
        return 0

    async def _tell_of_failure(self, claim: Claim) -> None:
        item = claim.item
        async with self._engine.working(claim) as work:
            # Include unrecorded messages, because an earlier failure message may have been interrupted. Tell the person
            # in any case.
            posted = await work.posted(replace(item, status="waiting"))
            await ask_store.show_again(work.connection, beside=item.id, now=work.now)
            await self._engine.reviewing.fail(item, work.connection)
            async with self._engine.presenter(item, posted) as presenter:
                cards = work.cards(presenter)
                if item.asking:
                    await cards.close_unseen(item)
                await cards.show_choice(item, is_final=False)
                await presenter.fail(FAILED)


async def _apply(work: Work) -> None:
    """Do what an item wants that needs no model."""
    match work.item.kind:
        case "stop":
            await apply_stop(work)
        case "drop":
            await apply_drop(work)
        case "notice":
            async with work.engine.presenter(work.item, {}) as presenter:
                if said := work.item.content.get("said"):
                    await presenter.tell(said)
                else:
                    await presenter.refuse(work.item.refused_message)
        case _:
            await _show(work)


async def _show(work: Work) -> None:
    item, connection = work.item, work.connection
    posted = await work.posted(item)
    async with work.engine.presenter(item, posted) as presenter:
        if item.is_of_review and (banner := await banner_of(connection, item.shown_for, work.engine.rules)):
            # The reviewed answer keeps the banner below it.
            presenter.set_banner(banner)
        match item.kind:
            case _ if item.asking:
                await work.cards(presenter).post(item)
            case "edit" | "removal":
                await ChangeHandler(work, presenter).apply()
            case "review":
                await work.engine.reviewing.put(item, connection, presenter, attempt=work.attempt.number)
            case "decision":
                await work.engine.reviewing.rule(item, connection, work.run, presenter)
            case "reminder" if "reminder" not in posted:
                await work.cards(presenter).remind(item)
            case _:
                pass
