"""The guards, one a line: what it is, how it is taken away, and the scenario that then must break."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from bot.address import Address, Placed
from bot.answering import Answering
from bot.carding import post_card
from bot.database import Connection
from bot.inbox.items import Item
from bot.inbox.worker import Handled, Worker
from bot.slack.stage import SlackStage
from tests.mutants import scenarios
from tests.village.host import Parts
from tests.village.village import Village

Scenario = Callable[[Village], Awaitable[list[str]]]


@dataclass(frozen=True, kw_only=True)
class Guard:
    """A guard, and the world without it."""

    name: str
    scenario: Scenario
    sql: tuple[str, str] = ("", "")
    """A part of a statement, and what stands there without the guard."""
    schema: str = ""
    """What takes the guard out of the database."""
    parts: Parts = field(default_factory=Parts)


class Hasty(Answering):
    """Posts the card before its question is committed."""

    async def handle(self, item: Item, connection: Connection, *, attempt: int) -> Handled:
        handled = await super().handle(item, connection, attempt=attempt)
        if handled.asking:
            async with self._presenter(item, {}) as presenter:
                await post_card(item, connection, presenter)
        return handled


class Forgetful(SlackStage):
    """Does not look for what it may have posted."""

    async def unrecorded(self, address: Address, known: Any) -> Placed | None:
        return None


class Mortal(Worker):
    """Has slots that end with the first thing that goes wrong."""

    async def _slot(self) -> None:
        while not self._stopping:
            await self._work_off()
            await self._bell.heard()


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
        sql=("(o.position, o.id) < (i.position, i.id)", "false"),
    ),
    Guard(
        name="lock of a thread",
        scenario=scenarios.an_earlier_question_is_edited_while_a_later_one_is_answered,
        sql=("pg_advisory_xact_lock(hashtextextended(thread_id, 0))", "0"),
    ),
    Guard(
        name="lock of a clicked question",
        scenario=scenarios.two_people_click_at_once,
        sql=("FOR UPDATE NOWAIT", ""),
    ),
    Guard(
        name="refusal of a click on what is closed",
        scenario=scenarios.somebody_clicks_on_what_was_answered,
        sql=("SELECT * FROM clarifications WHERE token", "SELECT *, 'open' AS status FROM clarifications WHERE token"),
    ),
    Guard(
        name="look-up of what was posted and not recorded",
        scenario=scenarios.the_process_dies_before_it_knows_where_its_answer_is,
        parts=Parts(stage=Forgetful),
    ),
    Guard(
        name="an item waits until its card is posted",
        scenario=scenarios.the_process_dies_before_its_card_is_posted,
        sql=("CASE WHEN %(asking)s THEN 'asking' ELSE 'finished' END", "'finished'"),
    ),
    Guard(
        name="a card is posted after the commit",
        scenario=scenarios.a_card_is_clicked_as_soon_as_it_is_there,
        parts=Parts(answering=Hasty),
    ),
    Guard(
        name="attempts are counted apart from the run",
        scenario=scenarios.every_run_takes_its_process_along,
        sql=("begun = attempts.begun + 1", "begun = attempts.begun"),
    ),
    Guard(
        name="slots outlive what goes wrong",
        scenario=scenarios.connections_break_under_the_slots,
        parts=Parts(worker=Mortal),
    ),
)
