"""Called into a thread of people, the bot answers what they asked, from a Slack payload to the Slack calls."""

import psycopg
import pytest

from tests.journeys.harness import BEN, Harness, text_of

PARKING, PARKEN = "How much is parking in Porto?", "Wie viel kostet Parken in Porto?"


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def called(harness: Harness, asked: str, call: str) -> str:
    """Return the answer to a call into a thread in which one person asks and another guesses."""
    root = await harness.playground.person("U0ADA").post("C0SUPPORT", asked, mention_bot=False)
    await harness.say("5 EUR, I think", root, person=BEN)
    await harness.ask(call, root=root, person=BEN)
    (answer,) = await harness.answers(root)
    return text_of(answer)


@pytest.mark.parametrize(
    ("asked", "call"),
    [
        (PARKING, "can you help?"),
        (PARKING, "who is right?"),
        (PARKING, "any idea?"),
        (PARKEN, "Wer hat recht?"),
        (PARKING, "quem tem razão?"),
    ],
)
async def test_who_calls_it_means_the_peoples_last_question(harness: Harness, asked: str, call: str) -> None:
    assert "3 EUR a day" in await called(harness, asked, call)


async def test_a_question_of_its_own_is_searched_for(harness: Harness) -> None:
    answer = await called(harness, PARKING, "Who is right for questions about payroll?")

    assert "3 EUR a day" not in answer


async def test_where_nothing_was_asked_it_says_what_it_is_for(harness: Harness) -> None:
    assert "I answer questions" in await called(harness, "I am off to lunch.", "can you help?")


async def test_while_slack_shows_what_people_said_no_transaction_is_open(harness: Harness) -> None:
    open_transactions = list[int]()

    def look(method: str, side: str) -> bool:
        if (method, side) == ("conversations.replies", "before"):
            with psycopg.connect(harness.database_url) as owner:
                # The beginning of a run locks the question that is open in its thread.
                locks = "SELECT FROM pg_locks WHERE relation = 'asks'::regclass AND mode = 'RowShareLock'"
                open_transactions.append(owner.execute(locks).rowcount)
        return False

    harness.playground.faults.watch(look)
    await called(harness, PARKING, "can you help?")

    assert [0] == open_transactions
