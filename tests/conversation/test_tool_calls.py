"""A call of a tool that writes begins once for each approval, and only while the approval holds."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.conversation import store
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.ask import USUAL
from bot.conversation.asks.call_store import ApprovedCall
from bot.conversation.asks.clarifications import Clarification, clarifying
from bot.conversation.intake import Intake
from bot.conversation.schedule import Retention
from bot.postgres.pool import Database
from graph.events import ClarificationRequested, Option
from graph.tools import CallOutcome, PlannedChange, ToolCall, ToolError, ToolResult, UnansweredError
from tests.conversation.test_intake import ADA, message
from tests.conversation.test_scheduled_jobs import jobs_of
from tests.support.fakes import TurnedClock

CHANGE = PlannedChange(tool="tracker.create", title="Tracker: create", arguments={"title": "printer"})
RESULT = ToolResult(title="Tracker: create", text="Created TR-13.")
DONE = CallOutcome(state="done", result=RESULT)
ASKED = ClarificationRequested(
    interrupt_id="i1",
    question="May I?",
    options=(Option(id="allow", label="Approve"), Option(id="deny", label="No")),
    change=CHANGE,
    asker=ADA,
)


@pytest.fixture
async def approval(database: Database, intake: Intake, clock: TurnedClock) -> int:
    """The id of an approval that was given."""
    await intake.receive(message("Create an issue."))
    async with database.transaction("one") as connection:
        item = await store.item_by_id(connection, 1)
        new = clarifying(ASKED, about="Create an issue.", asker=ADA, now=clock.now(), rules=USUAL)
        asked = await ask_store.insert(connection, Clarification, item, new, now=clock.now())
        choice = {"kind": "option", "value": "allow", "label": "Approve"}
        await ask_store.decide(connection, asked, choice, by=ADA, now=clock.now())
        await connection.execute("UPDATE inbox SET status = 'finished'")
    return asked.id


async def begun(
    database: Database, approval: int, clock: TurnedClock, change: PlannedChange = CHANGE
) -> CallOutcome | None:
    async with database.transaction("one") as connection:
        return await call_store.begin(connection, approval, change, now=clock.now())


async def rows(database: Database) -> list[dict[str, Any]]:
    async with database.transaction("one") as connection:
        return await (await connection.execute("SELECT state, arguments, result FROM tool_calls")).fetchall()


async def test_a_call_begins_once_and_what_has_only_begun_is_unknown(
    database: Database, approval: int, clock: TurnedClock
) -> None:
    assert await begun(database, approval, clock) is None
    assert {"state": "unknown"} == await begun(database, approval, clock)
    async with database.transaction("one") as connection:
        await call_store.end(connection, approval, DONE)
    assert {"state": "unknown"} == await begun(database, approval, clock), "Somebody was told that nobody knows."


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE asks SET status = 'superseded'",
        "UPDATE asks SET status = 'open'",
        'UPDATE asks SET decision = decision || \'{"value": "deny"}\'',
        "UPDATE asks SET payload = jsonb_set(payload, '{change,arguments,title}', '\"other\"')",
        "UPDATE inbox SET kind = 'stop', status = 'waiting'",
        "UPDATE inbox SET kind = 'edit', status = 'waiting'",
    ],
)
async def test_without_an_approval_that_holds_no_call_begins(
    database: Database, approval: int, clock: TurnedClock, statement: str
) -> None:
    async with database.transaction("one") as connection:
        await connection.execute(statement.encode())

    assert {"state": "withdrawn"} == await begun(database, approval, clock)
    assert [] == await rows(database)


async def test_an_approval_that_was_taken_back_does_not_hold(
    database: Database, approval: int, clock: TurnedClock
) -> None:
    async with database.transaction("one") as connection:
        await call_store.withdraw(connection, approval)

    assert {"state": "withdrawn"} == await begun(database, approval, clock)


@pytest.mark.parametrize(
    ("raised", "state"), [(None, "done"), (ToolError(), "refused"), (UnansweredError(), "unknown")]
)
async def test_ten_runs_at_a_time_make_one_call(
    database: Database, approval: int, clock: TurnedClock, raised: ToolError | None, state: str
) -> None:
    calls: list[ToolCall] = []

    async def write(call: ToolCall) -> ToolResult:
        calls.append(call)
        await asyncio.sleep(0)
        if raised:
            raise raised
        return RESULT

    async def connected():  # noqa: ANN202
        return write

    approved = ApprovedCall(database=database, workspace="one", ask_id=approval, connected=connected, clock=clock)
    outcomes = await asyncio.gather(*(approved.make(CHANGE) for _ in range(10)))

    assert [CHANGE] == calls
    assert {"unknown", state} >= {outcome["state"] for outcome in outcomes}


async def test_a_call_that_was_made_is_told_again_and_its_words_are_forgotten_in_time(
    database: Database, approval: int, clock: TurnedClock
) -> None:
    await begun(database, approval, clock)
    async with database.transaction("one") as connection:
        await call_store.end(connection, approval, DONE)
    assert DONE == await begun(database, approval, clock)

    clock.turn(days=3.1)
    kept_for = Retention(checkpoints=timedelta(days=7), runs=timedelta(days=3))
    await jobs_of(database, clock, retention=kept_for).prune()

    assert [{"state": "done", "arguments": {}, "result": None}] == await rows(database)
    assert {"state": "done"} == await begun(database, approval, clock), "It is not made again."
