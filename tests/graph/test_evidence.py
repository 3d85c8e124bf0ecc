"""Enough evidence is one sure passage, or several that together are very likely."""

import pytest

from graph.answer.evidence import (
    SURE,
    UNSURE,
    Band,
    band_of,
    is_enough,
    nearest,
    relevant,
    renewed,
    sources_of,
    weighed,
)
from graph.passages import BY_OCR, READ_BY
from tests.support.fakes import passage


def found(*relevances: float):  # noqa: ANN201
    return relevant(weighed([passage(number, "Text.") for number, _ in enumerate(relevances)], list(relevances)))


@pytest.mark.parametrize(
    ("relevances", "enough"),
    [
        ([0.55], True),
        ([0.54], False),
        ([0.54, 0.54, 0.54], True),
        ([0.46, 0.45, 0.38, 0.35], False),
        ([0.4] * 5, True),
        ([0.34, 0.34, 0.34, 0.34], False),
        ([], False),
    ],
)
def test_enough_is_as_required(relevances: list[float], enough: bool) -> None:
    assert enough is is_enough(found(*relevances))


def test_the_most_relevant_comes_first_and_the_irrelevant_goes() -> None:
    assert [2, 0] == [one["id"] for one in found(0.5, 0.1, 0.9)]


def test_sources_are_numbered_from_one() -> None:
    (source,) = sources_of([passage(7, "Text.", title="Travel", heading_path=["Hotels", "Limit"])], "Which limit?")

    assert (1, "Travel", "Hotels › Limit", 7) == (
        source["number"],
        source["title"],
        source["heading"],
        source["passage_id"],
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [("How much is it a month?", "older than 90 days"), ("Wie viel kostet das im Monat?", "älter als 90 Tage")],
)
def test_an_old_source_says_so_in_the_language_of_the_question(question: str, said: str) -> None:
    (source,) = sources_of([{**passage(7, "Text."), "stale_after_days": 90}], question)

    assert said == source.get("stale")


@pytest.mark.parametrize(
    ("question", "said"),
    [("How much is it a month?", "read by OCR"), ("Wie viel kostet das im Monat?", "durch Texterkennung gelesen")],
)
def test_a_source_says_that_it_was_read_by_ocr(question: str, said: str) -> None:
    (source,) = sources_of([{**passage(7, "Text."), "attributes": {READ_BY: BY_OCR}}], question)

    assert said == source.get("recognised")


@pytest.mark.parametrize(
    ("relevances", "band"),
    [
        ([SURE], "sure"),
        ([SURE - 0.01], "unsure"),
        ([0.54, 0.54, 0.54], "sure"),
        ([UNSURE, 0.0], "unsure"),
        ([UNSURE / 2] * 9, "no"),
        ([], "no"),
    ],
)
def test_there_are_three_bands(relevances: list[float], band: Band) -> None:
    passages = [passage(number, "Text.") for number, _ in enumerate(relevances)]

    assert band == band_of(weighed(passages, relevances))


def test_what_stands_high_in_both_orders_is_near() -> None:
    found = [passage(number, "Text.") for number in range(8)]
    weighed_ones = weighed(found, [0.02, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3])

    assert [0, 1, 7, 2] == [one["id"] for one in nearest(found, weighed_ones, "Where?")]


def test_more_is_near_of_the_first_documents_than_of_others() -> None:
    found = [passage(number, "Text.", document_id=min(number, 4)) for number in (4, 1, 2, 3, 5, 6, 7, 8)]

    near = nearest(found, weighed(found, [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), "Where?")

    assert [4, 5, 6, 7, 1, 2, 3] == [one["id"] for one in near]


def test_an_old_version_takes_no_room_of_what_is_near() -> None:
    old, new, *others = (
        passage(number, "Text.", path=f"team/{name}.md", title=name)
        for number, name in enumerate(("rules-2024", "rules-2026", "b", "c", "d"))
    )
    found = [old, new, *others]

    def near(question: str) -> list[int]:
        return [one["id"] for one in nearest(found, weighed(found, [0.3, 0.3, 0.1, 0.1, 0.1]), question)]

    assert [1, 2, 3, 4] == near("What holds?")
    assert [0, 2, 3, 4] == near("What held in 2024?")


def test_nothing_is_near_if_all_is_as_far() -> None:
    found = [passage(number, "Text.") for number in range(3)]

    assert [] == nearest(found, weighed(found, [UNSURE / 2] * 3), "Where?")


def test_the_newest_version_is_as_relevant_as_an_older_one_unless_the_older_one_is_asked_for() -> None:
    older = passage(1, "400 EUR for a desk.", path="people/remote-work-2023.html", title="Working from home")
    newest = passage(2, "600 EUR for a desk.", path="people/remote-work.md", title="Remote work")
    other = passage(3, "A desk is white.", path="people/desks.md", title="Desks")
    older["dated"], newest["dated"] = "2023-04-17", "2026-05-11"
    found = weighed([older, newest, other], [0.9, 0.06, 0.2])

    def relevance(question: str) -> dict[int, float]:
        return {one["id"]: one.get("relevance", 0.0) for one in renewed(found, question)}

    assert {1: 0.9, 2: 0.9, 3: 0.2} == relevance("What do I get for a desk?")
    assert {1: 0.9, 2: 0.06, 3: 0.2} == relevance("What did I get for a desk in 2023?")
