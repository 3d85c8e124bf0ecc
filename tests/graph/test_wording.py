"""Fixed sentences in the language of the question."""

import string
from typing import get_args

import pytest

from graph.events import AnswerCompleted, StepStarted
from graph.passages import Topics
from graph.run import run_alone
from graph.text.wording import (
    ASSUMED,
    LANGUAGES,
    NOTHING_TO_READ,
    READING_SOME,
    RECKONING_DATES,
    STAYS_OPEN,
    STEPS,
    TRANSLATIONS,
    Unclear,
    covering,
    doing,
    nothing_found,
    spoken,
)
from graph.text.words import language_of
from graph.turn import Turn
from tests.support.fakes import FoundPassages, context, passage


def places(sentence: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("sentence", TRANSLATIONS)
def test_every_sentence_has_each_translation_with_its_values(sentence: str) -> None:
    translations = TRANSLATIONS[sentence]

    assert ["en", *translations] == list(LANGUAGES)
    assert [places(sentence)] * len(translations) == [places(said) for said in translations.values()]


def test_whatever_leaves_a_question_open_is_said() -> None:
    assert {*get_args(Unclear)} == {*STAYS_OPEN}


def test_a_step_reads_well_after_the_bots_name() -> None:
    said = [doing(spoken(STEPS["search"], language), language) for language in LANGUAGES]

    assert ["is searching the documents", "durchsucht die Dokumente", "está a pesquisar os documentos"] == said


def test_what_has_no_translation_stays_as_it_is() -> None:
    assert "Berechnet Datumsangaben" == spoken(RECKONING_DATES, "de"), "Daten are data, too."
    assert "A note of {braces}." == spoken("A note of {braces}.", "de")
    assert "I assumed you mean {Porto}." == spoken(ASSUMED, "fr", label="{Porto}")


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


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Where is the office in Berlin?", "en"),
        ("Wo ist das Büro in Berlin?", "de"),
        ("Onde fica o escritório de Madrid?", "pt"),
    ],
)
async def test_each_step_is_told_in_the_language_of_the_question(question: str, language: str) -> None:
    run = run_alone(context(retriever=FoundPassages([passage(1, "Berlin: Torstraße 1."), passage(2, "Madrid.")])))

    events = [event async for event in run.start(Turn(question=question, asker="U0ADA", addressed=True))]

    steps = [event for event in events if isinstance(event, StepStarted)]
    told = {name: spoken(title, language) for name, title in STEPS.items()}
    assert {"search", "understand", "grade"} <= {step.step for step in steps}
    assert [told.get(step.step, spoken(READING_SOME, language, count="2")) for step in steps] == [
        step.title for step in steps
    ]


@pytest.mark.parametrize(
    ("topics", "language", "said"),
    [
        (Topics([]), "en", ""),
        (Topics(["Leave", "Travel"]), "en", " They cover Leave, Travel."),
        (Topics(["Leave", "Travel"], more=5), "en", " They cover Leave, Travel, and 5 more."),
        (Topics(["Leave", "Travel"], more=1), "en", " They cover Leave, Travel, and one more."),
        (Topics(["Urlaub", "Reisen"], more=1), "de", " Sie handeln von: Urlaub, Reisen und einem weiteren Thema."),
        (Topics(["Férias", "Viagens"], more=1), "pt", " Tratam de: Férias, Viagens e mais um."),
        (Topics(["Urlaub", "Reisen"], more=5), "de", " Sie handeln von: Urlaub, Reisen und 5 weiteren Themen."),
        (Topics(["Férias", "Viagens"], more=5), "pt", " Tratam de: Férias, Viagens e mais 5."),
    ],
)
def test_what_the_documents_cover_ends_with_how_much_is_not_named(topics: Topics, language: str, said: str) -> None:
    assert said == covering(topics, language)


async def test_where_there_is_nothing_to_read_it_says_so_and_how_documents_come_here() -> None:
    run = run_alone(context(retriever=FoundPassages(about=())))

    events = [event async for event in run.start(Turn(question="Where do I park?", asker="U0ADA", addressed=True))]

    assert isinstance(events[-1], AnswerCompleted)
    assert ("admitted", NOTHING_TO_READ) == (events[-1].outcome, events[-1].text)
    assert "`askback ingest`" in events[-1].text
