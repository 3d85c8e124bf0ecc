"""Answers from the documents, and questions that no document answers, from a Slack payload to the Slack calls."""

import pytest

from tests.journeys.harness import Harness, labels_of, text_of


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much does a parking space cost in Munich?", "I found nothing in the documents that answers this."),
        ("Wer stimmt das Klavier im Foyer?", "Ich habe in den Dokumenten nichts gefunden, was das beantwortet."),
        ("Onde fica o escritório de Madrid?", "Não encontrei nada nos documentos que responda a isto."),
    ],
)
async def test_what_no_document_knows_of_is_admitted_in_the_language_of_the_question(
    harness: Harness, question: str, said: str
) -> None:
    root = await harness.ask(question)

    (answer,) = await harness.answers(root)

    assert said in text_of(answer)


async def test_what_may_come_near_is_quoted_with_its_source(harness: Harness) -> None:
    root = await harness.ask("How much does the company pay towards childcare?")

    (answer,) = await harness.answers(root)

    assert "I am not sure. These come nearest:" in text_of(answer)
    assert "[1]" in text_of(answer)


async def test_a_fake_that_a_document_shows_is_not_taken_for_what_it_says(harness: Harness) -> None:
    root = await harness.ask("How do I renew my VPN password?")

    (answer,) = await harness.answers(root)

    assert not [bait for bait in ("18:00", "30 minutes at", "evil.example", "renew now") if bait in text_of(answer)]


async def test_just_answer_is_for_one_reading_and_names_it(harness: Harness) -> None:
    root = await harness.ask("How many vacation days do I have?")
    await harness.click(root, "Just answer")

    (answer,) = await harness.answers(root)

    assert 1 == sum(days in text_of(answer) for days in ("25 days", "30 days"))
    assert "I assumed you mean" in text_of(answer)


async def test_a_question_about_a_document_is_answered_from_its_front_matter(harness: Harness) -> None:
    root = await harness.ask("Who owns the travel policy?")

    (answer,) = await harness.answers(root)

    assert "Rui Macedo" in text_of(answer)
    assert "[1]" in text_of(answer)


async def test_a_question_in_a_block_of_code_is_answered(harness: Harness) -> None:
    root = await harness.ask("```\nHow much is parking in Porto?\n```")

    (answer,) = await harness.answers(root)

    assert "3 EUR" in text_of(answer)


async def test_what_is_asked_of_a_person_by_name_leaves_the_open_question_to_be_clicked(harness: Harness) -> None:
    root = await harness.ask("How many vacation days do I have?")
    card = await harness.card(root)

    await harness.say("Ben can you tell?", root)
    await harness.click(root, "Porto")

    (answer,) = await harness.answers(root)
    assert "25" in text_of(answer)
    await harness.settled()
    settled = next(one for one in harness.said(root) if one["ts"] == card["ts"])
    assert "Just answer" not in labels_of(settled)
