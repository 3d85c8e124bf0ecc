"""What is asked of an answer itself, from a Slack payload to the Slack calls: another form, one point, nothing."""

import pytest

from tests.journeys.harness import Harness, Message, text_of

HOTELS = "What is the limit for a hotel night?"
TWO = "How do I report a lost badge in Porto? How many vacation days do people in Porto get?"


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def said_after(harness: Harness, asked: str, *said: str) -> list[Message]:
    """Return the answers to what is said after the answer to a question."""
    root = await harness.ask(asked)
    await harness.answers(root)
    for count, one in enumerate(said, 2):
        await harness.say(one, root)
        await harness.answers(root, count)
    return harness.said(root)[1:]


async def test_an_answer_is_told_as_a_list_with_its_source_and_goes_on_from_there(harness: Harness) -> None:
    bullets, sentence = await said_after(harness, HOTELS, "in three bullets", "in one sentence")

    assert bullets["text"].startswith("- The limit is 145 EUR")
    assert 3 == bullets["text"].count("- ")
    assert "Travel policy › Hotels" in text_of(bullets)
    assert sentence["text"].startswith("In short: The limit is 145 EUR a night including breakfast [1].")
    assert "190 EUR" not in sentence["text"]


async def test_what_is_asked_after_that_goes_on_with_the_question_and_not_with_the_wish(harness: Harness) -> None:
    _, hamburg = await said_after(
        harness, "How many vacation days do people in Porto get?", "as a list", "and in Hamburg?"
    )

    assert "30 days of paid vacation" in text_of(hamburg)


@pytest.mark.parametrize("said", ["als Liste", "em tópicos"])
async def test_a_list_may_be_asked_for_in_other_languages(harness: Harness, said: str) -> None:
    (bullets,) = await said_after(harness, HOTELS, said)

    assert bullets["text"].startswith("- The limit is 145 EUR")


async def test_of_two_questions_the_first_is_answered_alone_and_the_last_point_is_told(harness: Harness) -> None:
    first, last, second = await said_after(harness, TWO, "the first", "the last point", "the second")

    assert "Marta" in text_of(first)
    assert "vacation" not in first["text"]
    assert "10 EUR" in last["text"]
    assert "[1]" in text_of(last)
    assert "25 days" in text_of(second)


async def test_what_asks_for_nothing_gets_one_calm_line(harness: Harness) -> None:
    root = await harness.ask(HOTELS)
    await harness.answers(root)
    for count, said in enumerate(("test", "?", "9)"), 2):
        await harness.ask(said, root=root)
        await harness.answers(root, count)

    replies = [one["text"] for one in harness.said(root)[1:]]
    assert [
        "I am here. Ask me any time.",
        "What is unclear? Say it in a few words, and I look again.",
        "I do not know what “9)” refers to. Please ask in a few words.",
    ] == replies
