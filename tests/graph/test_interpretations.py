"""The passages that compete as answers to one question."""

import pytest

from graph.asking.interpretations import compete, kinship, left_open
from graph.passages import Passage
from graph.text.relevance import weigh
from tests.graph.evidence import passage

QUESTION = "How often is the sample taken?"


def competing(one: Passage, other: Passage, question: str = QUESTION) -> bool:
    return compete(one, other, weigh(question, [one, other]))


def test_the_same_file_in_two_folders_competes() -> None:
    assert competing(
        passage("a/lab.md", "The sample is taken twice a day."), passage("b/lab.md", "Every hour a sample is taken.")
    )


def test_files_that_share_no_name_folder_or_title_do_not() -> None:
    one = passage("a/lab.md", "The sample is taken twice a day.", title="Lab")
    assert not competing(one, passage("b/menu.md", "A sample of the soup is taken at noon.", title="Menu"))


def test_related_files_compete_only_with_sentences_that_are_alike() -> None:
    one = passage("dog.txt", "The sample is taken twice a day.", title="Blood of dogs")
    alike = passage("cat.txt", "The sample is taken three times a day.", title="Blood of cats")
    other = passage("bin.txt", "Throw the old sample into the red bin by evening.", title="Blood in the bin")
    assert competing(one, alike)
    assert not competing(one, other, "What about the blood sample?")


def test_one_passage_does_not_compete_with_itself() -> None:
    one = passage("a/lab.md", "The sample is taken twice a day.")
    assert not competing(one, one)


def test_a_sentence_that_only_says_more_is_no_other_answer() -> None:
    one = passage("a/lab.md", "The sample is taken daily.")
    assert not competing(one, passage("b/lab.md", "The sample is taken daily; silence means yes."))


def test_passages_that_hold_too_little_of_a_question_do_not_compete() -> None:
    one, other = passage("a/lab.md", "The sample is red."), passage("b/lab.md", "The sample is blue.")
    weights = weigh(QUESTION, [one, other]) | {"taken": 9.0}
    assert not compete(one, other, weights)


def test_a_passage_that_holds_much_more_of_a_question_has_no_rival() -> None:
    whole = passage("a/lab.md", "The frozen sample is taken daily.")
    part = passage("b/lab.md", "The sample is taken hourly.")
    assert not competing(whole, part, "How often is the frozen sample taken?")


def document(path: str, heading: str = "", title: str = "") -> Passage:
    return passage(path, "Text.", heading=heading, title=title)


def table(path: str, *columns: str) -> Passage:
    rows = (f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), ["a"] * len(columns)))
    return passage(path, "\n".join(rows))


def section(heading: str) -> Passage:
    return {**document("plans.md", heading), "document_id": 1}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (document("porto/parking.md"), document("hamburg/parking.md"), "close"),
        (document("anaesthesia_dog.txt"), document("anaesthesia_cat.html", "During"), "close"),
        (document("2025-03-15_borrowing-hand-tools.md"), document("2024-03-15_borrowing-power-tools.md"), "close"),
        (document("branches/harbour.txt"), document("branches/mill_lane.txt"), "loose"),
        (document("laser.md", "Booking", "Laser"), document("mill.md", "Booking", "Milling machine"), "loose"),
        (document("aster.md", title="Reset"), document("birch.md", title="Reset"), "loose"),
        (document("a/1.md", title="Hub warranty"), document("b/2.md", title="Router warranty"), "loose"),
        (document("porto/parking.md", "Cost"), document("hamburg/parking.md", "Garage"), None),
        (document("laser.md", "Booking", "Laser"), document("mill.md", "Price", "Milling machine"), None),
        (document("engineering/releases.md"), document("people/payroll.md"), None),
        (table("kit/north.csv", "Item", "Price", "Seller"), table("kit/south.csv", "Item", "Price", "Stock"), "loose"),
        (table("kit/north.csv", "Item", "Price", "Seller"), table("kit/checks.csv", "Item", "Day", "Status"), None),
        (table("kit/north.csv", "Item", "Price", "Seller"), document("kit/checks.csv"), "loose"),
        (
            table("kit/north.csv", "Item", "Price (EUR)", "In stock"),
            table("kit/b.csv", "Item", "Price in EUR"),
            "loose",
        ),
        (section("Basic > Support"), section("Pro > Support"), "close"),
        (section("Requests by customers"), section("Requests by employees"), "close"),
        (section("How to claim"), section("The last weeks"), "parts"),
        (section("For employees"), section("For contractors"), "close"),
        (section("What we take"), section("What members must not do"), "parts"),
        (section("Basic > Support"), section("Pro > Price"), None),
        (section("Support"), section("Support"), None),
    ],
)
def test_how_parallel_two_places_are(one: Passage, other: Passage, expected: str | None) -> None:
    assert expected == kinship(one, other)
    assert expected == kinship(other, one)


def test_a_word_that_some_places_share_leaves_open_which_of_these() -> None:
    two, three, hub = (
        passage(f"products/{product}/reset.md", "Press it.", title="Reset", heading=heading)
        for product, heading in (("r2", "Factory reset"), ("r3", "Factory reset"), ("hub", "Reset"))
    )

    assert [two, three] == left_open("How do I get back to factory settings?", [two, hub, three])
    assert [two, hub, three] == left_open("How do I do it?", [two, hub, three])
    assert [] == left_open("How do I get the r2 back to factory settings?", [two, hub, three])
    assert [] == left_open("How do I get the hub back to factory settings?", [two, hub, three])
