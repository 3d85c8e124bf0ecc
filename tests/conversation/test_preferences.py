"""Which earlier choice is assumed, for whom, in which conversation and for how long."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.conversation import store
from bot.conversation.address import ChannelId
from bot.conversation.asks import ask_store, preference_store
from bot.conversation.asks.ask import AskRules
from bot.conversation.asks.card import assumed
from bot.conversation.asks.clarifications import Clarification, assuming, becomes_a_preference
from bot.conversation.asks.preference_store import PreferencesIn
from bot.conversation.intake import Intake
from bot.postgres.pool import Database
from graph.asking.clarification import Ambiguity
from graph.events import Option, ReadingRecalled
from graph.turn import Choice
from tests.conversation.test_clarifications import ADA, BEN, OPEN, PORTO, offering
from tests.conversation.test_intake import ask
from tests.support.fakes import TurnedClock

RULES = AskRules(remember_for=timedelta(days=180))
OFFICES = replace(OPEN, payload={**OPEN.payload, "attribute": "path:1"})


@pytest.fixture
async def asked(database: Database, clock: TurnedClock) -> Clarification:
    """A question of Ada's in the channel C0."""
    intake = Intake(database, clock, workspace="one", surface="slack")
    token = await ask(database, intake, clock)
    async with database.transaction("one") as connection:
        stored = await ask_store.by_token(connection, Clarification, token)
    assert stored
    return replace(stored, person=ADA, payload={**stored.payload, "attribute": "path:1"})


async def chose(
    database: Database, clock: TurnedClock, asked: Clarification, label: str, *among: str, channel: str = "C0"
) -> None:
    """Let Ada choose one of some labels in a channel."""
    competing = replace(offering(asked, *((name, name) for name in among)), channel=ChannelId(channel))
    async with database.transaction("one") as connection:
        choice = Choice(kind="option", value=label, label=label)
        await preference_store.learn(connection, competing, choice, person=ADA, rules=RULES, now=clock.now())


async def wants_to_be_asked(
    database: Database, clock: TurnedClock, offered: Clarification, rules: AskRules = RULES
) -> None:
    """Say "Ask me next time" to a question back."""
    async with database.transaction("one") as connection:
        await preference_store.forget(connection, offered, rules=rules, now=clock.now())


async def recalled(
    database: Database, clock: TurnedClock, *labels: str, channel: str = "C0", asker: str = ADA, workspace: str = "one"
) -> str | None:
    preferences = PreferencesIn(database=database, workspace=workspace, channel=channel, rules=RULES, clock=clock)
    return await preferences.recall(asker, Ambiguity(attribute="path:1", labels=tuple(sorted(labels))))


async def test_a_run_that_assumes_another_reading_than_the_one_before_it_offers_what_it_does_not_assume(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    options = (Option(id="1", label="Porto"), Option(id="2", label="Berlin"))
    recalled = ReadingRecalled(question="Which office?", options=options, chosen="1", attribute="path:1")
    async with database.transaction("one") as connection:
        item = await store.item_by_id(connection, asked.inbox_id)
        for reading in (recalled, replace(recalled, chosen="2")):
            new = assuming(reading, about="How many?", asker=ADA, now=clock.now())
            kept = await ask_store.insert_assumed(connection, item, new, now=clock.now())

    menu = assumed(kept, RULES).changeable
    assert menu
    assert ["Porto"] == [option.label for option in menu.others]


async def test_what_was_preferred_to_all_that_compete_now_is_assumed(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg", "Oslo")

    assert "Porto" == await recalled(database, clock, "Porto", "Hamburg", "Oslo")
    assert "Porto" == await recalled(database, clock, "Hamburg", "Porto")
    assert await recalled(database, clock, "Porto", "Hamburg", "Lisbon") is None
    assert await recalled(database, clock, "Hamburg", "Oslo") is None


async def test_a_choice_is_its_persons_and_its_workspaces(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg")

    assert await recalled(database, clock, "Porto", "Hamburg", asker=BEN) is None
    assert await recalled(database, clock, "Porto", "Hamburg", workspace="two") is None


async def test_a_channels_own_choice_wins_there_and_the_last_one_elsewhere(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg", channel="C0")
    clock.turn(hours=1)
    await chose(database, clock, asked, "Hamburg", "Porto", "Hamburg", channel="C1")

    assert "Porto" == await recalled(database, clock, "Porto", "Hamburg", channel="C0")
    assert "Hamburg" == await recalled(database, clock, "Porto", "Hamburg", channel="C1")
    assert "Hamburg" == await recalled(database, clock, "Porto", "Hamburg", channel="C2")


async def test_what_was_chosen_in_a_direct_message_is_assumed_only_there(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg", channel="D0ADA")

    assert "Porto" == await recalled(database, clock, "Porto", "Hamburg", channel="D0ADA")
    assert await recalled(database, clock, "Porto", "Hamburg", channel="C0") is None


async def test_a_later_choice_takes_back_what_it_contradicts(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg", "Oslo")
    await chose(database, clock, asked, "Hamburg", "Porto", "Hamburg")

    assert "Hamburg" == await recalled(database, clock, "Porto", "Hamburg")
    assert await recalled(database, clock, "Porto", "Hamburg", "Oslo") is None


async def test_a_choice_is_forgotten_in_time_and_at_once_where_the_asker_says_so(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg")
    clock.turn(days=181)
    assert await recalled(database, clock, "Porto", "Hamburg") is None

    await chose(database, clock, asked, "Porto", "Porto", "Hamburg", channel="C1")
    async with database.transaction("one") as connection:
        assert 1 == len(await preference_store.all_preferences(connection))
    await wants_to_be_asked(database, clock, offering(asked, ("a", "Porto"), ("b", "Hamburg")))
    assert "" == await recalled(database, clock, "Porto", "Hamburg", channel="C1")


async def test_who_wants_to_be_asked_is_asked_everywhere_until_they_choose(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    alone = replace(offering(asked, ("a", "Porto"), ("b", "Hamburg")), channel=ChannelId("D0ADA"))
    await wants_to_be_asked(database, clock, alone)

    assert ["", ""] == [await recalled(database, clock, "Porto", "Hamburg", channel=one) for one in ("C0", "D0ADA")]
    assert await recalled(database, clock, "Porto", "Hamburg", asker=BEN) is None
    assert await recalled(database, clock, "Porto", "Oslo") is None
    await chose(database, clock, asked, "Hamburg", "Porto", "Hamburg", channel="C1")
    assert "Hamburg" == await recalled(database, clock, "Porto", "Hamburg", channel="C0")
    assert "Hamburg" == await recalled(database, clock, "Porto", "Hamburg", channel="D0ADA")


async def test_a_choice_in_a_direct_message_ends_the_wish_to_be_asked_only_there(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    await wants_to_be_asked(database, clock, offering(asked, ("a", "Porto"), ("b", "Hamburg")))

    await chose(database, clock, asked, "Hamburg", "Porto", "Hamburg", channel="D0ADA")

    assert "Hamburg" == await recalled(database, clock, "Porto", "Hamburg", channel="D0ADA")
    assert "" == await recalled(database, clock, "Porto", "Hamburg", channel="C0")


async def test_where_nothing_is_remembered_nobody_is_noted_as_wanting_to_be_asked(
    database: Database, clock: TurnedClock, asked: Clarification
) -> None:
    offered = offering(asked, ("a", "Porto"), ("b", "Hamburg"))
    await chose(database, clock, asked, "Porto", "Porto", "Hamburg")

    await wants_to_be_asked(database, clock, offered, AskRules(remember_for=timedelta()))
    async with database.transaction("one") as connection:
        assert [] == await preference_store.all_preferences(connection)


@pytest.mark.parametrize(
    ("asked", "choice", "person", "rules"),
    [
        (OFFICES, PORTO, BEN, RULES),
        (OFFICES, Choice(kind="text", value="Porto", label="Porto"), ADA, RULES),
        (OFFICES, Choice(kind="just_answer"), ADA, RULES),
        (OPEN, PORTO, ADA, RULES),
        (OFFICES, PORTO, ADA, AskRules(remember_for=timedelta())),
    ],
)
def test_only_an_option_that_the_asker_chose_becomes_a_habit(
    asked: Clarification, choice: Choice, person: str, rules: AskRules
) -> None:
    assert becomes_a_preference(OFFICES, PORTO, ADA, RULES)
    assert not becomes_a_preference(asked, choice, person, rules)
