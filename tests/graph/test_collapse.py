"""Near-identical passages are shown once, unless names or numbers differ."""

from graph.documents.copies import collapse
from graph.passages import Passage

TEXT = "Laptops are replaced every four years; ask the service desk for an appointment before yours is due."


def passage(number: int, text: str, *, title: str = "Laptops", dated: str | None = None) -> Passage:
    return Passage(
        id=number,
        document_id=number,
        title=title,
        path=f"{number}.md",
        heading_path=[],
        text=text,
        language="en",
        dated=dated,
        attributes={},
        score=1 / number,
    )


def ids(passages: list[Passage]) -> list[int]:
    return [found["id"] for found in collapse(passages)]


def test_a_copy_is_dropped() -> None:
    assert ids([passage(1, TEXT), passage(2, TEXT, title="Laptops (old)"), passage(3, "Else.")]) == [1, 3]


def test_of_two_copies_the_newer_stands_in_the_place_of_the_first() -> None:
    found = collapse([passage(1, TEXT, dated="2023-01-01"), passage(2, TEXT, dated="2025-01-01")])

    assert [(one["id"], one["score"]) for one in found] == [(2, 1.0)]


def test_another_number_is_another_statement() -> None:
    assert ids([passage(1, f"{TEXT} It costs 5."), passage(2, f"{TEXT} It costs 7.")]) == [1, 2]


def test_another_name_is_another_statement() -> None:
    assert ids([passage(1, f"{TEXT} In Porto."), passage(2, f"{TEXT} In Hamburg.")]) == [1, 2]


def test_the_same_words_about_another_subject_are_kept() -> None:
    assert ids([passage(1, TEXT, title="Porto office"), passage(2, TEXT, title="Hamburg office")]) == [1, 2]
