"""Which options a person is asked to choose from."""

from graph.asking.clarification import alternatives
from graph.passages import Facet


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


def test_none_is_none() -> None:
    assert [] == labels([])
