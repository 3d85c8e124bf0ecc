"""One known text, written in each format, keeps its headings, tables, order and words."""

import pytest

from benchmarks.documents.fidelity import Fidelity, Truth, as_bytes, fidelity_of, table, truth_of
from benchmarks.documents.fidelity_files import FILES
from benchmarks.documents.fidelity_public import Page

LEAST_ADDED = 0.11
"""A mail's date and sender, and the names of a JSON file's fields, are added."""


@pytest.mark.parametrize("name", FILES)
async def test_nothing_is_lost(name: str) -> None:
    write, sections, _ = FILES[name]

    found = await fidelity_of(name, as_bytes(write(sections)), truth_of(sections))

    assert {1.0, None} >= {found.headings, found.nesting, found.rows, found.order}
    assert 0 == found.lost
    assert found.added is not None
    assert found.added < LEAST_ADDED


async def test_what_is_lost_added_moved_or_nested_otherwise_counts() -> None:
    truth = Truth(
        headings=[(1, "Hotels"), (2, "Cities"), (1, "Trains")],
        rows=[("Porto", "130 EUR"), ("Berlin", "145 EUR")],
        lines=["Rooms are quiet.", "Keys are at the desk.", "Trains come first."],
    )
    read = (
        "# Rules\n\n## Hotels\n\n## Cities\n\nKeys are at the desk.\n\nRooms are quiet.\n\n| Porto | 130 EUR |\n|-|-|\n"
    )

    found = await fidelity_of("rules.md", read.encode(), truth)

    assert (2 / 3, 0.0, 0.5, 0.5) == (found.headings, found.nesting, found.rows, found.order)
    assert 3 / 11 == found.lost
    assert 6 / 14 == found.added


def test_another_reader_of_pages_sees_headings_cells_and_lines() -> None:
    page = Page.of(
        "<head><title>no</title></head><h1>Top</h1><nav>no</nav><p>One <b>line</b></p>"
        "<table><tr><td>a</td><td><p>b</p></td></tr></table>"
    )

    assert [(1, "Top")] == page.headings
    assert ["Top", "One line", "a", "b"] == page.lines
    assert [["a", "b"]] == page.rows


def test_the_table_shows_the_mean_of_several_files() -> None:
    one, other = (
        Fidelity(headings=share, nesting=None, rows=None, order=None, lost=0.0, added=0.0) for share in (1, 0.5)
    )

    assert "| `a` | b | 75.0 % | – | – | – | 0.0 % | 0.0 % |" in table("made | written by", {"`a` | b": [one, other]})
