"""The cases of a table that a question leaves open."""

import pytest

from graph.asking.cases import cases_of, cell_asked_for, of_case, open_cases
from graph.asking.facets import divides, find_facets
from graph.events import AnswerCompleted
from graph.passages import Passage
from graph.run import run_alone
from graph.turn import Turn
from tests.graph.evidence import passage
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Written, context

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


def test_an_empty_corner_needs_no_space() -> None:
    tight = "||Starter|Team|\n|-|-|-|\n|Price|9 EUR|29 EUR|\n"
    assert ["Starter", "Team"] == cases_of("What is the price?", passage("p.md", tight, title="Prices"))


@pytest.mark.parametrize(
    "question",
    ["How many vacation days does a senior have?", "What are the vacation days?", "Who approves a vacation?"],
)
def test_a_question_that_names_a_case_wants_all_or_another_thing_is_clear(question: str) -> None:
    assert [] == cases_of(question, VACATION)


def test_cases_are_no_alternatives_if_the_question_asks_which_of_them_it_is() -> None:
    assert [] == cases_of("Which grade has 28 vacation days?", VACATION)
    assert ["Junior", "Senior"] == cases_of("How many vacation days has my grade?", VACATION)
    assert ["Junior", "Senior"] == cases_of("What grade vacation days are there?", VACATION)


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


PAYROLL = passage(
    "people/payroll.md",
    "| | Porto | Hamburg |\n|---|---|---|\n| **Salary arrives** | the 23rd | the 27th |\n| Payslip | Folha | Konto |\n",
    title="Your money",
)
DRILLS = passage(
    "drills.md", "| Drill | Tern | Gull |\n|---|---|---|\n| Fire | 7 days | 14 days |\n| Leak | 2 h | 3 h |\n"
)
FRIDGES = passage(
    "kitchen.md", "| Device | Aim |\n|---|---|\n| Fridge Tern | 3 C |\n| Freezer Tern | 1 C |\n| Box Gull | 8 C |\n"
)
BANDS = passage("discounts.md", "| Band | Who |\n|---|---|\n| up to a tenth | 1 lead |\n| above | 2 leads |\n")
OFFICES = [passage("offices/porto/lunch.md", "Soup."), passage("offices/hamburg/lunch.md", "Herring.")]
SHIPS = [
    passage("ships/tern.md", "Big."),
    passage("wind.md", "| Ship | Knots |\n|---|---|\n| Gull | 34 |\n| Tern | 45 |\n"),
]


@pytest.mark.parametrize(
    ("question", "found", "others", "cases"),
    [
        ("When does my money land?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Quando chega o salary?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("How often is there a fire drill?", DRILLS, SHIPS, ["Tern", "Gull"]),
        ("De quando é a minha money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Que dia chega o salary?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("An welchem Tag kommt mein Money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Welches Datum gilt für Money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Gibt es eine Frist für das Money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Was ist die Grenze für Money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Qual é o prazo para a money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("Is there money after 3 days?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("I already got 3 of them. Is there more money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        (
            "When is the payday?",
            passage("pay.md", f"{PAYROLL['text']}\nA payday is no bank holiday."),
            OFFICES,
            ["Porto", "Hamburg"],
        ),
        ("What is the rate of money?", PAYROLL, OFFICES, ["Porto", "Hamburg"]),
        ("It shows 7 degrees in there. Do I call?", FRIDGES, SHIPS, ["Fridge Tern", "Freezer Tern", "Box Gull"]),
    ],
)
def test_a_question_of_a_quantity_in_other_words_leaves_the_cases_open_that_other_documents_know(
    question: str, found: Passage, others: list[Passage], cases: list[str]
) -> None:
    assert cases == open_cases(question, found, others)


@pytest.mark.parametrize(
    ("question", "found", "others"),
    [
        ("When does my money land in Porto?", PAYROLL, OFFICES),
        ("When are the dates, and which are they?", PAYROLL, []),
        ("Who tells me about my money?", PAYROLL, OFFICES),
        ("Who owns the money of the R2 router?", PAYROLL, OFFICES),
        ("who owns the money of the R2 router", PAYROLL, OFFICES),
        ("Is Microsoft 365 for money allowed?", PAYROLL, OFFICES),
        ("Who do I ask about ISO 27001 and money?", PAYROLL, OFFICES),
        ("The R2 router is broken. Who owns the money?", PAYROLL, OFFICES),
        ("Who can rate the money?", PAYROLL, OFFICES),
        ("How long is the quay?", PAYROLL, OFFICES),
        ("How many sailors does a fire drill need?", DRILLS, SHIPS),
        ("Am I late after 3 minutes?", FRIDGES, SHIPS),
        ("What happens when I lose my payslip?", PAYROLL, OFFICES),
        ("Somebody asked how much we earn. What do I say?", PAYROLL, OFFICES),
        ("How much may I give away?", BANDS, OFFICES),
        (
            "When do I see it?",
            passage("x.md", "| | Porto | Hamburg |\n|---|---|---|\n| Payslip | Folha | Konto |\n"),
            OFFICES,
        ),
        ("How much is it?", passage("x.md", "| Time | EUR |\n|---|---|\n| Porto | 3 |\n| Hamburg | 5 |\n"), OFFICES),
        ("How often is there a fire drill on the Gull?", DRILLS, SHIPS),
    ],
)
def test_it_leaves_none_open_if_it_names_one_wants_no_quantity_or_nobody_else_knows_them(
    question: str, found: Passage, others: list[Passage]
) -> None:
    assert [] == open_cases(question, found, others)


def table(*rows: str, rule: str = "|---|---|") -> str:
    head, *others = rows
    return "\n".join([head, *([rule] if rule else []), *others])


@pytest.mark.parametrize(
    "rows",
    [
        ("| Porto | 3 EUR |", "| Hamburg | 5 EUR |", "| Madrid | 7 EUR |"),
        ("| Office | EUR |", "| Porto | 3 |", "| porto | 4 |", "| Hamburg | 5 |"),
        ("| Office | EUR |", "| Porto | 3 |", "| Hamburg | 5 |", "| Total | 8 |"),
        ("| Büro | EUR |", "| Porto | 3 |", "| Hamburg | 5 |", "| **Gesamt** | 8 |"),
        ("| Office | EUR |", "| <!channel> Porto | 3 |", "| Hamburg | 5 |"),
        ("| Office | EUR |", "| [Porto](x) | 3 |", "| Hamburg | 5 |"),
        ("| Office | EUR |", "| https://porto | 3 |", "| Hamburg | 5 |"),
    ],
)
def test_a_table_without_a_head_or_with_names_that_name_no_case_leaves_none_open(rows: tuple[str, ...]) -> None:
    is_headless = "3 EUR" in rows[0]
    text = table(*rows, rule="" if is_headless else "|---|---|")
    assert [] == open_cases("How much money?", passage("x.md", text, title="Money"), OFFICES)
    assert [] == cases_of("EUR money", passage("x.md", text, title="Money"))


def test_of_a_table_without_a_head_only_the_row_of_a_case_is_left() -> None:
    text = table("| Porto | 3 EUR |", "| Hamburg | 5 EUR |", "| Madrid | 7 EUR |", rule="")
    assert "| Madrid | 7 EUR |" == of_case(text, "Madrid")
    assert text == of_case(text, "3 EUR")


def test_of_a_row_and_a_column_of_one_name_the_row_is_left_unless_the_columns_are_the_things() -> None:
    rows = table("| Office | Porto |", "| Porto | 3 |", "| Hamburg | 5 |")
    assert table("| Office | Porto |", "| Porto | 3 |") == of_case(rows, "Porto")
    columns = table("| | Porto | Hamburg |", "| Porto | 3 | 4 |", "| Bus | 5 | 6 |", rule="|---|---|---|")
    assert "||Porto|\n|---|---|\n|Porto|3|\n|Bus|5|" == of_case(columns, "Porto").replace(" ", "")


def test_of_a_row_and_a_column_of_one_name_the_column_is_left_if_the_question_names_a_row() -> None:
    trains = table(
        "| From | Porto | Lyon |", "| Hamburg | 30 h | 12 h |", "| Porto | 0 h | 20 h |", "|  |", rule="|---|---|---|"
    )
    left = of_case(trains, "Porto", "How long is the train from Hamburg?")
    assert "|From|Porto|\n|---|---|\n|Hamburg|30h|\n|Porto|0h|" == left.replace(" ", "")


def test_cases_of_one_value_are_not_open() -> None:
    same = passage(
        "x.md", "| | Porto | Hamburg |\n|---|---|---|\n| Days | 25 | 25 |\n| Hours | 40 | 40 |\n", title="Work"
    )
    assert [] == open_cases("How much do I work?", same, OFFICES)


def test_what_its_own_document_says_elsewhere_makes_no_name_known() -> None:
    own = {**OFFICES[0], "document_id": PAYROLL["document_id"], "path": "people/porto/hamburg.md"}
    assert [] == open_cases("When does my money land?", PAYROLL, [Passage(**own)])


@pytest.mark.parametrize(
    "text", ["", "|", "| a |\n|---|", "|---|\n|---|", "| a | b |\n| c |", "||||\n||||", "| a\n| b"]
)
def test_no_text_breaks_open_cases(text: str) -> None:
    assert [] == open_cases("How many a b c?", passage("x.md", text), OFFICES)
    assert text == of_case(text, "z")


def test_of_a_table_the_column_or_the_row_of_a_case_is_left() -> None:
    text = of_case(f"Before.\n\n{PAYROLL['text']}\nAfter.", "Porto").replace(" ", "")
    assert "Before.\n\n||Porto|\n|---|---|\n|**Salaryarrives**|the23rd|\n|Payslip|Folha|\n\nAfter." == text
    assert "| Device | Aim |\n|---|---|\n| Box Gull | 8 C |" == of_case(FRIDGES["text"], "Box Gull")


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("how much notice does a senior give?", True),
        ("vacation days, junior", True),
        ("What notice does a senior give in writing to an office?", False),
        ("How much notice does a junior or senior give?", False),
        ("How long is the notice?", False),
        ("What does a senior get?", False),
        ("How much notice does a senior give in Berlin?", False),
        ("How do I change the notice of a senior?", False),
        ("Can I change the notice of a senior?", False),
        ("Does a senior have notice?", True),
        ("Why is the notice of a senior long?", False),
    ],
)
def test_a_cell_is_asked_for_by_its_row_and_its_column(question: str, *, is_told: bool) -> None:
    assert ([VACATION] if is_told else []) == cell_asked_for(question, [PRICES, VACATION, STEPS])


LEAVE = passage(
    "hr/leave.md",
    "| Leave | Days | Paid | Note |\n|---|---|---|---|\n| Sick | 10 | yes | |\n| Parental | 30 | no | by May |\n",
    title="Leave",
)


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("How many days of sick leave are there?", True),
        ("How many sick days do I get?", True),
        ("Is sick leave paid?", True),
        ("What is the note of parental leave?", True),
        ("Who approves sick days?", False),
        ("What counts as sick days?", False),
        ("When do sick days expire?", False),
        ("Who gives sick days?", False),
        ("When is sick leave paid?", False),
        ("What are sick days for?", False),
        ("What is the note of sick leave?", False),
        ("Wer genehmigt Sick Days?", False),
    ],
)
def test_what_else_a_question_says_may_be_what_it_asks_for(question: str, *, is_told: bool) -> None:
    assert ([LEAVE] if is_told else []) == cell_asked_for(question, [LEAVE])


def test_of_two_tables_with_the_cell_none_is_asked_for() -> None:
    other = passage("berlin/vacation.md", VACATION["text"], title="Vacation in Berlin")
    assert [] == cell_asked_for("how much notice does a senior give?", [VACATION, other])


class _Unsure:
    """A grader that finds nothing relevant."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [0.01 for _ in passages]


async def test_a_cell_is_told_whatever_the_grades_say() -> None:
    quoting = Written([["4 weeks [1]."]])
    given = context(retriever=FoundPassages([PRICES, VACATION]), grader=_Unsure(), writers=(quoting,))
    turn = Turn(question="how much notice does a senior give?", asker="U", addressed=True)

    ended = (await events(run_alone(given).start(turn)))[-1]

    assert isinstance(ended, AnswerCompleted)
    assert "answered" == ended.outcome
    assert [VACATION["id"]] == [one["id"] for brief in quoting.briefs for one in brief["passages"]]
