"""The columns of a directory are known by their whole names."""

import pytest

from bot.knowledge.places.table import rows_of


@pytest.mark.parametrize(
    ("head", "column"),
    [
        ("Zip-Code", "postcode"),
        ("postal code", "postcode"),
        ("Street address", "address"),
        ("Opening_hours", "hours"),
        ("open hours", "hours"),
        ("code", "code"),
        ("postal", "postal"),
        ("Open", "Open"),
        ("opening", "opening"),
        ("times", "times"),
    ],
)
def test_a_column_is_known_by_its_whole_name(head: str, column: str) -> None:
    [(_, values)] = rows_of(f"name,kind,{head},city\nA,clinic,X1,Porto\n".encode(), required=("name",))

    assert {"name": "A", "kind": "clinic", column: "X1", "city": "Porto"} == values


def test_a_code_of_our_own_may_stand_beside_the_postcode() -> None:
    content = b"name,kind,code,postal code,open,hours\nA,clinic,X1,4000,yes,9-17\n"

    [(_, values)] = rows_of(content, required=("name",))

    assert {"code": "X1", "postcode": "4000", "open": "yes", "hours": "9-17"}.items() <= values.items()
