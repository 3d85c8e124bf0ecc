"""The readings of a question, and when to ask about them."""

import pytest

from graph.asking.facets import (
    divides,
    find_facets,
    named_reading,
    offerable,
    open_in_table,
    parallel,
    short_title,
    wants_all,
)
from graph.passages import Facet, Passage
from tests.graph.evidence import passage

QUESTION = "How much does parking cost?"


def parking() -> list[Passage]:
    return [
        passage("offices/porto/parking.md", "Parking costs 40 EUR a month.", title="Parking", office="Porto"),
        passage("offices/hamburg/parking.md", "Parking costs 95 EUR a month.", title="Parking", office="Hamburg"),
        passage("it/vpn.md", "The VPN is started with the laptop.", title="VPN"),
    ]


PAYING = "All employees and parents pay for a car at each office. Mitarbeiter zahlen."
PARKED = [
    passage("offices/porto/parking.md", f"Parking costs 40 EUR a month. {PAYING}", title="Parking", office="Porto"),
    passage("offices/hamburg/parking.md", f"Parking costs 95 EUR a month. {PAYING}", title="Parking", office="Hamburg"),
]


def asked(question: str, passages: list[Passage]) -> set[str]:
    return {facet["label"] for facet in divides(question, find_facets(question, passages), passages)}


def test_two_folders_that_answer_differently_are_asked_about() -> None:
    assert asked(QUESTION, parking()) == {"Porto", "Hamburg"}


def test_every_reading_has_a_passage_and_a_sentence() -> None:
    facets = find_facets(QUESTION, parking())
    assert {"Porto", "Hamburg"} <= {facet["label"] for facet in facets}
    assert all(facet["passages"] and facet["best_sentence"] for facet in facets)


def test_an_id_is_short_and_stays_the_same() -> None:
    first, again = find_facets(QUESTION, parking()), find_facets(QUESTION, list(reversed(parking())))
    assert {facet["id"] for facet in first} == {facet["id"] for facet in again}
    assert len({facet["id"] for facet in first}) == len(first)
    assert all(len(facet["id"]) == 8 for facet in first)


def test_a_question_that_names_a_reading_is_clear() -> None:
    assert asked("How much does parking cost in Porto?", parking()) == set()


def test_a_named_reading_is_clear_though_both_documents_speak_of_it() -> None:
    porto, hamburg, _ = parking()
    both = [porto, {**hamburg, "text": "Unlike in Porto, parking costs 95 EUR a month."}]
    assert asked("How much does parking cost in Porto?", both) == set()


def test_a_replaced_version_is_no_facet() -> None:
    old = passage("a/parking-2023.md", "Parking costs 40 EUR.", title="Parking", dated="2023-01-01", office="Old town")
    new = passage("a/parking-2025.md", "Parking costs 95 EUR.", title="Parking", dated="2025-01-01", office="Harbour")
    assert find_facets(QUESTION, [old, new]) == []


def test_the_meeting_in_a_month_is_the_last_one() -> None:
    meetings = [
        passage(f"minutes/{day}.md", f"The new gate costs {price} EUR.", title=f"Meeting, {day}", dated=day)
        for day, price in (("2025-05-14", 40), ("2026-05-13", 95))
    ]
    assert len(asked("What does the new gate cost, says the meeting?", meetings)) == 2
    assert not asked("What does the new gate cost, says the meeting in May?", meetings)


def test_a_question_for_all_readings_is_clear() -> None:
    assert asked("How much does parking cost in each office?", parking()) == set()


def test_readings_that_say_the_same_are_not_asked_about() -> None:
    same: list[Passage] = [{**one, "text": "Parking costs 40 EUR a month."} for one in parking()]
    assert asked(QUESTION, same) == set()


def test_a_spelled_number_is_another_answer() -> None:
    warranties = [
        passage(
            "hub/warranty.md", "The warranty lasts three years from the date of the invoice.", title="Hub warranty"
        ),
        passage(
            "router/warranty.md", "The warranty lasts five years from the date of the invoice.", title="Router warranty"
        ),
    ]
    assert asked("How long is the warranty?", warranties) == {"Hub", "Router"}


def test_a_reading_that_answers_less_of_the_question_is_none() -> None:
    porto, hamburg, vpn = parking()
    assert asked(QUESTION, [porto, {**hamburg, "text": "The garage is next door."}, vpn]) == set()


def test_versions_are_freshness() -> None:
    old = passage("parking-2023.md", "Parking costs 40 EUR a month.", title="Parking", dated="2023-01-01")
    new = passage("parking-2025.md", "Parking costs 95 EUR a month.", title="Parking", dated="2025-01-01")
    assert asked(QUESTION, [old, new]) == set()


def test_numbered_things_are_asked_about() -> None:
    shifts = [
        passage(f"shift-{number}.md", f"The shift begins at {hour}:00.", title=f"Shift {number}", dated=f"2025-01-0{n}")
        for n, (number, hour) in enumerate(((1, 6), (2, 14)), start=1)
    ]
    assert asked("When does the shift begin?", shifts) == {"Shift 1", "Shift 2"}
    sites = [passage(f"site/{n}/parking.md", f"Parking costs {n}0 EUR a month.", title="Parking") for n in (1, 2)]
    # A number alone is no label.
    assert asked(QUESTION, sites) == {"Site 1", "Site 2"}


def test_owners_and_dates_are_no_readings() -> None:
    facets = find_facets(QUESTION, [{**one, "attributes": {"owner": one["path"]}} for one in parking()])
    assert facets
    assert all(facet["attribute"] != "owner" for facet in facets)


def test_sections_of_one_document_may_be_readings() -> None:
    basic = passage("plans.md", "Support answers within 48 hours.", title="Plans", heading="Basic > Support")
    pro = passage("plans.md", "Support answers within 4 hours.", title="Plans", heading="Pro > Support")
    sections = [basic, {**pro, "document_id": basic["document_id"]}]
    assert asked("How quickly does support answer?", sections) == {"Basic", "Pro"}


def test_files_of_a_flat_folder_may_be_readings() -> None:
    flat = [
        passage("atlas-limits.txt", "The upload limit is 2 GB a file.", title="Atlas limits"),
        passage("beacon-limits.txt", "The upload limit is 5 GB a file.", title="Beacon limits"),
    ]
    assert asked("What is the upload limit?", flat) == {"Atlas limits", "Beacon limits"}


def test_of_more_than_four_readings_all_are_asked_about() -> None:
    many = [passage(f"offices/{city}/parking.md", f"Parking costs {n}0 EUR.") for n, city in enumerate("abcdefg", 1)]
    assert asked(QUESTION, many) == set("ABCDEFG")
    # All of them, even if some have a lower score.
    assert asked(QUESTION, [{**one, "score": 5.0 - place / 5} for place, one in enumerate(many)]) == set("ABCDEFG")


def test_the_parts_of_a_document_are_no_alternatives() -> None:
    sections = {
        "How to claim": "Claim parental leave eight weeks before it begins.",
        "The last weeks": "In the last weeks of the leave your lead calls you.",
        "Booking": "Put your name on the list to book the leave.",
    }
    parts = [passage("leave.md", text, title="Parental leave", heading=name) for name, text in sections.items()]
    assert asked("How long is the leave?", [{**part, "document_id": 1} for part in parts]) == set()


def test_departments_that_each_say_something_are_no_alternatives() -> None:
    texts = [
        passage("engineering/on-call.md", "On call you are paid 40 EUR a night.", title="On call", heading="Pay"),
        passage("employees/payroll.md", "Overtime at night is paid with 25 percent more.", title="Payroll"),
    ]
    assert asked("What is paid for work at night?", texts) == set()


def test_values_that_differ_in_an_apostrophe_are_one_reading() -> None:
    texts = [
        passage(f"{n}.md", f"The limit is {n}0 EUR.", title=f"Limit {n}", fund=fund)
        for n, fund in enumerate(("Children's fund", "Children’s fund", "Staff fund"), start=1)
    ]
    labels = [facet["label"] for facet in find_facets("What is the limit?", texts) if facet["attribute"] == "fund"]
    assert ["Children's fund", "Staff fund"] == labels


def test_a_word_of_the_question_that_only_one_sentence_holds_makes_it_clear() -> None:
    sheds = [
        passage("north-shed.md", "The fuse for the compressor is number 14.", heading="Power"),
        passage("south-shed.md", "The fuse for the kiln is number 3.", heading="Power"),
    ]
    assert asked("Which fuse is the kiln's?", sheds) == set()
    assert asked("Which number is the fuse?", sheds) == {"North shed", "South shed"}


def test_a_reading_in_other_words_is_found_by_its_place() -> None:
    notes: list[Passage] = [
        {
            **passage(
                "neutering_dog.html", "Dogs are neutered from 9 months on.", title="Neutering dogs", heading="Age"
            ),
            "score": 5.0,
        },
        {
            **passage(
                "neutering_cat.html", "Cats are neutered from 4 months on.", title="Neutering cats", heading="Age"
            ),
            "score": 4.0,
        },
        *({**passage(f"ward_{n}.txt", "Hands are washed between animals."), "score": -5.0} for n in range(5)),
    ]
    assert asked("How old must an animal be to be neutered?", notes) == {"Neutering dogs", "Neutering cats"}


def test_of_few_passages_none_is_found_too_badly_to_be_a_reading() -> None:
    porto, hamburg, _ = parking()
    assert asked(QUESTION, [{**porto, "score": 9.0}, {**hamburg, "score": 1.0}]) == {"Porto", "Hamburg"}


def test_a_name_that_only_others_know_asks_nothing() -> None:
    question = "How much does parking cost in Paris?"
    trip = passage("trips.md", "The trip to Paris is booked by the office.", title="Trips")
    assert asked(question, [*parking(), trip]) == set()


def test_a_bare_number_asks_nothing() -> None:
    grades = [passage(f"grade-{n}.md", f"You have {n} days.", title=f"Grade {n}") for n in (1, 2)]
    assert asked("1", grades) == set()


def test_nothing_found_has_no_facets() -> None:
    assert find_facets(QUESTION, []) == []
    assert divides(QUESTION, [], []) == []


def test_a_facet_carries_its_passages_best_first() -> None:
    facets: list[Facet] = find_facets(QUESTION, parking())
    folder = next(facet for facet in facets if facet["label"] == "Offices")
    assert len(folder["passages"]) == 2


@pytest.mark.parametrize(("title", "shown"), [("VPN", "VPN"), ("TRAVEL POLICY", "Travel policy"), ("Wi-Fi", "Wi-Fi")])
def test_a_title_is_not_shouted_and_an_abbreviation_stays(title: str, shown: str) -> None:
    assert shown == short_title(passage("a.md", "Text.", title=title))


def offered(question: str, passages: list[Passage]) -> list[tuple[str, str]]:
    facets = offerable(question, find_facets(question, passages), passages)
    return [(facet["attribute"], facet["label"]) for facet in facets]


def test_a_model_is_offered_what_stands_in_parallel_places_however_it_was_ranked() -> None:
    porto, hamburg, vpn = parking()
    between = [passage(f"it/{name}.md", f"{name} is for everybody.", title=name) for name in ("Wiki", "Mail", "Chat")]

    assert [("office", "Porto"), ("office", "Hamburg")] == offered(QUESTION, [porto, vpn, *between, hamburg])[:2]


def test_a_model_is_not_offered_who_may_read_a_page() -> None:
    porto, hamburg, _ = parking()
    kept = [{**porto, "attributes": {"audience": "staff"}}, {**hamburg, "attributes": {"audience": "all"}}]

    assert [("path:1", "Porto"), ("path:1", "Hamburg")] == offered(QUESTION, kept)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("label", ["Atlantis", "40", "", "Parking costs 40 EUR a month in Porto and elsewhere"])
def test_a_model_names_only_what_a_passage_says(label: str) -> None:
    assert named_reading(label, QUESTION, parking()) is None


def test_a_reading_that_a_model_named_has_the_passages_with_its_words() -> None:
    porto, hamburg, vpn = parking()

    reading = named_reading("a month", QUESTION, [porto, hamburg, vpn])

    assert reading
    assert [porto["id"], hamburg["id"]] == reading["passages"]


@pytest.mark.parametrize(
    "question",
    [
        "What is paid each month?",
        "Is parking paid at all?",
        "May I park all day?",
        "Is parking the same for all employees?",
        "Do I pay for each car?",
        "Can both parents park?",
        "Do all employees pay?",
        "Does every employee pay?",
        "Ist Parken für alle Mitarbeiter gleich?",
        "Zahlen alle Mitarbeiter?",
    ],
)
def test_all_of_what_the_passages_speak_of_does_not_ask_for_all_readings(question: str) -> None:
    assert not wants_all(question, PARKED)


@pytest.mark.parametrize(
    "question",
    [
        "What does each pay?",
        "How much does each car park cost?",
        "What does parking cost in all offices?",
        "What do employees pay in both cities?",
        "What do both cost?",
        "What do all of them cost?",
        "Compare what parking costs for all employees.",
        "What does parking cost for employees of every site?",
        "Was kostet Parken an allen Standorten?",
        "Was kosten beide?",
    ],
)
def test_all_readings_or_all_of_something_unknown_asks_for_all(question: str) -> None:
    assert wants_all(question, PARKED)


def test_it_asks_back_though_a_rule_goes_for_all() -> None:
    assert {"Porto", "Hamburg"} == asked("How much does parking cost for all employees?", PARKED)


PAYROLL = passage(
    "people/payroll.md", "| | Porto | Hamburg |\n|---|---|---|\n| Salary | the 23rd | the 27th |\n", title="Money"
)


@pytest.mark.parametrize(
    ("question", "found", "open_ones"),
    [
        ("When does my money land?", [PAYROLL, *parking()], ["Porto", "Hamburg"]),
        ("When does my money land in Madrid?", [PAYROLL, *parking()], []),
        ("When does everybody's money land, in all offices?", [PAYROLL, *parking()], []),
        ("When does my money land?", [*parking(), PAYROLL], []),
        ("When does my money land?", [], []),
    ],
)
def test_cases_are_open_in_the_first_found_table_only(
    question: str, found: list[Passage], open_ones: list[str]
) -> None:
    assert open_ones == [facet["label"] for facet in open_in_table(question, found)]


def sections(*headings: str) -> list[Passage]:
    one, *others = (passage("people/leaving.md", "It ends.", title="Leaving", heading=heading) for heading in headings)
    return [one, *(Passage(**{**other, "document_id": one["document_id"]}) for other in others)]


@pytest.mark.parametrize(
    ("headings", "labels"),
    [
        (["Notice in Porto", "Notice in Hamburg"], ["Notice in Porto", "Notice in Hamburg"]),
        (["Notice in writing", "Notice in person"], []),
    ],
)
def test_sections_of_one_document_are_asked_about_if_their_headings_name_folders(
    headings: list[str], labels: list[str]
) -> None:
    found = [*sections(*headings), *parking()]
    question = "When could I be gone?"
    assert labels == [facet["label"] for facet in parallel(question, find_facets(question, found), found)]
