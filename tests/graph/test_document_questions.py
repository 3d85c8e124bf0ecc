"""Questions about the documents themselves."""

import pytest

from graph.documents.questions import documents_for, wanted
from graph.passages import Passage
from tests.support.fakes import passage

TRAVEL = passage(1, "Book ahead.", title="Travel policy", path="people/travel-2026.md", attributes={"owner": "Rui"})
OLDER = passage(
    2,
    "Book early.",
    title="Travel policy",
    path="people/travel-2024.md",
    attributes={"owner": "Ada"},
    dated="2024-01-01",
)
PORTO = passage(3, "Nine spaces.", title="Parking", path="porto/parking.md")
HAMBURG = passage(4, "Four spaces.", title="Parking in the yard", path="hamburg/parking.md", dated=None)
FOUND = [OLDER, TRAVEL, PORTO, HAMBURG]


def meant(question: str) -> list[Passage]:
    asked = wanted(question)
    return documents_for(asked, FOUND) if asked else []


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("Who owns the travel policy?", [TRAVEL]),
        ("Who is responsible for the page on travel?", [TRAVEL]),
        ("Wer ist für die Seite Travel verantwortlich?", [TRAVEL]),
        ("When was the travel page last updated?", [TRAVEL]),
        ("Which documents cover parking?", [PORTO, HAMBURG]),
        ("Gibt es ein Dokument über Parking?", [PORTO, HAMBURG]),
    ],
)
def test_a_question_about_documents_means_the_newest_of_those_whose_title_holds_its_topic(
    question: str, documents: list[Passage]
) -> None:
    assert documents == meant(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is responsible for the coffee machine?",
        "When was Lumen & Pine founded?",
        "Who keeps the spare key?",
        "How old must a pet be before it is neutered?",
        "Who owns the moon?",
        "Who owns the parking page?",
        "When was the yard page updated?",
    ],
)
def test_what_no_title_date_or_front_matter_tells_is_no_such_question(question: str) -> None:
    assert [] == meant(question)
