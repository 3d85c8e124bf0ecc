"""Fixed sentences in the language of the question."""

import string
from collections.abc import Mapping

import pytest

from graph.events import AnswerCompleted
from graph.run import run_alone
from graph.text.wording import BY_LANGUAGE, assumed, nothing_found, nothing_to_read, spoken
from graph.text.words import language_of
from graph.turn import Turn
from tests.support.fakes import FoundPassages, context


def places(sentence: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("translations", BY_LANGUAGE.values(), ids=BY_LANGUAGE.keys())
def test_every_translation_has_the_values_of_its_sentence(translations: Mapping[str, str]) -> None:
    assert {key: places(key) for key in translations} == {key: places(said) for key, said in translations.items()}


def test_every_language_says_the_same_sentences() -> None:
    german, portuguese = (BY_LANGUAGE[language].keys() for language in ("de", "pt"))

    assert german == portuguese


def test_what_has_no_translation_stays_as_it_is() -> None:
    assert "A note of {braces}." == spoken("A note of {braces}.", "de")
    assert "I assumed you mean {Porto}." == assumed("{Porto}", "fr")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How many vacation days do I have?", "en"),
        ("Wann wird der Kühlschrank geleert?", "de"),
        ("Quando é esvaziado o frigorífico?", "pt"),
        ("VPN?", "en"),
        ("Onde fica o escritório de Madrid?", "pt"),
        ("Was kostet der Team-Tarif?", "de"),
        ("Was will der Betriebsrat in Hamburg?", "de"),
        ("Há estacionamento no escritório?", "pt"),
        ("Was the Porto office closed in May?", "en"),
        ("No e-mail?", "en"),
    ],
)
def test_the_language_is_that_of_most_small_words(text: str, language: str) -> None:
    assert language == language_of(text)


@pytest.mark.parametrize(
    ("question", "language"), [("Wo ist das Büro in Berlin?", "de"), ("Onde fica o escritório de Madrid?", "pt")]
)
async def test_it_admits_in_the_language_of_the_question(question: str, language: str) -> None:
    run = run_alone(context(retriever=FoundPassages()))

    events = [event async for event in run.start(Turn(question=question, asker="U0ADA", addressed=True))]

    assert isinstance(events[-1], AnswerCompleted)
    assert nothing_found(nearest=False, language=language) == events[-1].text


async def test_where_there_is_nothing_to_read_it_says_so_and_how_documents_come_here() -> None:
    run = run_alone(context(retriever=FoundPassages(about=())))

    events = [event async for event in run.start(Turn(question="Where do I park?", asker="U0ADA", addressed=True))]

    assert isinstance(events[-1], AnswerCompleted)
    assert ("admitted", nothing_to_read()) == (events[-1].outcome, events[-1].text)
    assert "`askback ingest`" in events[-1].text
