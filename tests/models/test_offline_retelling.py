"""An answer in another form, and one point of it."""

from typing import Any, cast

import pytest

from bot.models.offline.understanding.retelling import Shape, point, reshaped, shape_of
from graph.memory import CUT, WITHHELD
from graph.passages import Source
from graph.state import Exchange, Memory
from tests.models.offline import understood
from tests.models.test_offline_understander import PARKING, after, case

FIVE = "One [1]. Two [1]. Three [2]. Four [2]. Five [2]."
LISTED = "There are two ways:\n\n- by bus [1]\n- by train [2]\n\nA colleague may know more."
NEAREST = "I am not sure. These come nearest:\n\n**Parking:** It is 3 EUR [1].\n\n**Bus:** It is free [2].\n\nAsk Ada."
SOURCES = [
    Source(number=number, title=title, heading="", url=None, dated=None, passage_id=number)
    for number, title in ((1, "Parking"), (2, "Garages"))
]


def answered(answer: str, **given: Any) -> Memory:
    """Return a memory with one answer that cites its sources."""
    memory = after("What does parking cost in Porto?")
    exchange = cast("Exchange", {**memory["exchanges"][0], "answer": answer, "cited": SOURCES, **given})
    return {**memory, "exchanges": [exchange]}


@pytest.mark.parametrize(
    ("said", "kind", "count"),
    [
        ("in three bullets", "list", 3),
        ("in 3 bullet points please", "list", 3),
        ("Say that in three bullet points", "list", 3),
        ("can you put that into two short points?", "list", 2),
        ("as a list", "list", 0),
        ("bullet points please", "list", 0),
        ("als Liste", "list", 0),
        ("Bitte als Liste!", "list", 0),
        ("in drei Stichpunkten bitte", "list", 3),
        ("em tópicos", "list", 0),
        ("em três tópicos, por favor", "list", 3),
        ("numa lista", "list", 0),
        ("in one sentence", "sentences", 1),
        ("summarise the answer in two sentences", "sentences", 2),
        ("in einem Satz bitte", "sentences", 1),
        ("numa frase", "sentences", 1),
    ],
)
def test_who_wishes_for_another_form_says_which(said: str, kind: str, count: int) -> None:
    assert Shape(kind, count) == shape_of(said)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "said",
    ["Summarise the travel policy in three bullets", "Where is the list?", "How do I add it to the list?", "a list",
     "Is it as easy as a list?", "Which points are in the contract?", "in three days", "put me on the list",
     "Was steht auf der Liste?", "three points of contact"],
)  # fmt: skip
def test_what_says_more_is_no_such_wish(said: str) -> None:
    assert shape_of(said) is None
    assert understood(case(said, memory=answered(FIVE)))["route"] != "answer_from_conversation"


@pytest.mark.parametrize(
    ("answer", "count", "told"),
    [
        (FIVE, 2, "- One [1]. Two [1].\n- Three [2]. Four [2]. Five [2]."),
        ("One [1]. Two [1].", 3, "- One [1].\n- Two [1]."),
        (LISTED, 0, "There are two ways:\n\n- by bus [1]\n- by train [2]"),
        (
            NEAREST,
            0,
            "I am not sure. These come nearest:\n\n- **Parking:** It is 3 EUR [1].\n- **Bus:** It is free [2].",
        ),
        (f"One [1].\n\n{CUT}\n\nNine [2].", 0, f"- One [1].\n- {CUT}\n- Nine [2]."),
        ("**Run:** [1]:\n```\nmake it\n```", 3, "**Run:** [1]:\n```\nmake it\n```"),
        ("| a | b |\n| 1 | 2 | [1]", 0, "| a | b |\n| 1 | 2 | [1]"),
    ],
)
def test_a_list_holds_all_of_the_answer_and_says_what_the_answer_said_of_itself(
    answer: str, count: int, told: str
) -> None:
    assert told == reshaped(answer, Shape("list", count))


@pytest.mark.parametrize(
    ("answer", "place", "told"),
    [
        (FIVE, 1, "One [1]."),
        (FIVE, -1, "Five [2]."),
        (FIVE, 6, ""),
        (LISTED, 2, "by train [2]"),
        (NEAREST, -1, "**Bus:** It is free [2]."),
        ("Only one [1].", 1, ""),
        ("Only one [1].", -1, ""),
        (f"One [1]. Two [1].\n\n{CUT}\n\nNine [2].", -1, "Nine [2]."),
        (f"One [1]. Two [1].\n\n{CUT}\n\nNine [2].", 3, ""),
    ],
)
def test_a_point_is_told_if_the_answer_has_it(answer: str, place: int, told: str) -> None:
    assert told == point(answer, place)


def test_what_is_told_again_cites_what_the_answer_cited_and_only_what_it_still_says() -> None:
    told = understood(case("the last point", memory=answered(FIVE)))

    assert ("answer_from_conversation", "Five [2].") == (told["route"], told["reply"])
    assert ["Garages"] == [source["title"] for source in told.get("cites", [])]
    assert told["standalone"] == "What does parking cost in Porto?"


def test_where_the_sources_are_not_remembered_their_titles_are_told() -> None:
    memory = answered(FIVE)
    memory["exchanges"][0].pop("cited")

    told = understood(case("in 2 bullets", memory=memory))

    assert told["reply"].startswith("- One. Two.\n- Three.")
    assert told["reply"].endswith(" The source was Parking.")
    assert [] == told.get("cites")


def test_a_second_wish_is_for_the_answer_and_not_for_what_became_of_it() -> None:
    memory = answered(FIVE)
    short = cast("Exchange", {**memory["exchanges"][0], "question": "in one sentence", "answer": "In short: One [1]."})

    told = understood(case("as a list", memory={**memory, "exchanges": [*memory["exchanges"], short]}))

    assert told["reply"].count("- ") == len(FIVE.split(". "))


def test_what_may_no_longer_be_told_is_not_passed_over() -> None:
    memory = answered(FIVE)
    withheld = cast("Exchange", {**memory["exchanges"][0], "answer": WITHHELD, "sources": [], "cited": []})

    told = understood(case("as a list", memory={**memory, "exchanges": [*memory["exchanges"], withheld]}))

    assert "No longer told" in told["reply"]


@pytest.mark.parametrize("said", ["as a list", "the first", "1)"])
def test_where_nothing_was_answered_nothing_is_told_again(said: str) -> None:
    memory = answered("Hello!", sources=[])

    assert understood(case(said, memory=memory))["route"] != "answer_from_conversation"


@pytest.mark.parametrize(
    "said", ["the first", "1)", "the first one, please", "first question", "o primeiro", "die erste Frage"]
)
def test_of_several_questions_the_one_that_is_named_is_asked_alone(said: str) -> None:
    asked = "How is the VPN started? How much does parking cost in Porto?"

    told = understood(case(said, memory=answered(FIVE, question=asked, standalone=asked)))

    assert ("retrieve", "How is the VPN started?") == (told["route"], told["standalone"])


@pytest.mark.parametrize("said", ["7)", "the third", "12"])
def test_a_place_that_nothing_has_gets_one_line(said: str) -> None:
    told = understood(case(said, memory=answered("It is 3 EUR [1].")))

    assert told["reply"] == f"I do not know what “{said}” refers to. Please ask in a few words."


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("test", "I am here."),
        ("Testing, 1 2 3", "I am here."),
        ("this is a test", "I am here."),
        ("nur ein Test", "Ich bin da."),
        ("?", "What is unclear?"),
        ("??", "What is unclear?"),
    ],
)
def test_who_only_tries_or_only_wonders_gets_one_line(said: str, reply: str) -> None:
    told = understood(case(said, memory=answered(FIVE)))

    assert told["route"] == "converse"
    assert told["reply"].startswith(reply)


@pytest.mark.parametrize("said", ["Which test is needed?", "test lab", "When is the first test?", "the first week"])
def test_what_asks_for_a_test_or_for_the_first_of_something_is_looked_up(said: str) -> None:
    assert "retrieve" == understood(case(said, passages=PARKING[1:], memory=answered(FIVE)))["route"]


def test_as_many_paragraphs_as_points_are_one_point_each() -> None:
    answer = (
        "**Leave:** 30 days a year [1]. Ten may be kept [1].\n\n**Closed days:** The office is closed in August [2]."
    )

    told = reshaped(answer, Shape("list", 2))

    assert "- **Leave:** 30 days a year [1]. Ten may be kept [1].\n- **Closed days:** The office" in told
