"""One person's many questions do not delay others, and no question is lost silently."""

import asyncio
from dataclasses import asdict, dataclass, field, replace
from typing import Any, LiteralString, cast

import pytest
from psycopg.types.json import Jsonb

from bot.conversation.arrival_store import Arrivals
from bot.conversation.contents import NoticeContent
from bot.conversation.inputs import QueueLimits
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.message_kinds import MessageRefused
from bot.conversation.workers import burst_store
from bot.postgres.pool import Connection, Database
from tests.conversation import claiming
from tests.conversation.test_intake import ADA, BEN, message, waiting
from tests.support.fakes import TurnedClock

FEW = QueueLimits(per_person=3, altogether=1000)


@pytest.fixture
def narrow(database: Database, clock: TurnedClock) -> Intake:
    return Intake(database, clock, workspace="one", surface="slack", limits=FEW)


async def flood(intake: Intake, count: int, *, person: str = ADA, start: int = 1, **given: Any) -> None:
    """Let a person ask this many questions, each in its own thread."""
    for number in range(start, start + count):
        ts = f"{100 + 100 * (person != ADA)}.{number:06}"
        await intake.receive(message(f"{person} {number}", ts=ts, person=person, **given))


async def claimed_in_order(database: Database, clock: TurnedClock, most: int) -> list[Item]:
    """Claim and finish items one after another; return them."""
    items: list[Item] = []
    while len(items) < most:
        async with database.transaction() as connection:
            item = await claiming.claimed(connection, clock)
            if item is None:
                break
            await claiming.finish(connection, item.id, asking=False, now=clock.now())
        items.append(item)
    return items


async def test_behind_two_hundred_questions_of_one_person_everybody_elses_first_comes_at_once(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await flood(intake, 200)
    others = [f"U{number}OTHER" for number in range(10)]
    for number, other in enumerate(others):
        await intake.receive(message(other, ts=f"50.{number:06}", person=other))

    first = await claimed_in_order(database, clock, 11)

    assert [ADA, *others] == [item.address.person for item in first]


async def test_two_busy_people_are_answered_in_turn(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await flood(intake, 5)
    await flood(intake, 5, person=BEN)

    people = [item.address.person for item in await claimed_in_order(database, clock, 10)]

    assert [ADA, BEN] * 5 == people


async def test_who_was_away_has_saved_nothing_up(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await flood(intake, 6)
    await claimed_in_order(database, clock, 3)
    await flood(intake, 3, person=BEN)

    people = [item.address.person for item in await claimed_in_order(database, clock, 6)]

    assert [ADA, BEN] * 3 == people


async def test_a_thread_keeps_its_order_whoever_wrote_in_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await flood(intake, 5)
    await intake.receive(message("behind", ts="900.000001", root="100.000005", person=BEN))

    questions = [item.turn.question for item in await claimed_in_order(database, clock, 6)]

    assert [f"{ADA} {number}" for number in range(1, 6)] == questions[:5]
    assert "behind" == questions[5]


async def test_beyond_the_limit_messages_are_refused_and_that_is_said_once(
    database: Database, narrow: Intake, clock: TurnedClock
) -> None:
    await flood(narrow, 8)

    rows = await waiting(database)
    assert ["waiting"] * 3 + ["refused"] * 5 == [row["status"] for row in rows if row["kind"] == "turn"]
    notices = [Item.from_row(**row).content for row in rows if row["kind"] == "notice"]
    assert [NoticeContent(refused=MessageRefused(of="person", limit=3))] == notices


async def test_a_notice_does_not_wait_behind_what_it_is_about(
    database: Database, narrow: Intake, clock: TurnedClock
) -> None:
    for number in range(1, 6):
        await narrow.receive(message(str(number), ts=f"100.{number:06}", root="100.000001"))

    (first,) = await claimed_in_order(database, clock, 1)

    assert "notice" == first.kind


async def test_messages_refused_at_the_same_moment_bring_one_notice(database: Database, narrow: Intake) -> None:
    await flood(narrow, 3)

    await asyncio.gather(*(narrow.receive(message("more", ts=f"900.{number:06}")) for number in range(8)))

    kinds = [row["kind"] for row in await waiting(database)]
    assert (11, 1) == (kinds.count("turn"), kinds.count("notice"))


async def test_a_refused_message_that_comes_again_is_not_taken_then(
    database: Database, narrow: Intake, clock: TurnedClock
) -> None:
    await flood(narrow, 4)
    await claimed_in_order(database, clock, 5)

    await flood(narrow, 1, start=4)

    assert "refused" == [row["status"] for row in await waiting(database) if row["kind"] == "turn"][3]


async def test_when_some_are_answered_the_person_may_ask_again_and_the_next_flood_is_told_again(
    database: Database, narrow: Intake, clock: TurnedClock
) -> None:
    await flood(narrow, 5)
    await claimed_in_order(database, clock, 4)
    clock.turn(minutes=2)

    await flood(narrow, 5, start=10)

    kinds = [(row["kind"], row["status"]) for row in await waiting(database)]
    assert (3, 4, 2) == (
        kinds.count(("turn", "waiting")),
        kinds.count(("turn", "refused")),
        len([kind for kind, _ in kinds if kind == "notice"]),
    )


async def test_an_offered_question_that_was_refused_is_asked_by_a_later_click(
    database: Database, narrow: Intake, clock: TurnedClock
) -> None:
    await flood(narrow, 3)
    key = "C0:100.000001:follow_up:0"
    refused = await narrow.ask_clicked(replace(message(ts="100.900001", root="100.000001"), message_key=key))
    assert refused.is_refused
    assert ["refused"] == [row["status"] for row in await waiting(database) if row["message_key"] == key]
    await claimed_in_order(database, clock, 5)

    clicks = [replace(message(ts=f"200.{n:06}", root="100.000001", person=BEN), message_key=key) for n in range(4)]
    asked = await asyncio.gather(*map(narrow.ask_clicked, clicks))

    assert [(BEN, False)] * 4 == [(one.asker, one.is_refused) for one in asked]
    assert 1 == sum(one.is_new for one in asked)
    assert ["waiting"] == [row["status"] for row in await waiting(database) if row["message_key"] == key]


async def test_what_was_not_said_to_the_bot_is_refused_without_a_word(database: Database, narrow: Intake) -> None:
    await flood(narrow, 3)

    await narrow.receive(message("aside", ts="900.000001", root="100.000001", addressed=False))

    assert ["turn"] * 4 == [row["kind"] for row in await waiting(database)]


async def test_the_workspace_has_a_limit_of_its_own(database: Database, clock: TurnedClock) -> None:
    intake = Intake(database, clock, workspace="one", surface="slack", limits=QueueLimits(per_person=3, altogether=4))
    await flood(intake, 3)

    await flood(intake, 3, person=BEN)

    rows = await waiting(database)
    assert 4 == [row["status"] for row in rows if row["kind"] == "turn"].count("waiting")
    (notice,) = [Item.from_row(**row) for row in rows if row["kind"] == "notice"]
    assert BEN == notice.address.person
    assert NoticeContent(refused=MessageRefused(of="everybody", limit=4)) == notice.content


async def test_another_workspace_is_not_crowded_by_it(app_url: str, narrow: Intake, clock: TurnedClock) -> None:
    await flood(narrow, 5)
    async with Database.open(app_url, size=2, workspace="two") as elsewhere:
        await flood(Intake(elsewhere, clock, workspace="two", surface="slack", limits=FEW), 1)

        assert ["waiting"] == [row["status"] for row in await waiting(elsewhere)]


@dataclass
class Explained:
    """A connection that records the plan of its first statement."""

    connection: Connection
    plan: str = ""

    async def execute(self, query: Any, parameters: Any) -> Any:
        cursor = await self.connection.execute("EXPLAIN (ANALYZE, COSTS off, TIMING off) " + query, parameters)
        self.plan = self.plan or "\n".join(str(row["QUERY PLAN"]) for row in await cursor.fetchall())
        return await self.connection.execute(query, parameters)


@dataclass
class Watched:
    """A connection that records its statements."""

    connection: Connection
    statements: list[str] = field(default_factory=list[str])

    async def execute(self, query: Any, parameters: Any) -> Any:
        self.statements.append(query)
        return await self.connection.execute(query, parameters)


async def ten_thousand_wait(connection: Connection) -> None:
    """Let each of a hundred people have a hundred waiting questions."""
    await connection.execute(
        """
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, person,
                           rank, due_at, reference, received_at)
        SELECT 'slack', 'one', 'T0:C0:' || n, n, 'turn', 'Ev' || n, %(address)s, %(content)s, 'U' || mod(n, 100),
               n / 100, 'epoch', 'R' || n, now()
        FROM generate_series(1, 10000) AS n
        """,
        {"address": Jsonb(asdict(message().address)), "content": Jsonb(asdict(message().turn))},
    )


@pytest.mark.parametrize("analyze", ["", "ANALYZE inbox"])
async def test_of_ten_thousand_that_wait_the_next_is_found_by_index(
    database: Database, clock: TurnedClock, analyze: LiteralString
) -> None:
    async with database.transaction() as connection:
        await ten_thousand_wait(connection)
    async with database.connection() as connection:
        await connection.execute(analyze)
    async with database.transaction() as connection:
        explained = Explained(connection)

        assert await claiming.claim(cast("Connection", explained), clock)

    assert "Index Scan using inbox_ranked on inbox i (actual rows=1" in explained.plan
    assert "Seq Scan on inbox" not in explained.plan
    assert "Sort" not in explained.plan


@pytest.mark.parametrize("analyze", ["", "ANALYZE inbox"])
async def test_with_ten_thousand_waiting_a_message_comes_in_by_indexes(
    database: Database, clock: TurnedClock, analyze: LiteralString
) -> None:
    async with database.transaction() as connection:
        await ten_thousand_wait(connection)
    async with database.connection() as connection:
        await connection.execute(analyze)
        explained = Explained(connection)

        limits = QueueLimits(per_person=20, altogether=500)
        arrivals = Arrivals(workspace="one", surface="slack", clock=clock, limits=limits)
        await arrivals.admit(cast("Connection", explained), message(person="U7"))

    assert "Seq Scan" not in explained.plan
    assert "Sort" not in explained.plan
    assert "rows=10000" not in explained.plan


async def test_behind_ten_thousand_that_are_done_a_thread_is_found_by_index(database: Database) -> None:
    async with database.transaction() as connection:
        await ten_thousand_wait(connection)
        await connection.execute("UPDATE inbox SET status = 'finished', finished_at = now()")
        cursor = await connection.execute("UPDATE inbox SET status = 'waiting' WHERE reference = 'R1' RETURNING *")
        row = await cursor.fetchone()
        assert row is not None
    async with database.transaction() as connection:
        explained = Explained(connection)

        await burst_store.behind(cast("Connection", explained), Item.from_row(**row))

    assert "Seq Scan on inbox" not in explained.plan


async def test_what_comes_in_is_told_of_only_once_it_is_committed_or_commits_would_wait_for_each_other(
    database: Database, clock: TurnedClock
) -> None:
    async with database.connection() as connection:
        watched = Watched(connection)
        arrivals = Arrivals(workspace="one", surface="slack", clock=clock)

        assert await arrivals.admit(cast("Connection", watched), message())
        assert connection.autocommit

    assert [False, True] == ["pg_notify" in statement for statement in watched.statements]
