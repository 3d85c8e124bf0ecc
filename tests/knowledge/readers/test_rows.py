"""A table has one head, whatever its file writes above its rows."""

import pytest

from bot.knowledge.blocks import Block
from bot.knowledge.read import parse_document
from bot.knowledge.readers.rows import table_of

RATES = """\
| Room | Office half day | Office full day | School half day | School full day |
| --- | --- | --- | --- | --- |
| Hall | 320 | 560 | 190 | 340 |"""


def test_names_above_names_are_one_head() -> None:
    page = """<table><tr><th rowspan="2">Room</th><th colspan="2">Office</th><th colspan="2">School</th></tr>
    <tr><th>half day</th><th>full day</th><th>half day</th><th>full day</th></tr>
    <tr><td>Hall</td><td>320</td><td>560</td><td>190</td><td>340</td></tr></table>"""

    assert parse_document("rates.html", page.encode()).blocks == (Block(text=RATES, whole=True),)
    plain = page.replace("<th", "<td").replace("</th", "</td")
    assert parse_document("rates.html", plain.encode()).blocks == (Block(text=RATES, whole=True),)


def test_a_name_goes_on_over_the_empty_cells_of_a_sheet() -> None:
    names = [["Room", "Office", "", "School", ""], ["", "half day", "full day", "half day", "full day"]]
    assert table_of([*names, ["Hall", "320", "560", "190", "340"]]) == [Block(text=RATES, whole=True)]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([["Name", "Phone", "Phone"], ["Ann", "none", "desk"], ["Ben", "3", "4"]], id="a row of its own"),
        pytest.param([["Day", "Shift", "Shift"], ["", "8-12", "12-16"], ["Monday", "Ann", "Ben"]], id="values"),
        pytest.param([["Task", "Who", ""], ["", "Ann", ""], ["Lock up", "Ben", "now"]], id="nothing below"),
        pytest.param([["Task", "Who", ""], ["", "Ann", "now"]], id="no row left"),
    ],
)
def test_a_row_of_values_is_no_head(rows: list[list[str]]) -> None:
    (table,) = table_of(rows)

    assert table.text.splitlines()[2] == f"| {' | '.join(rows[1])} |"


def test_what_a_table_is_called_stands_above_it() -> None:
    rows = "<tr><th>Room</th><th>Price</th></tr><tr><th colspan='2'>Ground</th></tr><tr><td>Hall</td><td>5</td></tr>"
    page = f"<table><caption>Rates</caption><tr><td colspan='2'>Without VAT</td></tr>{rows}</table>"
    above, below, table = parse_document("rates.html", page.encode()).blocks

    assert (above.text, below.text) == ("Rates", "Without VAT")
    assert table.text.splitlines()[0] == "| Room | Price |"
