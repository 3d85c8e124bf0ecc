"""What counts as a word, a stem and a number."""

import pytest

from graph.text.words import content_words, holds, language_of, quantities, stem


def test_inflected_forms_of_a_word_share_a_stem() -> None:
    assert stem("policies") == stem("policy")
    assert stem("urlaubstage") == stem("urlaubstagen")


def test_only_words_with_content_remain() -> None:
    assert content_words("How many of the days are paid?") == [stem("days"), stem("paid")]
    assert content_words("Was ist mit dem Reisen?") == [stem("reisen")]


def test_a_possessive_is_the_word_itself() -> None:
    assert content_words("Lisbon's office") == content_words("Lisbon office")


@pytest.mark.parametrize("mark", "’‘´ʼ")
def test_an_apostrophe_is_one_whatever_types_it(mark: str) -> None:
    assert holds("We can't pay", f"can{mark}t pay")
    assert content_words("Ask O'Brien") == content_words(f"Ask O{mark}Brien")
    assert content_words("Lisbon office") == content_words(f"Lisbon{mark}s office")
    assert "fr" == language_of(f"C{mark}est ici?")


@pytest.mark.parametrize(
    "question",
    ["Why don't I get paid?", "Why don’t I get paid?", "When'll we've been paid?", "You can't be, and cannot be, paid"],
)
def test_a_contraction_tells_no_more_than_its_words(question: str) -> None:
    assert [stem("paid")] == content_words(question)


def test_what_is_left_of_a_contraction_is_a_word_of_its_own() -> None:
    assert [stem("don"), stem("isn"), "t", stem("shirt")] == content_words("Has Don an ISN T-shirt?")


def test_numbers_compare_however_they_are_punctuated() -> None:
    assert quantities("1,200 or 1.200 or 1200, 3,5 and 007") == {"1200", "3.5", "7"}
    assert quantities("0.125, 0,5, 2.50 and 1.234.567,80") == {"0.125", "0.5", "2.5", "1234567.8"}
    assert quantities("Version 1.8.0 of 12.2026") == {"1.8.0", "12.2026"}


def test_numbers_may_be_spelled() -> None:
    assert quantities("Two weeks, zwölf Tage") == {"2", "12"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How does it work in Porto?", "en"),
        ("Wo parke ich?", "de"),
        ("E em Porto?", "pt"),
        ("Quanto custa o almoço no Porto?", "pt"),
        ("¿Cuántos días de vacaciones tengo?", "es"),
        ("Y en Hamburgo?", "es"),
        ("Combien de jours de congé ai-je ?", "fr"),
        ("Et à Paris?", "fr"),
        ("Quanti giorni di ferie ho?", "it"),
        ("Hoeveel vakantiedagen heb ik?", "nl"),
        ("VPN?", "en"),
    ],
)
def test_a_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_text_without_small_words_may_be_of_any_language() -> None:
    assert language_of("Hamburg?", default="de") == "de"
