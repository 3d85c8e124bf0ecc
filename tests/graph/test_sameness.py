"""Two questions are the same if they have the same telling words; one differing word is a near miss."""

import pytest

from graph.answer.sameness import are_same, differing_words, may_be_same

SAME = [
    ("What is the limit for a hotel night?", "What's the hotel night limit?"),
    ("How many vacation days do I get in Porto?", "how many vacation days do we get in porto"),
    ("What are the rules for parking in Porto?", "What’re the rules for parking in Porto?"),
    ("Who approves travel to Lisbon?", "Who approves travels to Lisbon, please?"),
    ("Wie viele Urlaubstage habe ich in Hamburg?", "wie viele Urlaubstage gibt es in Hamburg?"),
]
SWAPPED = [
    ("How long do EU orders take to arrive?", "How long do US orders take to arrive?", ("US", "EU")),
    ("Where are the logs of staging kept?", "Where are the logs of production kept?", ("production", "staging")),
    ("What was the hotel limit in 2024?", "What was the hotel limit in 2025?", ("2025", "2024")),
    ("Who maintains the printer in Porto?", "Who maintains the printer in Hamburg?", ("Hamburg", "Porto")),
]
OTHERS = [
    ("Is smoking allowed on the terrace?", "Is smoking not allowed on the terrace?"),
    ("Who pays for the hotel?", "When is the hotel paid for?"),
    ("How many parcels go from Porto to Hamburg?", "How many parcels go from Hamburg to Porto?"),
    ("Can I book the hotel before the trip?", "Can I book the hotel after the trip?"),
    ("May I book the hotel myself?", "Must I book the hotel myself?"),
    ("How often is the boiler checked?", "How long is the boiler checked?"),
    ("Can I book the hotel myself?", "Can't I book the hotel myself?"),
    ("Is the key with the porter?", "Is the key without the porter?"),
    ("Is that allowed?", "Is this allowed?"),
    ("How long do EU orders take?", "How long do orders take?"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_question_in_the_same_words_is_the_same(one: str, other: str) -> None:
    assert are_same(one, other)
    assert differing_words(one, other) is None


@pytest.mark.parametrize(("one", "other", "words"), SWAPPED)
def test_one_differing_word_is_a_near_miss_and_not_the_same(one: str, other: str, words: tuple[str, str]) -> None:
    assert not are_same(one, other)
    assert words == differing_words(other, one)


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_what_changes_the_answer_is_neither(one: str, other: str) -> None:
    assert not are_same(one, other)
    assert differing_words(one, other) is None


def test_questions_that_share_little_are_no_near_miss() -> None:
    assert differing_words("Who feeds the cat?", "Who washes the cat?") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How much may a room cost?", "What is the limit for a hotel night?"),
        ("Where do I find the logs of the staging server?", "Where are the logs of staging kept?"),
        ("How much may a room in Porto cost?", "What is the limit for a hotel night in Porto?"),
    ],
)
def test_other_words_for_the_same_names_and_numbers_may_be_the_same(one: str, other: str) -> None:
    assert may_be_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How much may a room in Porto cost?", "What is the limit for a hotel night?"),
        ("How much may a room in Porto cost?", "What is the limit for a hotel night in Lisbon?"),
        ("How much could a room cost in 2024?", "What is the limit for a hotel night in 2025?"),
        ("What may a US customer send back?", "Which returns are allowed in the EU?"),
        ("When can’t I smoke outside?", "When is smoking on the terrace allowed?"),
        ("When may I not smoke outside?", "When is smoking on the terrace allowed?"),
    ],
)
def test_other_names_numbers_or_a_denial_are_another_question_whatever_a_model_says(one: str, other: str) -> None:
    assert not may_be_same(one, other)
