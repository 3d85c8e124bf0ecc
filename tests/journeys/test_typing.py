"""What people type below a question back, from a Slack payload to the Slack calls that come out."""

import psycopg
import pytest

from tests.journeys.test_revisions import settled_card
from tests.journeys.town import ADA, BEN, SUPPORT, Town, is_open_card, labels_of, text_of

AMBIGUOUS = "How many vacation days do I have?"
DIRECT = "D0ADA"


@pytest.fixture(autouse=True)
async def bot(town: Town):  # noqa: ANN201
    """The bot, in this process."""
    async with town.bot():
        yield


async def below(town: Town, root: str, text: str, *, holding: str, channel: str = SUPPORT) -> str:
    """Type below the open card, and wait for what the bot says of it; return what it says."""
    await town.say(text, root, channel=channel)

    def there() -> list[str]:
        return [text_of(one) for one in town.said(root, channel) if holding in text_of(one)]

    return (await town.playground.until(there, timeout=60))[-1]


@pytest.mark.parametrize("text", ["hmm not sure", "dunno", "idk which"])
async def test_who_does_not_know_gets_an_answer_with_what_was_assumed(town: Town, text: str) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)

    await town.say(text, root)

    (answer,) = await town.answers(root)
    assert "I assumed you mean" in text_of(answer)
    await settled_card(town, root, "said: just answer")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3", "There are only 2 options"),
        ("what do you mean?", "for each option above"),
        ("neither", "in your own words"),
    ],
)
async def test_what_chooses_nothing_is_told_why_and_the_card_stays_open(town: Town, text: str, says: str) -> None:
    root = await town.ask(AMBIGUOUS)
    card = await town.card(root)

    await below(town, root, text, holding=says)
    await town.settled()
    assert is_open_card(await town.card(root))
    await town.click(root, "Porto")

    (*_, answer) = await town.answers(root, 2)
    assert "25" in text_of(answer)
    assert card["ts"] != answer["ts"]


@pytest.mark.parametrize("mentions", [False, True])
async def test_who_gives_up_closes_the_card_and_gets_no_answer(town: Town, mentions: bool) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)

    await (town.ask("stop", root=root) if mentions else town.say("never mind", root))

    card = await settled_card(town, root, f"<@{ADA}> needs no answer any more.")
    await town.settled()
    assert [] == labels_of(card)
    assert 1 == len(town.said(root))


async def test_a_stranger_gives_nothing_up_for_others(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)

    await town.say("never mind", root, person=BEN)
    await town.settled()

    assert is_open_card(await town.card(root))


@pytest.mark.parametrize("text", ["2", "Hamburg", "the Hamburg one"])
async def test_at_the_bottom_of_a_direct_message_a_number_or_a_label_answers_the_one_open_card(
    town: Town, text: str
) -> None:
    root = await town.ask(AMBIGUOUS, channel=DIRECT)
    card = await town.card(root, channel=DIRECT)
    picked = labels_of(card)[1] if text == "2" else "Hamburg"

    said = await town.ask(text, channel=DIRECT)

    (answer,) = await town.answers(root, channel=DIRECT)
    assert ("30" if picked == "Hamburg" else "25") in text_of(answer)
    (told,) = await town.answers(said, channel=DIRECT)
    assert "your open question above" in text_of(told)
    await town.settled()
    with psycopg.connect(town.database_url) as connection:
        assert [("decided",)] == connection.execute("SELECT status FROM asks").fetchall()


async def test_at_the_bottom_of_a_direct_message_who_does_not_know_gets_an_answer_in_the_thread(town: Town) -> None:
    root = await town.ask(AMBIGUOUS, channel=DIRECT)
    await town.card(root, channel=DIRECT)

    said = await town.ask("I'm not sure", channel=DIRECT)

    (answer,) = await town.answers(root, channel=DIRECT)
    assert "I assumed you mean" in text_of(answer)
    (told,) = await town.answers(said, channel=DIRECT)
    assert "your open question above" in text_of(told)


async def test_at_the_bottom_of_a_direct_message_who_gives_up_closes_the_card(town: Town) -> None:
    root = await town.ask(AMBIGUOUS, channel=DIRECT)
    await town.card(root, channel=DIRECT)

    said = await town.ask("never mind", channel=DIRECT)

    (told,) = await town.answers(said, channel=DIRECT)
    assert "All right." in text_of(told)
    await town.settled()
    (card,) = town.said(root, DIRECT)
    assert "needs no answer any more." in text_of(card)


async def test_at_the_bottom_of_a_direct_message_what_chooses_nothing_is_told_why(town: Town) -> None:
    root = await town.ask(AMBIGUOUS, channel=DIRECT)
    await town.card(root, channel=DIRECT)

    said = await town.ask("5", channel=DIRECT)

    (told,) = await town.answers(said, channel=DIRECT)
    assert "There are only 2 options above" in text_of(told)
    assert is_open_card(await town.card(root, channel=DIRECT))


async def test_at_the_bottom_of_a_direct_message_anything_else_starts_a_conversation(town: Town) -> None:
    root = await town.ask(AMBIGUOUS, channel=DIRECT)
    await town.card(root, channel=DIRECT)

    other = await town.ask("What is the limit for a hotel night?", channel=DIRECT)

    (answer,) = await town.answers(other, channel=DIRECT)
    assert "145 EUR" in text_of(answer)
    assert is_open_card(await town.card(root, channel=DIRECT))


async def test_of_two_open_cards_a_number_at_the_bottom_chooses_neither(town: Town) -> None:
    roots = [await town.ask(AMBIGUOUS, channel=DIRECT) for _ in range(2)]
    for root in roots:
        await town.card(root, channel=DIRECT)

    said = await town.ask("1", channel=DIRECT)

    await town.answers(said, channel=DIRECT)
    await town.settled()
    for root in roots:
        assert is_open_card(await town.card(root, channel=DIRECT))


async def test_asked_again_it_asks_though_the_choice_is_remembered(town: Town) -> None:
    first = await town.ask(AMBIGUOUS)
    closed = await town.card(first)
    await town.ask("What is the limit for a hotel night?", root=first)
    await town.answers(first)
    other = await town.ask(AMBIGUOUS)
    await town.click(other, "Porto")
    await town.answers(other)
    await town.settled()

    await town.playground.person(ADA).click(SUPPORT, closed["ts"], label="Ask this again")

    again = await town.card(first)
    assert again["ts"] != closed["ts"]
    assert labels_of(closed) == labels_of(again)
    await town.click(first, "Hamburg")
    (*_, answer) = await town.answers(first, 2)
    assert "30" in text_of(answer)
    assert "as last time" not in text_of(answer)
