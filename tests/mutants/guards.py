"""The guards, one in each line: what a guard is, how to remove it, and the scenario that then must break."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from bot.conversation.address import Address, Placed
from bot.conversation.contents import CommandContent
from bot.conversation.handlers.answering import Answering
from bot.conversation.items import ClaimedItem, Item
from bot.conversation.reconcile import Reconciler
from bot.conversation.schedule import Cadence, ScheduledJobs
from bot.conversation.work import Engine, Work
from bot.conversation.workers import permit
from bot.conversation.workers.worker import Worker
from bot.runtime import beside
from bot.slack.presenter.output import SlackOutput
from graph.events import AnswerEvent, ClarificationRequested
from graph.run import STRICT_RESUME, Run
from tests.mutants import scenarios
from tests.simulation.harness import Simulation
from tests.simulation.host import Parts

Scenario = Callable[[Simulation], Awaitable[list[str]]]


@dataclass(frozen=True, kw_only=True)
class Guard:
    """A guard, and the world without it."""

    name: str
    scenario: Scenario
    sql: tuple[str, str] = ("", "")
    """A part of a statement, and its replacement without the guard."""
    other_net: tuple[str, str] = ("", "")
    """The same for another guard that would catch the same fault."""
    schema: str = ""
    """The statement that removes the guard from the database."""
    parts: Parts = field(default_factory=Parts)
    behind: Parts = field(default_factory=Parts)
    """The world with the guard, if another guard before it is removed from both worlds."""


class HastyAnswering(Answering):
    """Posts the card before the question is committed."""

    async def _end(self, work: Work, ending: AnswerEvent | None) -> None:
        await super()._end(work, ending)
        if isinstance(ending, ClarificationRequested):
            async with self.engine.presenter(self.claim.item, {}) as presenter:
                await work.cards(presenter).post(self.claim.item)


class Hasty(Reconciler):
    """Answers so."""

    async def _handle(self, claim: ClaimedItem) -> None:
        if claim.item.kind in ("turn", "reply", "revision") and not claim.item.asking:
            await HastyAnswering(claim=claim, engine=self._engine).answer()
        else:
            await super()._handle(claim)


class Forgetful(SlackOutput):
    """Does not look for an unrecorded message of a dead run."""

    async def unrecorded(self, address: Address, known: Any) -> Placed | None:
        return None


class Mortal(Worker):
    """Has slots that end with the first error."""

    async def _slot(self) -> None:
        while not self._stopping:
            await self._work_off()
            await self._wake_up.wait()


class Trusting(Engine):
    """Does not check whether the run still waits for the answered interrupt."""

    def run(self, item: Item, saver: BaseCheckpointSaver[Any]) -> Run:
        return TrustingRun.like(super().run(item, saver))


class Lax(Trusting):
    """Does not let LangGraph check it either."""

    def run(self, item: Item, saver: BaseCheckpointSaver[Any]) -> Run:
        run = super().run(item, saver)
        run._config.get("configurable", {}).pop(STRICT_RESUME)
        return run


class TrustingRun(Run):
    """A run that resumes any interrupt."""

    @classmethod
    def like(cls, run: Run) -> "TrustingRun":
        """Return a run with the same parts that resumes any interrupt."""
        trusting = cls.__new__(cls)
        vars(trusting).update(vars(run))
        return trusting

    async def waits_for(self, interrupt_id: str) -> bool:
        return True


class Resigned(Reconciler):
    """Gives an edit up like a question, although nobody waits for it."""

    async def give_up(self, claim: ClaimedItem) -> bool:
        return False if isinstance(claim.item.content, CommandContent) else await super().give_up(claim)


class Heedless(Reconciler):
    """Calls Slack with a permit that is never withdrawn."""

    async def handle(self, claim: ClaimedItem) -> None:
        with permit.taken():
            await super().handle(claim)


class Unsupervised(ScheduledJobs):
    """Runs the jobs only until one fails."""

    @asynccontextmanager
    async def running(self, cadence: Cadence) -> AsyncGenerator[None]:
        async with beside(self._run(cadence), name="deadlines"):
            yield

    async def _run(self, cadence: Cadence) -> None:
        while True:
            await asyncio.sleep(cadence.deadlines_seconds)
            await self.remind()
            await self.expire()


GUARDS = (
    Guard(
        name="unique message key",
        scenario=scenarios.a_mention_comes_as_two_events,
        schema="ALTER TABLE inbox DROP CONSTRAINT inbox_workspace_message_key_key",
    ),
    Guard(
        name="unique event key",
        scenario=scenarios.two_machines_remind_at_once,
        schema="ALTER TABLE inbox DROP CONSTRAINT inbox_workspace_event_key_key",
    ),
    Guard(
        name="order of a thread in the claim",
        scenario=scenarios.questions_come_the_wrong_way_round,
        sql=("ORDER BY o.position, o.id", "ORDER BY o.id = i.id DESC"),
    ),
    Guard(
        name="claim of a thread",
        scenario=scenarios.an_earlier_question_is_edited_while_a_later_one_is_answered,
        sql=("SELECT number FROM processes", "SELECT number FROM processes WHERE false"),
        # A run that has lost its claim could not store anything.
        other_net=("DELETE FROM claims WHERE", "UPDATE claims SET process = process WHERE true OR"),
    ),
    Guard(
        name="lock of a clicked question",
        scenario=scenarios.two_people_click_at_once,
        sql=("token = %(token)s FOR UPDATE", "token = %(token)s"),
    ),
    Guard(
        name="refusal of a click on what is closed",
        scenario=scenarios.somebody_clicks_on_what_was_answered,
        sql=(
            "SELECT * FROM asks WHERE kind = %(kind)s AND token",
            "SELECT *, 'open' AS status FROM asks WHERE kind = %(kind)s AND token",
        ),
    ),
    Guard(
        name="a call that has begun is not made again",
        scenario=scenarios.a_process_dies_in_the_middle_of_a_call,
        sql=(
            "FOR SHARE OF asks\n        ON CONFLICT DO NOTHING",
            "FOR SHARE OF asks ON CONFLICT (workspace, ask_id) DO UPDATE SET state = 'begun'",
        ),
    ),
    Guard(
        name="no approved call begins once its question ends",
        scenario=scenarios.a_question_is_stopped_before_its_approved_call_begins,
        sql=("AND inbox.kind IN ('edit', 'removal', 'stop', 'drop')", "AND false"),
    ),
    Guard(
        name="lock of a flagged document",
        scenario=scenarios.two_processes_tell_the_owner_of_a_flagged_document,
        sql=("FOR NO KEY UPDATE SKIP LOCKED", ""),
    ),
    Guard(
        name="lock of a report",
        scenario=scenarios.two_processes_tell_who_reported_a_document,
        sql=("FROM reports WHERE id = %(id)s FOR UPDATE SKIP LOCKED", "FROM reports WHERE id = %(id)s"),
    ),
    Guard(
        name="look-up of what was posted and not recorded",
        scenario=scenarios.the_process_dies_before_it_knows_where_its_answer_is,
        parts=Parts(stage=Forgetful),
    ),
    Guard(
        name="an item waits until its card is posted",
        scenario=scenarios.the_process_dies_before_its_card_is_posted,
        sql=("%(surface)s AND status IN ('waiting', 'asking')", "%(surface)s AND status = 'waiting'"),
    ),
    Guard(
        name="look-up of the question that a dead run has closed",
        scenario=scenarios.the_process_dies_before_a_card_shows_that_its_question_is_closed,
        sql=("superseded_by = %(id)s AND status = 'superseded'", "false"),
    ),
    Guard(
        name="look-up of the question that a dead run of a clicked question has closed",
        scenario=scenarios.the_process_dies_before_a_card_shows_that_a_click_has_closed_its_question,
        sql=("superseded_by = %(id)s AND status = 'superseded'", "false"),
    ),
    Guard(
        name="look-up of the question that a dead run has closed without an answer",
        scenario=scenarios.the_process_dies_before_a_card_shows_that_its_question_is_given_up,
        sql=("superseded_by = %(id)s AND status = 'superseded'", "false"),
    ),
    Guard(
        name="nothing is joined to words that have closed a question",
        scenario=scenarios.a_person_writes_again_after_the_process_died_before_a_card_shows_what_they_closed,
        sql=("OR superseded_by = item.id", ""),
    ),
    Guard(
        name="look-up of the question that a stopped message has closed",
        scenario=scenarios.a_message_is_stopped_after_the_process_died_before_a_card_shows_what_it_closed,
        sql=("superseded_by = %(id)s AND status = 'superseded'", "false"),
    ),
    Guard(
        name="what an ended message has closed stays closed",
        scenario=scenarios.a_message_that_has_closed_a_question_is_stopped_and_fails_much_later,
        sql=("inbox.status <> 'waiting'", "false"),
    ),
    Guard(
        name="a card is posted after the commit",
        scenario=scenarios.a_card_is_clicked_as_soon_as_it_is_there,
        parts=Parts(answering=Hasty),
    ),
    Guard(
        name="attempts are counted before the run",
        scenario=scenarios.every_run_takes_its_process_along,
        sql=("attempts = attempts + 1", "attempts = attempts"),
    ),
    Guard(
        name="only messages that never ran are joined",
        scenario=scenarios.a_later_question_joins_an_earlier_one_after_its_process_died,
        sql=("SELECT other.*", "SELECT other.*, 0 AS attempts"),
    ),
    Guard(
        name="a change is not given up like a question",
        scenario=scenarios.a_change_takes_its_process_along,
        parts=Parts(answering=Resigned),
    ),
    Guard(
        name="look-up of what was posted before a question is removed",
        scenario=scenarios.a_message_is_deleted_that_a_process_died_over,
        parts=Parts(stage=Forgetful),
    ),
    Guard(
        name="look whether the run still waits",
        scenario=scenarios.an_answer_is_taken_back_and_given_anew,
        parts=Parts(engine=Lax),
    ),
    Guard(
        name="strict resume",
        scenario=scenarios.an_answer_is_taken_back_and_given_anew,
        behind=Parts(engine=Trusting),
        parts=Parts(engine=Lax),
    ),
    Guard(
        name="a run speaks only while its claim holds",
        scenario=scenarios.a_run_loses_its_claim_while_it_waits_for_its_turn,
        parts=Parts(answering=Heedless),
    ),
    Guard(
        name="who takes a claim over hesitates",
        scenario=scenarios.a_run_is_stopped_that_has_not_noticed_that_its_claim_is_lost,
        sql=("xmax <> 0 AS is_takeover", "false AS is_takeover"),
    ),
    Guard(
        name="row-level security",
        scenario=scenarios.somebody_presses_a_button_of_another_company,
        # Without this policy, a click counts only in its own conversation and message, whatever the database returns.
        sql=("WHERE thread_id = %(thread_id)s AND concat_ws", "WHERE true OR concat_ws"),
        other_net=("WHERE inbox_id = ANY(%(family)s) AND (channel, ts)", "WHERE true OR (channel, ts)"),
        schema="""
            DO $$ DECLARE bound regclass; BEGIN
                FOR bound IN SELECT oid::regclass FROM pg_class WHERE relrowsecurity LOOP
                    EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', bound);
                END LOOP;
            END $$
        """,
    ),
    Guard(
        name="supervision of the jobs",
        scenario=scenarios.connections_break_under_the_jobs,
        parts=Parts(jobs=Unsupervised),
    ),
    Guard(
        name="slots outlive what goes wrong",
        scenario=scenarios.connections_break_under_the_slots,
        parts=Parts(worker=Mortal),
    ),
)
