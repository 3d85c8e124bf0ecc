"""Follow-ups become stand-alone questions, and other messages stay as they are."""

import pytest

from bot.models.offline.understanding.rewriting import corrects, standalone, topic
from graph.passages import Facet
from graph.text.names import unknown_names
from tests.graph.evidence import passage

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
        ("How much does parking cost in Porto?", "hamburg", "How much does parking cost in Hamburg?"),
        ("How much does parking cost (Porto)?", "Hamburg", "How much does parking cost (Hamburg)?"),
        ("Is there a gym?", "Porto", "Is there a gym (Porto)?"),
        ("What does a family of 4 get in 2024?", "What about a family of 5?", "What does a family of 5 get in 2024?"),
        ("What was the limit in 2024?", "and in 2026?", "What was the limit in 2026?"),
        ("Do full-time employees get it?", "And part-time employees?", "Do part-time employees get it?"),
        ("Does a dog fast?", "and a cat?", "Does a cat fast?"),
        ("How long is the warranty of a Pine Router?", "and of a hub?", "How long is the warranty of a hub?"),
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
)
def test_a_follow_up_is_completed_from_the_question_before(previous: str, said: str, meant: str) -> None:
    assert standalone(said, previous, OFFICES) == meant


@pytest.mark.parametrize(
    ("previous", "said", "meant"),
    [
        ("what does the main hall cost per day?", "and the yard", "what does the yard cost per day?"),
        ("What does a day cost in the main hall?", "and in the Yard?", "What does a day cost in the Yard?"),
        ("how much is the stalls for schools?", "and for clubs", "how much is the stalls for clubs?"),
        ("What does the main hall cost?", "and the roof?", "The roof (hall)?"),
        ("What does the hall cost?", "and the yard?", "The yard (hall)?"),
    ],
)
def test_cells_of_one_column_stand_for_each_other(previous: str, said: str, meant: str) -> None:
    columns = [["Room", "Clubs", "Schools"], ["Main hall", "Yard"], ["40", "20"], ["30", "10"]]
    assert standalone(said, previous, OFFICES, columns=columns) == meant


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


@pytest.mark.parametrize(
    ("previous", "said", "meant"),
    [
        ("How much is parking in Hamburg?", "E em Porto?", "How much is parking in Porto?"),
        ("How much is parking in Hamburg?", "Y en Porto?", "How much is parking in Porto?"),
        ("How much is parking in Hamburg?", "Und in Porto?", "How much is parking in Porto?"),
        ("Wie viele Urlaubstage gibt es in Porto?", "And Hamburg?", "Wie viele Urlaubstage gibt es in Hamburg?"),
        ("Combien coûte le parking à Porto ?", "Et à Hamburg ?", "Combien coûte le parking à Hamburg ?"),
        ("Combien coûte le parking à Lyon ?", "Et à Paris ?", "Combien coûte le parking à Paris ?"),
        ("¿Cuántos días tengo en Hamburgo?", "¿y en Porto?", "¿Cuántos días tengo en Porto?"),
        ("Quantos dias de férias tenho em Hamburgo?", "e no Porto?", "Quantos dias de férias tenho em Porto?"),
    ],
)
def test_a_value_is_exchanged_in_whatever_language_it_is_named(previous: str, said: str, meant: str) -> None:
    assert standalone(said, previous, OFFICES) == meant


@pytest.mark.parametrize(
    ("previous", "said"),
    [
        ("How many vacation days do we get?", "Und was ist mit Teilzeit?"),
        ("How many vacation days do we get?", "Et à Paris?"),
        ("How many vacation days do we get?", "E para estagiários?"),
        ("Combien coûte le parking ?", "Pourquoi ?"),
        ("Combien coûte le parking ?", "Et à Paris ?"),
        ("Quantos dias de férias tenho em Hamburgo?", "E o Porto fica longe de Lisboa?"),
        ("Wie viele Urlaubstage gibt es?", "What about part-time?"),
    ],
)
def test_a_follow_up_in_another_language_is_left_alone(previous: str, said: str) -> None:
    assert standalone(said, previous, OFFICES) == said


@pytest.mark.parametrize(
    ("previous", "said", "meant"),
    [
        ("What is the Wi-Fi in Hamburg called?", "Parking?", "Parking (Wi-Fi in Hamburg called)?"),
        ("What does a visitor badge cost?", "Contractors badge?", "What does a contractors badge cost?"),
        ("Contractors badge?", "Who pays?", "Who pays (contractors badge)?"),
    ],
)
def test_the_capital_of_a_first_word_makes_no_name(previous: str, said: str, meant: str) -> None:
    assert standalone(said, previous, OFFICES) == meant
    assert not unknown_names(meant, [passage("wifi.md", "In Hamburg the Wi-Fi is called Harz.")])


def test_a_name_that_the_passages_hold_keeps_its_capital_and_is_exchanged() -> None:
    previous = "Does Tailguard cover dental work?"
    assert standalone("Petshield?", previous, OFFICES, known={"Petshield"}) == "Does Petshield cover dental work?"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("no wait, I'm on Hamburg, not Porto", "How much does parking cost in Hamburg?"),
        ("sorry, I meant Hamburg", "How much does parking cost in Hamburg?"),
        ("No, Hamburg!", "How much does parking cost in Hamburg?"),
        ("no, winter tariff please", "Winter tariff please (parking in Porto)?"),
    ],
)
def test_a_correction_is_put_in_the_place_of_what_it_corrects(said: str, meant: str) -> None:
    assert meant == standalone(said, "How much does parking cost in Porto?", OFFICES)


@pytest.mark.parametrize(
    "said",
    [
        "No smoking in which rooms exactly?",
        "actually, how long is the warranty of a hub?",
        "Actually, is a bus free in Hamburg?",
        "Sorry, my fault.",
        "Sorry, I meant it.",
        "Sorry, I meant vans trailers caravans lorries motorbikes bicycles scooters sledges skates boats in Hamburg",
    ],
)
def test_a_new_question_that_begins_like_a_correction_is_none(said: str) -> None:
    assert said == standalone(said, "How much does parking cost in Porto?", OFFICES)


@pytest.mark.parametrize(
    ("said", "does"),
    [("no wait, I'm on the router", True), ("No, wait: it's about Hamburg", True), ("No, thanks", False)],
)
def test_who_says_what_they_meant_corrects(said: str, does: bool) -> None:
    assert does == corrects(said)
