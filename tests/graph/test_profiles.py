"""Which reading of a question is the asker's own, and what date it is where they are."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from graph.asking.clarification import Ambiguity
from graph.asking.profiles import own_reading, today_for, unit_of
from graph.state import TurnState, new_turn, storable
from graph.turn import Profile
from tests.support.fakes import turn_input

OFFICES = Ambiguity(attribute="path:1 of offices vacation", labels=("Hamburg", "Porto"))
DAYS = "How many vacation days do I have?"
NIGHT = datetime(2026, 11, 27, 23, 30, tzinfo=UTC)


def profile(**parts: Any) -> Profile:
    whole = {"zone": "Europe/Lisbon", "title": "Buyer", "units": {"office": "Porto"}}
    return Profile(**{**whole, **parts})


@pytest.mark.parametrize(
    "office",
    ["Porto", "porto", "Porto office", "Escritório do Porto", "Porto, Portugal", "Europe / Porto", "Porto (2nd)"],
)
def test_the_askers_own_office_is_their_reading_however_it_is_written(office: str) -> None:
    own = own_reading(DAYS, OFFICES, profile(units={"office": office}))

    assert own == ("office", "Porto")


@pytest.mark.parametrize("office", ["", "Oslo", "Porto and Hamburg", "Porto, Hamburg", "Porto Alegre", "New Porto"])
def test_an_office_that_is_none_of_the_readings_or_several_decides_nothing(office: str) -> None:
    assert own_reading(DAYS, OFFICES, profile(units={"office": office})) is None


@pytest.mark.parametrize(
    "question",
    [
        "How does the other office do it?",
        "Where do visitors park?",
        "Where may my guests park?",
        "Which office has a sauna?",
        "What of the offices allows dogs?",
        "Wie ist es im anderen Büro?",
        "In welchem Büro sind Hunde erlaubt?",
        "Como é no outro escritório?",
        "How do I get in when I travel?",
    ],
)
def test_a_question_that_may_mean_another_office_is_not_for_the_askers_own(question: str) -> None:
    assert own_reading(DAYS, OFFICES, profile())
    assert own_reading(question, OFFICES, profile()) is None


@pytest.mark.parametrize(
    ("attribute", "labels", "unit", "decides"),
    [
        ("office of benefits", ("Hamburg", "Porto"), "office", True),
        ("path:0 of Standorte", ("Hamburg", "Porto"), "office", True),
        ("case of travel hotel", ("Hamburg", "Porto"), "office", False),
        ("path:1 of teams on call", ("Hub", "Porto"), "team", True),
        ("path:1 of offices vacation", ("Hamburg", "Porto"), "team", False),
        ("path:1 of plans Support", ("Porto", "Team"), "team", False),
        ("case of departments sales plans", ("Porto", "Starter"), "department", False),
        ("case of offices hotel", ("Hamburg", "Porto"), "office", False),
    ],
)
def test_only_readings_that_the_documents_call_an_office_or_a_team_are_somebodys_own(
    attribute: str, labels: tuple[str, ...], unit: Any, *, decides: bool
) -> None:
    ambiguity = Ambiguity(attribute=attribute, labels=labels)

    own = own_reading(DAYS, ambiguity, profile(units={unit: "Porto"}))

    assert decides == (own is not None)


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("Office", "office"), ("Office location", "office"), ("Standort", "office"), ("Büro", "office"),
        ("Main office", "office"), ("Team", "team"), ("Team name", "team"), ("Equipa", "team"),
        ("Department", "department"), ("Abteilung", "department"), ("Departamento", "department"),
        ("Office phone", None), ("Team lead", None), ("Manager", None), ("Birthday", None), ("", None),
    ],
)  # fmt: skip
def test_a_field_is_known_by_its_whole_label(label: str, unit: str | None) -> None:
    assert unit == unit_of(label)


@pytest.mark.parametrize(
    ("zone", "today"),
    [
        ("Asia/Tokyo", date(2026, 11, 28)),
        ("Europe/Lisbon", date(2026, 11, 27)),
        ("", date(2026, 11, 27)),
        ("Atlantis/Porto", date(2026, 11, 27)),
        ("../../etc/passwd", date(2026, 11, 27)),
        ("Europe", date(2026, 11, 27)),
        ("Asia/Tokyo\0", date(2026, 11, 27)),
    ],
)
def test_it_is_the_day_where_the_asker_is_unless_that_is_no_place(zone: str, today: date) -> None:
    assert today == today_for(NIGHT, profile(zone=zone))
    assert date(2026, 11, 27) == today_for(NIGHT, None)


def test_a_profile_is_not_stored() -> None:
    turn: TurnState = {
        **new_turn(turn_input(DAYS)),
        "profile": profile(),
    }

    assert "profile" not in storable(turn)
    assert "profile" in turn
