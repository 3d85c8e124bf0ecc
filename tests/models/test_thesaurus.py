"""The thesaurus finds what a text says in other words, each in its own language."""

from itertools import chain
from pathlib import Path

import pytest

import bot.models.thesaurus
from bot.models.thesaurus import Thesaurus, wording_of
from graph.text.words import stems

FILE = Path(bot.models.thesaurus.__file__).with_suffix(".txt")
HEAT = [f"warmth no{number}, hot | de Hitze nr{number}" for number in range(5)]
"""Five concepts of one word."""


def said(question: str, text: str, language: str = "en", *, lines: list[str] | None = None) -> set[str]:
    """Return the question's stems that a text says in other words only."""
    wording = Thesaurus(lines).read(question) if lines else wording_of(question)
    held = stems(text)
    return set(wording.with_meant(held, language) - held)


@pytest.mark.parametrize(
    ("question", "text", "language", "expected"),
    [
        ("What does a grown-up pay?", "Adult, single: 12 crowns.", "en", "grown"),
        ("Does the pay come with PTO?", "You have 25 days of annual leave.", "en", "PTO"),
        ("Some guy from a newspaper rang.", "Only Ines talks to the press.", "en", "newspaper"),
        (
            "Wann brauche ich einen gelben Schein?",
            "From day 4, a medical certificate is needed.",
            "en",
            "gelben Schein",
        ),
        ("Wie viele Urlaubstage habe ich?", "Everybody has 25 days of vacation.", "en", "Urlaubstage"),
        ("Quantos dias de férias tenho?", "Everybody has 25 days of vacation.", "en", "férias"),
        ("How many vacation days do I have?", "Alle haben 25 Urlaubstage.", "de", "vacation"),
        ("O cão pode entrar?", "Hunde sind erlaubt.", "de", "cão"),
        ("My laptop was stolen", "O portátil foi roubado.", "pt", "laptop"),
    ],
)
def test_a_text_says_it_with_other_words(question: str, text: str, language: str, expected: str) -> None:
    assert stems(expected) <= said(question, text, language)


def test_accents_may_be_missing() -> None:
    assert stems("ferias") <= said("Quantas ferias tenho este ano?", "Everybody has 25 days of vacation.")


def test_a_word_is_read_in_the_language_of_its_question() -> None:
    lines = ["label, tag | de Etikett", "day, date | de Tag"]

    assert stems("Tag") == said("An welchem Tag ist das?", "The day of the meeting", lines=lines)
    assert set() == said("An welchem Tag ist das?", "The label on the box", lines=lines)


def test_a_text_is_read_in_its_own_language_and_in_english() -> None:
    lines = ["label, tag | de Etikett", "sign | de Tag"]

    assert stems("label") == said("Where is the label?", "Das Etikett", "de", lines=lines)
    assert stems("label") == said("Where is the label?", "Der neue Tag", "de", lines=lines)
    assert set() == said("Where is the label?", "Das Etikett", "pt", lines=lines)


def test_the_longest_phrase_counts() -> None:
    lines = ["annual leave, vacation", "annual, yearly"]

    assert stems("annual leave") == said("How much annual leave is there?", "Your vacation", lines=lines)
    assert set() == said("How much annual leave is there?", "A yearly meeting", lines=lines)


def test_a_whole_phrase_must_be_said() -> None:
    lines = ["phone, mobile device"]

    assert set() == said("My phone broke.", "A medical device", lines=lines)
    assert stems("phone") == said("My phone broke.", "A mobile device", lines=lines)


@pytest.mark.parametrize("phrase", ["put in order", "no-order", "p.a.", "B&B"])
def test_a_phrase_of_small_words_and_letters_is_no_word(phrase: str) -> None:
    lines = [f"{phrase}, tidy"]

    assert set() == said("What is the order of b and p?", "tidy desks", lines=lines)
    assert set() == said("Is it tidy?", "The order of b and p", lines=lines)


def test_of_a_long_question_the_beginning_is_read() -> None:
    assert stems("vacation") <= said("vacation " * 100_000 + "laptop", "annual leave, computer")
    assert stems("laptop").isdisjoint(said("vacation " * 100_000 + "laptop", "a notebook computer"))


@pytest.mark.parametrize(
    ("question", "text"), [("May I book a flight?", "The Starter plan"), ("Is smoking forbidden?", "Go in")]
)
def test_words_that_only_look_alike_say_nothing(question: str, text: str) -> None:
    assert set() == said(question, text)


@pytest.mark.parametrize(("senses", "expected"), [(4, {"hot"}), (5, set[str]())])
def test_a_word_of_many_senses_says_nothing(senses: int, expected: set[str]) -> None:
    assert expected == said("How hot is it?", "The warmth no1", lines=HEAT[:senses])


def test_what_a_text_says_itself_stays() -> None:
    held = stems("25 days of vacation")

    assert held == wording_of("How many vacation days?").with_meant(held, "en")
    assert held == wording_of("").with_meant(held, "en")


def test_the_file_has_one_concept_a_line_in_known_languages() -> None:
    lines = FILE.read_text("utf-8").splitlines()
    parts = [line.split(" | ") for line in lines]
    languages = [tuple(part[:3] for part in others) for _, *others in parts]
    phrases = [[phrase.casefold() for phrase in part.split(", ")] for part in chain.from_iterable(parts)]

    assert lines == sorted(lines, key=str.casefold)
    assert {("de ", "pt ", "es ", "fr ")} == set(languages)
    assert [] == [each for each in phrases if len(set(each)) < len(each) or "" in each]
