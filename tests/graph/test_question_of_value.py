"""What a planned change may be called with: only values that were said, or that its tool takes, can be chosen."""

import pytest

from graph.asking.approvals import has_the_chosen, question_of_value
from graph.asking.clarification import Offered, backed, named_readings, question_for, rechecked
from graph.passages import MOST_OPTIONS
from graph.state import ChoiceState, TurnState, Understanding, new_turn, plainly
from graph.tools import PlannedChange

WHICH = "Which Anna do you mean?"
THREAD = "Anna Meier found it, and anna rossi repairs printers."
RESULT = "Open: TR-12, the printer. TR-7, the door."


def labels(*values: str, choices: tuple[str, ...] = ()) -> list[str]:
    asked = question_of_value(WHICH, values, choices=choices, held=[THREAD, RESULT])
    return [one["label"] for one in asked.get("named", [])]


@pytest.mark.parametrize(
    ("values", "offered"),
    [
        (("Anna Meier", "Anna Rossi"), ["Anna Meier", "Anna Rossi"]),
        (("TR-12", "TR-7", "TR-1"), ["TR-12", "TR-7"]),
        (("Anna Meier", "Anna Kovacs"), []),
        (("Anna Meier", "anna meier"), []),
        (("Meier found", "Rossi Meier", ""), []),
        (("low", "Anna Meier", "lowest"), ["low", "Anna Meier"]),
        (("", "++", "low"), []),
        ((f"Anna Meier {'x' * 75}", "Anna Rossi"), []),
        ((), []),
    ],
)
def test_only_what_was_said_or_a_tool_takes_can_be_chosen(values: tuple[str, ...], offered: list[str]) -> None:
    assert offered == labels(*values, choices=("low", "high", "", "++"))


def test_no_more_is_offered_than_a_card_shows() -> None:
    many = [f"TR-{number}" for number in range(40)]

    assert MOST_OPTIONS == len(question_of_value(WHICH, many, choices=many, held=[])["options"])


def doubting() -> Understanding:
    return {
        **plainly("clarify", "Assign it to Anna", reason="", confidence=1.0),
        "clarification": question_of_value(WHICH, ["Anna Meier", "Anna Rossi"], choices=[], held=[THREAD]),
    }


def test_its_options_need_no_passages_and_no_choice_among_them_lasts() -> None:
    understanding = doubting()
    turn: TurnState = {
        **new_turn(
            {
                "question": "Assign it to Anna", "asker": "U", "addressed": True, "mentions_others": False,
                "is_muted": False, "earlier": [], "unread": [], "mode": "conversational", "key": "",
            }
        ),
        "understanding": understanding, "facets": named_readings(understanding, []),
    }  # fmt: skip
    asked = question_for(turn)

    assert understanding == backed(rechecked(understanding, turn["facets"], []), turn["facets"], {})
    assert ["Anna Meier", "Anna Rossi"] == [one["label"] for one in asked["options"]]
    assert "" == asked.get("attribute")
    assert not [one for one in asked["options"] if not is_of_argument(one)]


def is_of_argument(option: Offered) -> bool:
    return option["id"].startswith("argument:")


@pytest.mark.parametrize(
    ("person", "id_", "is_kept"),
    [
        ("Anna Rossi", "argument:1", True),
        ("anna  rossi", "argument:1", True),
        ('["Anna Rossi"]', "argument:1", True),
        ('["Anna Rossi", "Anna Meier"]', "argument:1", False),
        ("Anna Meier", "argument:1", False),
        ("Tell Anna Rossi", "argument:1", True),
        ("[" * 100_000, "argument:1", False),
        ("Anna Meier", "an office", True),
    ],
)
def test_a_call_must_have_the_value_that_was_chosen_for_it(person: str, id_: str, is_kept: bool) -> None:
    change = PlannedChange(tool="t.assign", title="T", arguments={"issue": "TR-12", "person": person})

    assert is_kept is has_the_chosen(change, ChoiceState(kind="option", value=id_, label="Anna Rossi"), choices=[])
    assert has_the_chosen(change, None, choices=[])


def test_a_choice_of_the_tool_must_be_an_argument_itself() -> None:
    low = ChoiceState(kind="option", value="argument:1", label="low")
    said = PlannedChange(tool="t.create", title="T", arguments={"title": "Toner low", "priority": "high"})

    assert not has_the_chosen(said, low, choices=["low", "high"])
    assert has_the_chosen({**said, "arguments": {"title": "Toner", "priority": "low"}}, low, choices=["low", "high"])
