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
        pytest.param([["Room", "Phone", "Phone"], ["", "Ada", "Bob"], ["Porto", "Cy", "Di"]], id="people"),
        pytest.param([["Team", "Call", ""], ["", "Ada", "Bob"], ["Sales", "Cy", "Di"]], id="people below one name"),
        pytest.param([["Week", "Talk", "Talk"], ["Week", "Ada", "Bob"], ["1", "Cy", "Di"]], id="the same in front"),
        pytest.param([["", "A", "", "B", ""], ["", "Ed", "Flo", "Cy", "Di"], ["1", "a", "b", "c", "d"]], id="a rota"),
        pytest.param([["", "A", "", "B", ""], ["", "yes", "yes", "yes", "yes"], ["1", "a", "b", "c", "d"]], id="marks"),
        pytest.param([["Task", "Who", ""], ["", "Ann", "now"]], id="no row left"),
    ],
)
def test_a_row_of_values_is_no_head(rows: list[list[str]]) -> None:
    (table,) = table_of(rows)

    assert [f"| {' | '.join(row)} |" for row in rows[:2]] == table.text.splitlines()[0:3:2]


@pytest.mark.parametrize(
    ("rows", "head"),
    [
        pytest.param("<tr>Name|Fee</tr> <tr>Gym|20</tr> <tr>Pool|30</tr> <tr>Sauna|40</tr>", "Name | Fee", id="all"),
        pytest.param("<tr>|</tr> <tr>Name|Fee</tr> <tr>*Gym|*20</tr>", "Name | Fee", id="below an empty row"),
        pytest.param("<thead><tr>Name|Fee</tr></thead> <tr>Gym|20</tr> <tr>*Pool|*30</tr>", "Name | Fee", id="thead"),
        pytest.param("<thead><tr>|</tr><tr>A|B</tr><tr>C|D</tr></thead> <tr>Gym|20</tr>", "A C | B D", id="two"),
        pytest.param("<thead><tr>Name|Fee</tr><tr>Gym|20</tr></thead>", "Name | Fee", id="nothing but thead"),
        pytest.param("<tr>2Name|Fee</tr> <tr>first|last|EUR</tr> <tr>*Ann|*Lee|*5</tr>",
                     "Name first | Name last | Fee EUR", id="merged"),
        pytest.param("<tr>2Name|Fee</tr> <tr>first|last|EUR</tr> <tr>Ann|Lee|x</tr> <tr>*Bo|*Ek|*5</tr>",
                     "Name first | Name last | Fee EUR", id="as far as merged"),
        pytest.param("<tr>2Name|Fee</tr> <tr>first|last|EUR</tr> <tr>Ann|Lee|5</tr>", "Name | Name | Fee", id="no td"),
    ],
)  # fmt: skip
def test_rows_of_names_alone_are_one_head_only_if_the_page_says_so(rows: str, head: str) -> None:
    for row in dict.fromkeys(rows.split("<tr>")[1:]):
        cells = row.partition("</tr>")[0]
        rows = rows.replace(f"<tr>{cells}</tr>", f"<tr>{''.join(map(_cell, cells.split('|')))}</tr>")
    (table,) = parse_document("fees.html", f"<table>{rows}</table>".encode()).blocks

    assert f"| {head} |" == table.text.splitlines()[0]


def _cell(text: str) -> str:
    """Return a cell as `th`: as `td` if marked with a star, over two columns if marked so."""
    name = "td" if text.startswith("*") else "th"
    span = " colspan='2'" if text.startswith("2") and text[1:].isalpha() else ""
    return f"<{name}{span}>{text.lstrip('*').removeprefix('2' if span else '')}</{name}>"


def test_what_a_table_is_called_stands_above_it() -> None:
    rows = "<tr><th>Room</th><th>Price</th></tr><tr><th colspan='2'>Ground</th></tr><tr><td>Hall</td><td>5</td></tr>"
    page = f"<table><caption>Rates</caption><tr><td colspan='2'>Without VAT</td></tr>{rows}</table>"
    above, below, table = parse_document("rates.html", page.encode()).blocks

    assert (above.text, below.text) == ("Rates", "Without VAT")
    assert table.text.splitlines()[0] == "| Room | Price |"
