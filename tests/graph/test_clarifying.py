"""The options of a question back."""

import pytest

from graph.asking.clarification import alternatives, subject_of
from graph.passages import Facet
from tests.graph.evidence import passage


def facet(attribute: str, label: str, *passages: int) -> Facet:
    return Facet(
        id=f"{attribute}={label}",
        attribute=attribute,
        label=label,
        passages=list(passages),
        best_sentence="",
        score=1.0,
    )


def labels(options: list[Facet]) -> list[str]:
    return [option["label"] for option in alternatives(options)]


def test_options_are_values_of_one_attribute() -> None:
    mixed = [facet("office", "Porto", 1), facet("path:1", "Porto", 1), facet("office", "Hamburg", 2)]
    assert ["Porto", "Hamburg"] == labels([*mixed, facet("path:1", "Hamburg", 2)])
    assert ["Porto", "Hamburg"] == labels([*mixed, facet("heading:0", "How to claim", 3)])


def test_no_two_options_read_alike_or_stand_for_the_same_passages() -> None:
    assert ["Children's", "Staff"] == labels(
        [facet("fund", "Children's", 1), facet("fund", "Children’s", 2), facet("fund", "Staff", 3)]
    )
    assert ["Basic", "Pro"] == labels([facet("plan", "Basic", 1), facet("plan", "Starter", 1), facet("plan", "Pro", 2)])


def test_cases_of_one_table_are_alternatives() -> None:
    assert ["Junior", "Senior"] == labels([facet("case", "Junior", 1), facet("case", "Senior", 1)])


def test_none_is_none() -> None:
    assert [] == labels([])


@pytest.mark.parametrize(
    ("paths", "headings", "subject"),
    [
        (["offices/porto/vacation.md", "offices/hamburg/vacation.md"], ["Vacation", "Carry"], "offices vacation"),
        (["offices/porto/parking.md", "offices/hamburg/parking.md"], ["", ""], "offices parking"),
        (["neutering_dog.html", "neutering_cat.html"], ["Age", "Price"], "neutering"),
        (["travel-policy-2024.md", "travel-policy-2026.md"], ["Meals", "Hotels"], "travel policy"),
        (["plans/starter.md", "plans/team.md"], ["Starter > Support", "Team > Support"], "plans Support"),
        (
            ["insurance/tailguard.txt", "insurance/petshield.txt"],
            ["", ""],
            "insurance insurance/petshield.txt insurance/tailguard.txt",
        ),
    ],
)
def test_a_subject_is_what_the_names_of_the_answers_have_in_common(
    paths: list[str], headings: list[str], subject: str
) -> None:
    passages = [passage(path, "Text.", heading=heading) for path, heading in zip(paths, headings, strict=True)]
    assert subject == subject_of(passages)
