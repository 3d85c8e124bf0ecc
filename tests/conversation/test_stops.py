"""A stop ends the current run or question once, and nothing later."""

import asyncio
from dataclasses import asdict, replace

import pytest

from bot.conversation import message_store, store, transitions
from bot.conversation.address import ChannelId, PersonId, Placed, Ts
from bot.conversation.asks import ask_store, channel_store
from bot.conversation.asks.ask import USUAL, AskRules
from bot.conversation.asks.channel_store import ChannelRules
from bot.conversation.asks.clarifications import Clarification, clarifying
from bot.conversation.contents import StopContent
from bot.conversation.handlers.apply_end import StopTarget, stop_target
from bot.conversation.inputs import Stop
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.message_kinds import PartialAnswer
from bot.conversation.workers.runs import Runs
from bot.errors import RunOvertakenError
from bot.postgres import fetch
from bot.postgres.pool import Database
from graph.events import DraftWithdrawn, SilenceKept, SourcesFound, TextWritten
from graph.passages import Source
from graph.turn import Turn
from tests.conversation import claiming
from tests.conversation.test_decisions import item
from tests.conversation.test_intake import ADA, BEN, ask, click, message, waiting
from tests.support.fakes import TurnedClock

THREAD = "T0:C0:100.000001"


def native(*messages: str, at: str = "200.000001", key: str = "EvStop", person: PersonId = BEN) -> Stop:
    return Stop(
        event_key=key,
        channel=ChannelId("C0"),
        messages=tuple(map(Ts, messages)),
        thread_id=THREAD,
        person=person,
        stopped_at=Ts(at),
    )


def reaction(ts: str = "100.000001", *, person: PersonId = ADA) -> Stop:
    return replace(native(ts, person=person), thread_id=None)


async def stops(database: Database) -> list[int]:
    """Return the targets of the stored stops."""
    return [row["content"]["target"] for row in await waiting(database) if row["kind"] == "stop"]


async def test_a_stop_goes_just_before_what_it_ends(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message())

    assert await intake.stop(native())

    async with database.transaction() as connection:
        first = await claiming.claimed(connection, clock)
    assert first
    assert isinstance(first.content, StopContent)
    assert BEN == first.content.by


async def test_a_stop_that_comes_twice_is_stored_once(database: Database, intake: Intake) -> None:
    await intake.receive(message())

    await asyncio.gather(*(intake.stop(native()) for _ in range(5)))

    assert 1 == len(await stops(database))


async def test_what_was_written_after_the_stop_is_not_meant(database: Database, intake: Intake) -> None:
    await intake.receive(message(ts="100.000001"))

    assert not await intake.stop(native(at="100.000000"))


async def test_a_stop_of_another_message_than_the_one_that_runs_lets_it_run(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message())
    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)
        assert item
        await message_store.record_message(
            connection, item, kind="answer", parts=[Placed(channel=ChannelId("C0"), ts=Ts("100.5"))], now=clock.now()
        )
        await claiming.finish(connection, item.id, asking=False, now=clock.now())
    await intake.receive(message(ts="150.000001", root="100.000001"))

    assert not await intake.stop(native("100.5"))
    assert await intake.stop(native())


async def test_while_a_question_waits_the_turn_that_asked_is_meant(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)

    assert await intake.stop(native())


async def test_after_the_click_the_reply_is_meant(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await ask(database, intake, clock)
    await intake.choose(click())

    assert await intake.stop(reaction())

    (reply,) = [row["id"] for row in await waiting(database) if row["kind"] == "reply"]
    assert [reply] == await stops(database)


async def test_only_the_asker_stops_by_reaction_where_only_the_asker_may_answer(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    strict = Intake(database, clock, workspace="one", surface="slack", rules=AskRules(may_answer="asker"))
    await intake.receive(message())

    assert not await strict.stop(reaction(person=BEN))
    assert await strict.stop(replace(reaction(), event_key="EvAda"))
    assert await strict.stop(native(key="EvNative"))


async def test_what_holds_in_a_channel_holds_for_stops_there(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    async with database.transaction("one") as connection:
        await channel_store.set_rules(connection, "one", ChannelRules(channel="C0", may_answer="asker"))
    await intake.receive(message())

    assert not await intake.stop(reaction(person=BEN))
    assert await intake.stop(replace(reaction(), event_key="EvAda"))


async def test_another_workspace_stops_nothing(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message())

    assert not await Intake(database, clock, workspace="two", surface="slack").stop(native())


async def stopped_run(database: Database, intake: Intake, clock: TurnedClock) -> Item:
    """Begin to answer a message, kill the process, and claim the stop of the message; return the stop."""
    await intake.receive(message())
    async with database.transaction("one") as connection:
        assert await claiming.claimed(connection, clock)
    await intake.stop(native())
    async with database.transaction("one") as connection:
        stop = await claiming.claimed(connection, clock)
    assert stop
    return stop


def target_of(stop: Item) -> int:
    """Return the id of what a stop ends."""
    assert isinstance(stop.content, StopContent)
    return stop.content.target


async def test_a_run_anew_is_one_that_somebody_wished_not_one_that_an_outage_cost(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    stop = await stopped_run(database, intake, clock)
    async with database.transaction("one") as connection:
        target = (await waiting(database))[1]
        await store.change(connection, [target["id"]], transitions.given_back)
        after_an_outage = await stop_target(connection, target_of(stop))
        await store.retry(connection, target["id"], now=clock.now())
        after_a_wish = await stop_target(connection, target_of(stop))

    assert [False, True] == [after_an_outage.is_again, after_a_wish.is_again]


async def test_what_was_said_is_known_to_a_stop_that_comes_between_a_retry_and_its_run(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    stop = await stopped_run(database, intake, clock)
    async with database.transaction("one") as connection:
        turn = await store.item_by_id(connection, target_of(stop))
        await store.change(connection, [turn.id], transitions.with_partial, partial=PartialAnswer(text="Twelve weeks."))
        await store.retry(connection, turn.id, now=clock.now())
        target = await stop_target(connection, target_of(stop))

    assert PartialAnswer(text="Twelve weeks.") == target.partial_answer


async def retried(database: Database, intake: Intake) -> None:
    """Press "Answer after all" below the first message."""
    (turn,) = [row for row in await waiting(database) if row["kind"] == "turn"]
    await intake.retry(turn["reference"], turn["thread_id"])


async def test_a_retry_takes_a_stop_back_that_still_waits(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message())
    await intake.stop(native())

    await retried(database, intake)

    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)
    assert item
    assert "turn" == item.kind


async def test_a_retry_of_what_waits_for_a_person_leaves_its_stop_alone(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    await intake.stop(native())

    await retried(database, intake)

    assert ["stop"] == [row["kind"] for row in await waiting(database) if row["status"] == "waiting"]


async def test_a_new_run_has_said_nothing_yet(database: Database, intake: Intake, clock: TurnedClock) -> None:
    stop = await stopped_run(database, intake, clock)
    async with database.transaction("one") as connection:
        before = await stop_target(connection, target_of(stop))
        await store.change(
            connection, [before.item.id], transitions.with_partial, partial=PartialAnswer(text="It is 25")
        )
        target = await stop_target(connection, target_of(stop))
        await claiming.finish(connection, stop.id, asking=False, now=clock.now())
        assert await claiming.claimed(connection, clock)
        after = await stop_target(connection, target_of(stop))

    assert (None, PartialAnswer(text="It is 25"), None) == (
        before.partial_answer,
        target.partial_answer,
        after.partial_answer,
    )


@pytest.mark.parametrize(
    ("status", "ends"),
    [("waiting", "run"), ("asking", "run"), ("finished", "nothing"), ("stopped", "nothing"), ("removed", "nothing")],
)
async def test_what_is_done_cannot_be_stopped(
    database: Database, intake: Intake, clock: TurnedClock, status: str, ends: str
) -> None:
    await intake.receive(message())
    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)
    assert item

    assert ends == StopTarget(item=replace(item, status=status), asked=None).ends


async def test_an_open_question_ends_with_who_asked_or_answered_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    await intake.receive(message("the second", ts="100.000002", root="100.000001"))
    await intake.receive(message("Where is the canteen?", ts="100.000003", root="100.000001"))
    async with database.transaction("one") as connection:
        asked = await ask_store.by_token(connection, Clarification, "secret")
        own, answer, other = [await store.item_by_id(connection, row["id"]) for row in await waiting(database)]

    def closed(item: Item, *, is_asked_later: bool = False) -> bool:
        target = StopTarget(item=item, asked=asked, is_asked_later=is_asked_later)
        return bool(target.own_question or target.answered_with(USUAL))

    assert [True, True, False] == [closed(item) for item in (own, answer, other)]
    assert not closed(answer, is_asked_later=True)


async def test_a_run_that_is_overtaken_before_it_begins_does_not_begin() -> None:
    runs = Runs()
    for _ in range(3):
        runs.overtake(7)

    with runs.held(7) as claimed:
        with pytest.raises(RunOvertakenError):
            async with runs.bounded(claimed, 30):
                pytest.fail("It began.")
        async with runs.bounded(claimed, 30):
            pass


def test_what_was_said_is_what_people_could_read() -> None:
    source = Source(number=1, title="Leave", heading="", url="", dated="", passage_id=1)
    said = PartialAnswer()
    for event in (
        TextWritten(text="It is 20."),
        DraftWithdrawn(reason="wrong"),
        SourcesFound(sources=(source,)),
        TextWritten(text="It is 25 [1]. "),
        SilenceKept(reason="none"),
    ):
        said = said.after(event)

    assert PartialAnswer(text="It is 25 [1]. ", sources=(source,)) == said
    ended = replace(item(Turn(question="Who?", asker="U0ADA", addressed=True), "U0ADA", 1), partial=asdict(said))
    assert said == StopTarget(item=ended, asked=None).partial_answer
    assert ((source,), ()) == (said.cited, replace(said, text="It is 25.").cited)


async def test_what_a_message_has_closed_is_met_again_until_its_card_shows_a_later_question(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    token = await ask(database, intake, clock)
    async with database.transaction("one") as connection:
        asked = await ask_store.by_token(connection, Clarification, token)
        assert asked
        asking, rules = await store.item_by_id(connection, asked.inbox_id), AskRules()
        closing = replace(asking, id=77)
        await ask_store.change(connection, asked.id, was="open", status="superseded", superseded_by=closing.id)
        closed, _ = await ask_store.lock_met(connection, closing)
        later = clarifying(asked.as_asked(), about=asked.about, asker=ADA, now=clock.now(), rules=rules)
        last = await ask_store.insert(connection, Clarification, asking, later, now=clock.now())
        await ask_store.change(connection, last.id, was="open", status="decided")

        assert asked.id == (closed and closed.id)
        assert (None, None) == await ask_store.lock_met(connection, closing)


async def test_of_two_questions_that_a_message_closed_the_newer_one_opens_again(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    token = await ask(database, intake, clock)
    await intake.receive(message("another question", ts="100.000002", root="100.000001"))
    async with database.transaction("one") as connection:
        asked = await ask_store.by_token(connection, Clarification, token)
        assert asked
        asking, closing = await store.items(connection, "SELECT * FROM inbox ORDER BY id")
        new = clarifying(asked.as_asked(), about=asked.about, asker=ADA, now=clock.now(), rules=AskRules())
        closed = {"status": "superseded", "superseded_by": closing.id}
        await ask_store.change(connection, asked.id, was="open", **closed)
        last = await ask_store.insert(connection, Clarification, asking, new, now=clock.now())
        await ask_store.change(connection, last.id, was="open", **closed)
        await ask_store.show_again(connection, beside=closing.id, now=clock.now())

        query = "SELECT id, status FROM asks ORDER BY id"
        assert {asked.id: "superseded", last.id: "open"} == await fetch.pairs(connection, query)
