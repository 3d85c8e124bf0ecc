"""An edit or a deletion is stored once, at the place of its message, and counts only if it is the last one."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from bot.conversation import message_store, store
from bot.conversation.address import ChannelId, Placed, Ts
from bot.conversation.asks import family_store
from bot.conversation.asks.ask import USUAL
from bot.conversation.contents import ChangeContent
from bot.conversation.handlers.apply_change import ChangeHandler
from bot.conversation.inputs import Change
from bot.conversation.intake import Intake
from bot.conversation.items import ATTEMPTS, MOST_LAST_WORDS, ClaimedItem, Item
from bot.conversation.transitions import matters
from bot.conversation.work import Work
from bot.conversation.workers import claim_store
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.errors import OutcomeUnknownError, SlackBusyError, SlackError
from bot.postgres.pool import Database
from tests.conversation import claiming
from tests.conversation.test_intake import ask, click, message, waiting
from tests.conversation.test_worker import PROMPTLY, Recorder, lone, statuses
from tests.support.fakes import TurnedClock


def edited(text: str = "And in Porto?", *, ts: str = "100.000001", at: str = "200.5", **given: object) -> Change:
    said = replace(message(text, ts=ts, **given), event_key=f"EvChange{at}")  # pyright: ignore[reportArgumentType]
    return Change(kind="edit", message=said, changed_at=Ts(at))


def deleted(ts: str = "100.000001", *, at: str = "300.5", **given: object) -> Change:
    return replace(edited("How many days?", ts=ts, at=at, **given), kind="removal")


async def claimed(database: Database, clock: TurnedClock) -> Item | None:
    """Return the item that would run next."""
    async with database.transaction() as connection:
        return await claiming.claimed(connection, clock)


async def test_a_change_that_comes_four_times_is_stored_once(database: Database, intake: Intake) -> None:
    await intake.receive(message())

    for _ in range(4):
        await intake.change(edited())

    assert ["edit", "turn"] == [row["kind"] for row in await waiting(database)]


async def test_a_change_comes_before_its_message_and_before_what_follows_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message())
    await intake.receive(message("later", ts="100.000002", root="100.000001"))
    await intake.change(edited())

    item = await claimed(database, clock)

    assert item
    assert "edit" == item.kind


async def test_an_edit_that_comes_before_its_message_stands_for_it(database: Database, intake: Intake) -> None:
    await intake.change(edited())
    await intake.change(edited())

    await intake.receive(message())

    assert ["And in Porto?"] == [row["content"]["question"] for row in await waiting(database)]


async def test_a_message_that_comes_after_its_deletion_is_not_answered(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.change(deleted())

    await intake.receive(message())

    await in_force(database, clock)
    assert await claimed(database, clock) is None
    (_, row) = await waiting(database)
    assert ("removed", "") == (row["status"], row["content"]["question"])


async def test_no_word_of_what_is_deleted_is_stored(database: Database, intake: Intake) -> None:
    gone = deleted()
    said = replace(gone.message, turn=replace(gone.message.turn, question="a secret", unread=("secret.pdf",)))

    await intake.change(replace(gone, message=said))

    assert 2 == len(rows := await waiting(database))
    assert "secret" not in repr(rows)


async def test_what_changes_elsewhere_is_not_stored(database: Database, intake: Intake) -> None:
    await intake.change(edited("Lunch?", addressed=False))
    await intake.change(deleted(addressed=False))

    assert [] == await waiting(database)


async def test_what_was_said_before_the_bot_was_called_in_is_not_stored_when_it_changes(
    database: Database, intake: Intake
) -> None:
    await intake.receive(message(ts="100.000009", root="100.000001"))

    await intake.change(edited("Lunch at one?", ts="100.000001", addressed=False))

    assert 1 == len(await waiting(database))


class Endless:
    """A handler whose first run never ends by itself. It records its items."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.begun: list[str] = []
        self.changed = asyncio.Condition()

    async def handle(self, claim: ClaimedItem) -> None:
        async with self.changed:
            self.begun.append(claim.item.kind)
            self.changed.notify_all()
        if self.begun == ["turn"]:
            await asyncio.Event().wait()
        async with self._database.transaction() as connection:
            await claim_store.end(connection, claim, now=TurnedClock().now())

    async def give_up(self, claim: ClaimedItem) -> bool:
        raise AssertionError(claim)

    async def until(self, begun: list[str]) -> None:
        async with asyncio.timeout(PROMPTLY), self.changed:
            await self.changed.wait_for(lambda: self.begun == begun)


async def test_a_change_ends_the_run_of_the_old_text_and_comes_before_the_next(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message())
    handler = Endless(database)
    async with Worker(
        database, handler, clock, surface="slack", limits=WorkerLimits(slots=2, ceiling_seconds=60)
    ).running():
        await handler.until(["turn"])

        await intake.change(edited())

        await handler.until(["turn", "edit", "turn"])


async def test_a_change_of_a_part_ends_the_run_of_the_whole_and_comes_before_the_next(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    for number, text in enumerate(("zero", "one", "two"), 1):
        await intake.receive(message(text, ts=f"100.{number:06}", root="100.000001"))
    await lone(database, Recorder(), clock).work_one()
    handler = Endless(database)
    async with Worker(
        database, handler, clock, surface="slack", limits=WorkerLimits(slots=2, ceiling_seconds=60)
    ).running():
        await handler.until(["turn"])

        await intake.change(edited(ts="100.000003", root="100.000001"))

        await handler.until(["turn", "edit", "turn"])


async def test_a_change_ends_no_run_of_another_message(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message())
    await intake.receive(message("elsewhere", ts="100.000007"))
    handler = Endless(database)
    async with Worker(
        database, handler, clock, surface="slack", limits=WorkerLimits(slots=1, ceiling_seconds=5.0)
    ).running():
        await handler.until(["turn"])

        await intake.change(edited(ts="100.000007"))

        # The only slot is free again when the run reaches its time limit.
        await handler.until(["turn", "edit", "turn"])
    assert {"How many days?": "waiting"}.items() <= (await statuses(database)).items()


async def test_the_replies_to_a_questions_card_are_of_its_family(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    await intake.choose(click())
    turn, reply = await waiting(database)

    async with database.transaction("one") as connection:
        assert [turn["id"], reply["id"]] == await family_store.family_of(connection, turn["id"])
        assert [reply["id"]] == await family_store.family_of(connection, reply["id"])
        # What the reply asks in turn is about the question, which alone has words.
        assert turn["id"] == (await family_store.first_of(connection, reply["id"])).id


async def claimed_change(database: Database, clock: TurnedClock) -> tuple[ChangeContent, Item]:
    """Claim a change; return what it holds, and its target."""
    item = await claimed(database, clock)
    assert item
    assert isinstance(item.content, ChangeContent)
    async with database.transaction("one") as connection:
        return item.content, await store.item_by_id(connection, item.content.target)


async def test_an_edit_matters_only_if_it_is_newer_and_says_something_else(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message())
    await intake.change(edited())
    change, known = await claimed_change(database, clock)

    assert matters(change, known)
    assert matters(change, replace(known, changed_at=Decimal("200.4")))
    assert not matters(change, replace(known, changed_at=Decimal("200.5")))
    assert matters(change, replace(known, status="removed"))
    assert change.turn
    assert not matters(change, known.with_turn(change.turn))


async def test_a_deletion_matters_once_unless_an_edit_came_after_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message())
    await intake.change(deleted())
    change, known = await claimed_change(database, clock)

    assert matters(change, known)
    assert matters(change, replace(known, changed_at=Decimal("300.4")))
    assert not matters(change, replace(known, changed_at=Decimal(999)))
    assert not matters(change, replace(known, status="removed"))


async def test_an_edit_with_which_a_message_came_in_is_not_undone_by_an_earlier_one(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.change(edited("How many in Porto?", at="200.6"))

    await intake.change(edited("How many?", at="200.5"))

    change, known = await claimed_change(database, clock)
    assert "edit" == change.kind
    assert not matters(change, known)


async def nothing(*_: object, **_more: object) -> None:
    """Show nothing."""


async def in_force(
    database: Database,
    clock: TurnedClock,
    *,
    remove: Callable[[Placed], Awaitable[None]] = nothing,
    attempt: int = 1,
) -> None:
    """Apply the next change, without any message to update."""
    async with database.transaction() as connection:
        claim = await claiming.claim(connection, clock)
        assert claim
        silent: Any = SimpleNamespace(unrecorded=nothing, forget=nothing, remove=remove)
        engine: Any = SimpleNamespace(
            output=silent,
            run=lambda *_: silent,
            rules=USUAL,
            clock=clock,
            database=database,
            review_channel=None,
        )
        claim_then = replace(claim, item=replace(claim.item, attempts=attempt))
        work = Work(claim=claim_then, connection=connection, engine=engine, saver=silent)
        change: Any = claim.item.content
        await ChangeHandler(work, silent, change).apply()
        await claiming.finish(connection, claim.item.id, asking=False, now=clock.now())


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (SlackError, ATTEMPTS),
        (OutcomeUnknownError, ATTEMPTS + MOST_LAST_WORDS),
        (SlackBusyError, ATTEMPTS + MOST_LAST_WORDS),
    ],
)
async def test_what_slack_does_not_take_away_is_tried_for_longer_where_slack_may_come_back(
    database: Database, intake: Intake, clock: TurnedClock, error: type[SlackError], last: int
) -> None:
    async def refuse(_: Placed) -> None:
        raise error

    await intake.receive(message())
    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)
        assert item
        placed = Placed(channel=ChannelId("C0"), ts=Ts("100.9"))
        await message_store.record_message(connection, item, kind="answer", parts=[placed], now=clock.now())
        await claiming.finish(connection, item.id, asking=False, now=clock.now())
    await intake.change(deleted())

    with pytest.raises(error):
        await in_force(database, clock, remove=refuse, attempt=last - 1)
    await in_force(database, clock, remove=refuse, attempt=last)

    assert ["finished", "removed"] == [row["status"] for row in await waiting(database)]


async def test_an_edit_back_to_the_first_words_counts_also_where_the_edit_before_it_comes_later(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("How many days?"))
    await intake.change(edited("How many days?", at="300.5"))
    await intake.change(edited("And in Porto?", at="200.5"))

    await in_force(database, clock)
    await in_force(database, clock)

    assert ["How many days?"] == [
        row["content"]["question"] for row in await waiting(database) if row["kind"] == "turn"
    ]
