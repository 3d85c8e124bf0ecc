"""Messages that people type below a question back, from a Slack payload to the Slack calls."""

import psycopg
import pytest

from tests.journeys.changes.test_revisions import settled_card
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, is_open_card, labels_of, text_of

AMBIGUOUS = "How many vacation days do I have?"
DIRECT = "D0ADA"


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def below(harness: Harness, root: str, text: str, *, holding: str, channel: str = SUPPORT) -> str:
    """Type below the open card; return the bot's reaction to it."""
    await harness.say(text, root, channel=channel)

    def there() -> list[str]:
        return [text_of(one) for one in harness.said(root, channel) if holding in text_of(one)]

    return (await harness.playground.until(there))[-1]


@pytest.mark.parametrize("text", ["hmm not sure", "dunno", "idk which"])
async def test_who_does_not_know_gets_an_answer_with_what_was_assumed(harness: Harness, text: str) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)

    await harness.say(text, root)

    (answer,) = await harness.answers(root)
    assert "I assumed you mean" in text_of(answer)
    await settled_card(harness, root, "said: just answer")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3", "There are only 2 options"),
        ("what do you mean?", "for each option above"),
        ("neither", "in your own words"),
    ],
)
async def test_what_chooses_nothing_is_told_why_and_the_card_stays_open(harness: Harness, text: str, says: str) -> None:
    root = await harness.ask(AMBIGUOUS)
    card = await harness.card(root)

    await below(harness, root, text, holding=says)
    await harness.settled()
    assert is_open_card(await harness.card(root))
    await harness.click(root, "Porto")

    (*_, answer) = await harness.answers(root, 2)
    assert "25" in text_of(answer)
    assert card["ts"] != answer["ts"]


@pytest.mark.parametrize("mentions", [False, True])
async def test_who_gives_up_closes_the_card_and_gets_no_answer(harness: Harness, mentions: bool) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)

    await (harness.ask("stop", root=root) if mentions else harness.say("never mind", root))

    card = await settled_card(harness, root, f"<@{ADA}> needs no answer any more.")
    await harness.settled()
    assert [] == labels_of(card)
    assert 1 == len(harness.said(root))


async def test_a_stranger_gives_nothing_up_for_others(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)

    await harness.say("never mind", root, person=BEN)
    await harness.settled()

    assert is_open_card(await harness.card(root))


@pytest.mark.parametrize("text", ["2", "Hamburg", "the Hamburg one"])
async def test_at_the_bottom_of_a_direct_message_a_number_or_a_label_answers_the_one_open_card(
    harness: Harness, text: str
) -> None:
    root = await harness.ask(AMBIGUOUS, channel=DIRECT)
    card = await harness.card(root, channel=DIRECT)
    picked = labels_of(card)[1] if text == "2" else "Hamburg"

    said = await harness.ask(text, channel=DIRECT)

    (answer,) = await harness.answers(root, channel=DIRECT)
    assert ("30" if picked == "Hamburg" else "25") in text_of(answer)
    (told,) = await harness.answers(said, channel=DIRECT)
    assert "your open question above" in text_of(told)
    await harness.settled()
    with psycopg.connect(harness.database_url) as connection:
        assert [("decided",)] == connection.execute("SELECT status FROM asks WHERE kind = 'clarification'").fetchall()


async def test_at_the_bottom_of_a_direct_message_who_does_not_know_gets_an_answer_in_the_thread(
    harness: Harness,
) -> None:
    root = await harness.ask(AMBIGUOUS, channel=DIRECT)
    await harness.card(root, channel=DIRECT)

    said = await harness.ask("I'm not sure", channel=DIRECT)

    (answer,) = await harness.answers(root, channel=DIRECT)
    assert "I assumed you mean" in text_of(answer)
    (told,) = await harness.answers(said, channel=DIRECT)
    assert "your open question above" in text_of(told)


async def test_at_the_bottom_of_a_direct_message_who_gives_up_closes_the_card(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS, channel=DIRECT)
    await harness.card(root, channel=DIRECT)

    said = await harness.ask("never mind", channel=DIRECT)

    (told,) = await harness.answers(said, channel=DIRECT)
    assert "All right." in text_of(told)
    await harness.settled()
    (card,) = harness.said(root, DIRECT)
    assert "needs no answer any more." in text_of(card)


async def test_at_the_bottom_of_a_direct_message_what_chooses_nothing_is_told_why(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS, channel=DIRECT)
    await harness.card(root, channel=DIRECT)

    said = await harness.ask("5", channel=DIRECT)

    (told,) = await harness.answers(said, channel=DIRECT)
    assert "There are only 2 options above" in text_of(told)
    assert is_open_card(await harness.card(root, channel=DIRECT))


async def test_at_the_bottom_of_a_direct_message_anything_else_starts_a_conversation(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS, channel=DIRECT)
    await harness.card(root, channel=DIRECT)

    other = await harness.ask("What is the limit for a hotel night?", channel=DIRECT)

    (answer,) = await harness.answers(other, channel=DIRECT)
    assert "145 EUR" in text_of(answer)
    assert is_open_card(await harness.card(root, channel=DIRECT))


async def test_of_two_open_cards_a_number_at_the_bottom_chooses_neither(harness: Harness) -> None:
    roots = [await harness.ask(AMBIGUOUS, channel=DIRECT) for _ in range(2)]
    for root in roots:
        await harness.card(root, channel=DIRECT)

    said = await harness.ask("1", channel=DIRECT)

    await harness.answers(said, channel=DIRECT)
    await harness.settled()
    for root in roots:
        assert is_open_card(await harness.card(root, channel=DIRECT))


async def test_asked_again_it_asks_though_the_choice_is_remembered(harness: Harness) -> None:
    first = await harness.ask(AMBIGUOUS)
    closed = await harness.card(first)
    await harness.ask("What is the limit for a hotel night?", root=first)
    await harness.answers(first)
    other = await harness.ask(AMBIGUOUS)
    await harness.click(other, "Porto")
    await harness.answers(other)
    await harness.settled()

    await harness.playground.person(ADA).click(SUPPORT, closed["ts"], label="Ask this again")

    again = await harness.card(first)
    assert again["ts"] != closed["ts"]
    assert labels_of(closed) == labels_of(again)
    await harness.click(first, "Hamburg")
    (*_, answer) = await harness.answers(first, 2)
    assert "30" in text_of(answer)
    assert "as last time" not in text_of(answer)
