"""Each input is stored once, and each question is answered once."""

import asyncio
from dataclasses import replace
from typing import Any, LiteralString

import psycopg
import pytest

from bot.conversation import message_store, store, transitions
from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.conversation.asks import ask_store
from bot.conversation.asks.ask import USUAL, AskRules
from bot.conversation.asks.clarifications import Clarification, clarifying
from bot.conversation.inputs import Click, ClickRefused, Message, Rating
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.message_kinds import Shown
from bot.postgres.pool import Connection, Database
from graph.events import ClarificationRequested, Option
from graph.turn import Choice, Turn
from tests.conversation import claiming
from tests.conversation.holding import wait_for_locks
from tests.support.fakes import TurnedClock

ADA, BEN = PersonId("U0ADA"), PersonId("U0BEN")


def message(
    text: str = "How many days?", *, ts: str = "100.000001", root: str | None = None, person: str = ADA, **turn: Any
) -> Message:
    address = Address(
        team=TeamId("T0"),
        channel=ChannelId("C0"),
        thread_ts=Ts(root or ts),
        message_ts=Ts(ts),
        person=PersonId(person),
        person_team=TeamId("T0"),
    )
    known = {"question": text, "asker": person, "addressed": True, **turn}
    return Message(event_key=f"Ev{ts}", message_key=f"C0:{ts}", address=address, turn=Turn(**known))


async def waiting(database: Database, what: str = "inbox") -> list[dict[str, Any]]:
    async with database.transaction() as connection:
        queries: dict[str, LiteralString] = {
            "inbox": "SELECT * FROM inbox ORDER BY position, id",
            "asks": "SELECT * FROM asks",
            "feedback": "SELECT * FROM feedback",
        }
        return await (await connection.execute(queries[what])).fetchall()


async def ask(database: Database, intake: Intake, clock: TurnedClock) -> str:
    """Let a run wait for an answer to two options; return the card's token."""
    await intake.receive(message("How do I reset it?"))
    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)
        assert item
        await ask_back(connection, item, clock, asking=False)
    return "secret"


async def ask_back(connection: Connection, item: Item, clock: TurnedClock, *, asking: bool) -> None:
    """End a run with a question of two options; if the item is `asking`, the card is still to be posted."""
    asked = ClarificationRequested(
        interrupt_id="i1", question="Which one?", options=(Option(id="a", label="Desk"), Option(id="b", label="Pine"))
    )
    new = clarifying(asked, about="How do I reset it?", asker=item.address.person, now=clock.now(), rules=USUAL)
    await ask_store.insert(connection, Clarification, item, replace(new, token="secret"), now=clock.now())
    await claiming.finish(connection, item.id, asking=asking, now=clock.now())


async def test_both_events_of_a_mention_store_it_once_and_the_second_one_costs_no_statement(
    database: Database, intake: Intake
) -> None:
    await asyncio.gather(intake.receive(message("one")), intake.receive(replace(message("one"), event_key="other")))
    await intake.receive(message("two", ts="100.000002"))

    # A statement in vain takes a number, too.
    assert [1, 2] == [row["id"] for row in await waiting(database)]


async def test_if_a_mentions_first_event_is_not_committed_the_second_one_stores_it(
    database: Database, intake: Intake
) -> None:
    async with database.transaction() as connection:
        await connection.execute("LOCK TABLE inbox")
        first = asyncio.create_task(intake.receive(message("one")))
        await wait_for_locks(database, 1)
        second = asyncio.create_task(intake.receive(replace(message("one"), event_key="other")))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
    await second

    assert ["other"] == [row["event_key"] for row in await waiting(database)]


async def test_through_a_pooler_a_message_whose_commit_failed_is_stored_when_it_comes_again(
    app_url: str, database_url: str, clock: TurnedClock
) -> None:
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$no$$; END'")
        owner.execute(
            "CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON inbox DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION fail()"
        )
        # To the bot, any other way to the server is a pooler.
        async with Database.open(app_url, size=2, workspace="one", pooler=app_url) as database:
            intake = Intake(database, clock, workspace="one", surface="slack")
            with pytest.raises(psycopg.errors.RaiseException):
                await intake.receive(message("one"))
            owner.execute("DROP TRIGGER fails ON inbox")
            await intake.receive(message("one"))

            assert ["one"] == [row["content"]["question"] for row in await waiting(database)]


async def test_a_mention_that_another_process_has_stored_is_stored_once(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    other = Intake(database, clock, workspace="one", surface="slack")

    for each in (intake, other, intake):
        await each.receive(message("one"))

    assert ["one"] == [row["content"]["question"] for row in await waiting(database)]


def click(value: str = "a", *, person: PersonId = BEN, key: str = "k1", token: str = "secret") -> Click:
    return Click(
        event_key=key,
        token=token,
        choice=Choice(kind="option", value=value),
        thread_id=message().address.thread_id,
        person=person,
        clicked_at=Ts("101.5"),
    )


async def test_an_event_that_comes_four_times_is_stored_once(database: Database, intake: Intake) -> None:
    await asyncio.gather(*(intake.receive(message()) for _ in range(4)))

    assert 1 == len(await waiting(database))


async def test_a_mention_and_the_message_of_the_same_post_are_one(database: Database, intake: Intake) -> None:
    mention = message()

    await intake.receive(mention)
    await intake.receive(replace(mention, event_key="EvOther"))

    assert 1 == len(await waiting(database))


async def test_a_click_from_another_conversation_changes_nothing_and_is_told_nothing(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    away = replace(click(), thread_id="T0:C9:100.000001")

    refused = [
        await intake.choose(away),
        await intake.choose(replace(away, revision=0)),
        await intake.ask_next_time(away),
    ]
    await intake.choose(click())
    late = await intake.choose(replace(away, person=PersonId("U0EVE")))

    assert [ClickRefused(reason="elsewhere")] * 4 == [*refused, late]


async def test_a_click_and_a_retry_count_only_on_a_message_of_their_question(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    """The thread is the same. A message that is not recorded yet may be clicked, and is the newest one then."""
    await ask(database, intake, clock)
    await intake.receive(message("Another question", ts="100.9", root="100.000001"))
    async with database.transaction("one") as connection:
        asking, other = [Item.from_row(**row) for row in await waiting(database)]
        recorded: list[tuple[Item, Shown, str]] = [
            (other, "card", "101.9"),
            (asking, "card", "102.5"),
            (other, "answer", "103.9"),
        ]
        for item, kind, ts in recorded:
            parts = [Placed(channel=asking.address.channel, ts=Ts(ts))]
            await message_store.record_message(connection, item, kind=kind, parts=parts, now=clock.now())

    def at(ts: str) -> Placed:
        return Placed(channel=asking.address.channel, ts=Ts(ts))

    for elsewhere in ("101.9", "102.1", "103.9"):
        away = replace(click(), card=at(elsewhere))
        assert ClickRefused(reason="elsewhere") == await intake.choose(away)
        assert ClickRefused(reason="elsewhere") == await intake.choose(replace(away, revision=0))
        assert ClickRefused(reason="elsewhere") == await intake.ask_next_time(away)
        assert not await intake.retry(asking.reference, asking.thread_id, card=at(elsewhere))
    for here in ("102.5", "103.1"):
        assert await intake.retry(asking.reference, asking.thread_id, card=at(here))
    assert await intake.choose(replace(click(), card=at("102.5"))) is None


async def test_a_click_on_what_slack_let_us_post_only_in_a_direct_message_counts(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    async with database.transaction("one") as connection:
        (item,) = [Item.from_row(**row) for row in await waiting(database)]
        parts = [Placed(channel=ChannelId("D0ADA"), ts=Ts("102.5"))]
        await message_store.record_message(connection, item, kind="card", parts=parts, now=clock.now())

    assert await intake.choose(replace(click(), thread_id="T0:D0ADA:102.5")) is None


async def test_an_item_runs_again_only_where_it_belongs(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message())
    (row,) = await waiting(database)
    async with database.transaction("one") as connection:
        await store.change(connection, [row["id"]], transitions.failed, now=clock.now())

    assert not await intake.retry(row["reference"], "T0:C9:100.000001")
    assert ["failed"] == [one["status"] for one in await waiting(database)]
    assert await intake.retry(row["reference"], row["thread_id"])
    assert ["waiting"] == [one["status"] for one in await waiting(database)]


async def test_what_people_say_in_other_threads_is_not_stored(database: Database, intake: Intake) -> None:
    await intake.receive(message("Lunch?", addressed=False))

    assert [] == await waiting(database)


async def test_what_people_say_in_its_thread_is_stored(database: Database, intake: Intake) -> None:
    await intake.receive(message())
    await intake.receive(message("And in Porto?", ts="100.000002", root="100.000001", addressed=False))

    assert ["100.000001", "100.000002"] == [str(row["position"]) for row in await waiting(database)]


async def test_of_twenty_clicks_at_once_one_counts_and_the_others_learn_why(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)

    outcomes = await asyncio.gather(*(intake.choose(click("ab"[n % 2], key=f"k{n}")) for n in range(20)))

    assert 1 == outcomes.count(None)
    refused = [outcome for outcome in outcomes if isinstance(outcome, ClickRefused)]
    # The same person clicked twice. The second click is not "too late".
    reasons = [outcome.reason for outcome in refused]
    assert (9, 10) == (reasons.count("repeated"), reasons.count("answered"))
    assert 1 == len([row for row in await waiting(database) if row["kind"] == "reply"])


async def test_the_reply_carries_the_label_and_the_place_of_its_click(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)

    await intake.choose(click("b"))

    (reply,) = [row for row in await waiting(database) if row["kind"] == "reply"]
    assert {"kind": "option", "value": "b", "label": "Pine"} == reply["content"]["choice"]
    assert "101.5" == str(reply["position"])
    assert (BEN, "100.000001") == (reply["address"]["person"], reply["address"]["thread_ts"])


async def test_a_late_click_learns_who_answered_with_what(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    await intake.choose(click("b"))

    outcome = await intake.choose(click("a", person=ADA, key="k2"))

    assert ClickRefused(reason="answered", answered_by=BEN, label="Pine", question="How do I reset it?") == outcome


@pytest.mark.parametrize("forged", [click(token="guessed"), click("c"), click("a|b")])
async def test_a_forged_click_consumes_nothing(
    database: Database, intake: Intake, clock: TurnedClock, forged: Click
) -> None:
    await ask(database, intake, clock)

    assert ClickRefused(reason="unknown") == await intake.choose(forged)
    assert await intake.choose(click()) is None


async def test_a_foreign_click_is_refused_where_only_the_asker_may_answer(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    strict = Intake(database, clock, workspace="one", surface="slack", rules=AskRules(may_answer="asker"))

    outcome = await strict.choose(click(person=BEN))

    assert isinstance(outcome, ClickRefused)
    assert "not_yours" == outcome.reason
    assert await strict.choose(click(person=ADA, key="k2")) is None


async def test_a_click_waits_for_what_was_written_and_counts_where_that_leaves_the_question_open(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    async with database.transaction("one") as connection:
        assert await ask_store.lock_waiting(connection, "T0:C0:100.000001")
        choosing = asyncio.create_task(intake.choose(click()))
        await wait_for_locks(database, 1)

    assert await choosing is None


@pytest.mark.parametrize("revision", [None, 0])
async def test_a_click_does_not_wait_for_long_and_nobody_is_said_to_have_answered_who_has_not(
    database: Database, intake: Intake, clock: TurnedClock, revision: int | None
) -> None:
    await ask(database, intake, clock)
    async with database.transaction("one") as connection:
        assert await ask_store.lock_waiting(connection, "T0:C0:100.000001")

        outcome = await asyncio.wait_for(intake.choose(replace(click(), revision=revision)), timeout=60)

    assert ClickRefused(reason="held") == outcome


async def test_another_workspace_cannot_answer(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await ask(database, intake, clock)
    other = Intake(database, clock, workspace="two", surface="slack")

    assert ClickRefused(reason="unknown") == await other.choose(click())


async def test_the_last_verdict_of_a_person_counts(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message())
    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)
        assert item
        placed = Placed(channel=ChannelId("C0"), ts=Ts("100.9"))
        await message_store.record_message(connection, item, kind="answer", parts=[placed], now=clock.now())

    good = Rating(channel="C0", message_ts=Ts("100.9"), person=BEN, verdict="good")
    bad = replace(good, verdict="bad")
    is_news = [await intake.rate(rating) for rating in (good, good, bad, bad)]

    assert [True, False, True, False] == is_news
    assert ["bad"] == [row["verdict"] for row in await waiting(database, "feedback")]
