"""The names in a question, and whether the found passages hold them."""

import pytest

from graph.asking.facets import divides, find_facets
from graph.text.names import names, unknown_names
from tests.support.fakes import passage

PARKING = [
    passage(1, "Parking costs 3 EUR a day.", path="offices/porto/parking.md", title="Parking"),
    passage(2, "Parking costs 68 EUR a month.", path="offices/hamburg/parking.md", title="Parking"),
]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where is the office in Berlin?", ["Berlin"]),
        ("How do I reset a Pine Router R5?", ["R5", "Pine", "Router"]),
        ("Onde fica o escritório de Madrid?", ["Madrid"]),
        ("What does error 63 mean?", ["63"]),
        ("What's new in version 5.0?", ["5.0"]),
        ("Who is Camila Duarte?", ["Camila", "Duarte"]),
        ("who is Camila Duarte", ["Camila", "Duarte"]),
        ("Quem é Camila Duarte?", ["Camila", "Duarte"]),
        ("What is the VPN in Munich?", ["Munich"]),
        ("Parking in Munich?", ["Munich"]),
        ("Estacionamento em Munique?", ["Munique"]),
    ],
)
def test_capitals_within_a_sentence_identifiers_and_numbers_of_errors_are_names(
    question: str, named: list[str]
) -> None:
    assert named == names(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many vacation days do I have?",
        "Berlin or not, where do I park?",
        "I am new. Where do I park?",
        "Can I come in on Monday, the 3rd, at 9am?",
        "May I work from home 5 days a week?",
        "Do I need approval for a trip to Tokyo?",
        "How To Get A New Laptop",
        "How to Get a New Laptop",
        "Parking in the Old Harbour",
        "Where Do I Get A New Laptop?",
        "New Laptop?",
        "Regras de Estacionamento para os Colegas",
        "WHERE IS THE OFFICE?",
        "Wo ist der Schlüssel für den Keller?",
    ],
)
def test_what_a_rule_may_mean_without_naming_it_is_no_name(question: str) -> None:
    assert [] == names(question)


def test_a_name_is_known_wherever_a_passage_holds_it() -> None:
    assert [] == unknown_names("What does parking cost in Porto?", PARKING)
    assert ["Munich"] == unknown_names("What does parking cost in Munich?", PARKING)


def test_it_does_not_ask_back_between_others_than_what_was_named() -> None:
    for question, readings in (("What does parking cost?", 2), ("What does parking cost in Munich?", 0)):
        assert readings == len(divides(question, find_facets(question, PARKING), PARKING))


def test_it_does_not_ask_back_where_half_of_the_words_are_unknown() -> None:
    question = "What do parking, childcare and lunch cost employees?"

    assert [] == divides(question, find_facets(question, PARKING), PARKING)
