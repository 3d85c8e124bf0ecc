"""The cases of a table that a question leaves open."""

import pytest

from graph.asking.cases import cases_of
from graph.asking.facets import divides, find_facets
from tests.graph.evidence import passage

VACATION = passage(
    "people/vacation.md",
    "| Grade | Vacation days | Notice |\n|---|---|---|\n| Junior | 25 | 4 weeks |\n| Senior | 28 | 4 weeks |\n",
    title="Vacation",
)
PRICES = passage(
    "plans/pricing.md",
    "| | Starter | Team |\n|---|---|---|\n| **Price** | 9 EUR | 29 EUR |\n| Setup price | none | none |\n",
    title="Prices",
)
ROUTERS = passage("r.md", "| Property | R2 | R3 |\n|---|---|---|\n| Price | 189 EUR | 259 EUR |\n", title="Routers")
STEPS = passage("s.md", "| Step | Who |\n|---|---|\n| Plan | Ada |\n| Build | Ben |\n", title="Release")
HOURS = passage("h.md", "| Hour | Room |\n|---|---|\n| 9:00 | Oak |\n| 10:00 | Elm |\n", title="Meeting rooms")


def test_rows_are_asked_about_if_the_asked_column_tells_them_apart() -> None:
    assert ["Junior", "Senior"] == cases_of("How many vacation days do I have?", VACATION)
    assert [] == cases_of("How long is the notice for a vacation?", VACATION)


def test_columns_are_asked_about_if_the_first_one_names_what_is_told_of_them() -> None:
    assert ["Starter", "Team"] == cases_of("What is the price?", PRICES)
    assert ["R2", "R3"] == cases_of("What is the price of a router?", ROUTERS)


@pytest.mark.parametrize(
    "question",
    ["How many vacation days does a senior have?", "What are the vacation days?", "Who approves a vacation?"],
)
def test_a_question_that_names_a_case_wants_all_or_another_thing_is_clear(question: str) -> None:
    assert [] == cases_of(question, VACATION)


def test_steps_and_times_are_no_alternatives() -> None:
    assert [] == cases_of("Who makes the release?", STEPS)
    assert [] == cases_of("Which meeting room?", HOURS)


@pytest.mark.parametrize(
    "text", ["", "|", "| a |\n|---|", "|---|\n|---|", "| a | b |\n| c |", "||||\n||||\n||||", "| a\n| b"]
)
def test_no_text_breaks_it(text: str) -> None:
    assert [] == cases_of("What is a b c?", passage("x.md", text, title="a b c"))


def test_cases_are_offered_like_other_readings() -> None:
    question = "How many vacation days do I have?"
    facets = find_facets(question, [VACATION])
    assert ["Junior", "Senior"] == [facet["label"] for facet in divides(question, facets, [VACATION])]
