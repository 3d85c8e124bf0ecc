"""How follow-ups become self-contained, and what stays as it is."""

import pytest

from bot.models.offline.understanding.follow_ups import standalone, topic
from graph.passages import Facet

OFFICES = [
    Facet(id=name, attribute="path:1", label=name, passages=[1], best_sentence="", score=1.0)
    for name in ("Porto", "Hamburg")
]


@pytest.mark.parametrize(
    ("previous", "said", "meant"),
    [
        ("How much does parking cost in Porto?", "And in Hamburg?", "How much does parking cost in Hamburg?"),
        ("How much does parking cost in Porto?", "What about Hamburg?", "How much does parking cost in Hamburg?"),
        ("How much does parking cost in Porto?", "Hamburg?", "How much does parking cost in Hamburg?"),
        ("What does a family of 4 get in 2024?", "What about a family of 5?", "What does a family of 5 get in 2024?"),
        ("What was the limit in 2024?", "and in 2026?", "What was the limit in 2026?"),
        ("Do full-time employees get it?", "And part-time employees?", "Do part-time employees get it?"),
        ("Does a dog fast?", "and a cat?", "Does a cat fast?"),
        ("How many vacation days are there?", "for contractors?", "How many vacation days are there for contractors?"),
        ("Wie viele Urlaubstage gibt es in Porto?", "Und in Hamburg?", "Wie viele Urlaubstage gibt es in Hamburg?"),
        ("What is the hotel limit?", "Who approves it?", "Who approves it (hotel limit)?"),
        ("Who approves it (hotel limit)?", "and why?", "Why (hotel limit)?"),
        ("Can I work from abroad?", "For how many days?", "For how many days (work from abroad)?"),
        ("What if I break my laptop?", "Do I have to pay?", "Do I have to pay (break laptop)?"),
        ("Can I expense a taxi?", "By when?", "By when (expense a taxi)?"),
        ("Where do I park in Porto?", "Is there a cantina there?", "Is there a cantina there (park in Porto)?"),
        ("How do I reset the VPN?", "After how many hours is it up?", "After how many hours is it up (reset the VPN)?"),
    ],
)  # fmt: skip
def test_a_follow_up_is_completed_from_the_question_before(previous: str, said: str, meant: str) -> None:
    assert standalone(said, previous, OFFICES) == meant


@pytest.mark.parametrize(
    "said",
    [
        "How many vacation days do I have?",
        "How much does lunch cost?",
        "Can I smoke?",
        "Do I have to travel?",
        "If I lose my laptop, how do I report it?",
        "Is there a limit for taxi rides in Hamburg?",
        "  What is the daily allowance for meals ?",
        "Which documents that I sign are kept?",
        "vpn error 41",
    ],
)
def test_a_question_that_stands_alone_stays_byte_for_byte(said: str) -> None:
    assert standalone(said, "How much does parking cost in Porto?", OFFICES) == said


def test_the_topic_is_what_a_question_is_about() -> None:
    assert topic("How much does parking cost in Porto?") == "parking in Porto"
    assert topic("Why?") == ""


def test_a_chosen_reading_stays_with_its_question() -> None:
    previous = "How many vacation days do I have (Hamburg)?"
    assert standalone("Who approves them?", previous, OFFICES) == "Who approves them (vacation days, Hamburg)?"
    assert standalone("And in Porto?", previous, OFFICES) == "How many vacation days do I have (Porto)?"
