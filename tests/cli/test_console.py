"""Commands print the names of files literally."""

import io
import re
from collections import Counter

import pytest
from rich.console import Console
from typer.testing import CliRunner

from bot.cli.commands import app
from bot.cli.console import print_ingested, print_table, progress_bar, progress_bars
from bot.knowledge.readers.formats import NAMED
from bot.knowledge.syncing.tally import Failure, Ingested

HOSTILE = "[/dim] [red]notes[/nothing].md"


def test_a_name_that_looks_like_markup_is_a_name() -> None:
    said = io.StringIO()

    print_ingested(Console(file=said, width=200), Ingested(failed=[Failure(path=HOSTILE, reason="[/] Mend it.")]))

    assert f"{HOSTILE}: [/] Mend it." in said.getvalue()


def test_a_cell_shows_its_signs_and_makes_no_other_row() -> None:
    said = io.StringIO()

    print_table(
        Console(file=said, width=200), ("TOOL", "STATE"), [("a", "[red]x[/red]\nb  \x1b[2Janswers"), ("c", "y")]
    )

    assert ["TOOL  STATE", "a     [red]x[/red] b [2Janswers", "c     y"] == said.getvalue().splitlines()


def test_what_was_skipped_is_said_by_kind() -> None:
    said = io.StringIO()

    named = {"skipped": [f"{number}.doc" for number in range(9)]}
    outcome = Ingested(skipped=Counter({".doc": 9, ".png": 3, "": 1}), named=named)
    print_ingested(Console(file=said, width=400), outcome)

    kinds, names = "9 .doc, 3 .png, 1 without an ending", "0.doc, 1.doc, 2.doc, 3.doc, 4.doc, …"
    assert f"13 skipped: {kinds} ({names}). {NAMED} are read." in said.getvalue()


def test_if_no_names_are_wanted_the_counts_are_enough() -> None:
    said = io.StringIO()

    print_ingested(Console(file=said, width=200), Ingested(added=67))

    assert "67 added, 0 changed, 0 removed, 0 unchanged.\n" == said.getvalue()


def test_what_changed_is_named_and_the_rest_is_counted() -> None:
    said = io.StringIO()
    outcome = Ingested(added=22, removed=1, named={"added": [HOSTILE, "b.md"], "removed": ["c.md"]})

    print_ingested(Console(file=said, width=200), outcome)

    assert [
        "22 added, 0 changed, 1 removed, 0 unchanged.",
        f"  added: {HOSTILE}",
        "  added: b.md",
        "  … and 20 more added.",
        "  removed: c.md",
    ] == said.getvalue().splitlines()


def test_hosts_to_which_sources_will_not_link_are_named() -> None:
    said = io.StringIO()
    outcome = Ingested(hosts=Counter({"docs.example": 3, "wiki.example": 1, "a.wiki.example": 1}))

    print_ingested(Console(file=said, width=200), outcome, frozenset({"wiki.example"}))

    assert "Documents name addresses at docs.example. Add it to ASKBACK_LINK_HOSTS" in said.getvalue()


def test_the_bar_shows_a_name_that_looks_like_markup() -> None:
    said = io.StringIO()

    with progress_bar(Console(file=said, width=200, force_terminal=True), "Reading documents") as advance:
        advance(1, 1, HOSTILE, 0)

    assert HOSTILE in said.getvalue()


def test_the_bar_shows_files_passages_a_rate_and_the_time_left() -> None:
    said = io.StringIO()
    console = Console(file=said, width=200, force_terminal=True, color_system=None)

    with progress_bar(console, "Reading documents") as advance:
        for done in range(1, 6):
            advance(done, 10, "leave.md", 1200 + done)

    last = said.getvalue().rpartition("Reading documents")[2]
    assert re.search(r" 5/10 1,205 passages, \d+/s \d:\d\d:\d\d leave\.md", last), last


@pytest.mark.parametrize("group", [[], ["sources"], ["eval"]])
def test_a_description_is_wrapped_and_not_cut(group: list[str]) -> None:
    said = CliRunner().invoke(app, [*group, "--help"], terminal_width=80).output

    assert "Commands:" in said
    assert "..." not in said.partition("Commands:")[2]
    assert all(len(line) <= 80 for line in said.splitlines())


def test_each_of_several_sources_has_a_bar_that_goes_when_the_source_is_read() -> None:
    said = io.StringIO()

    with progress_bars(Console(file=said, width=200, force_terminal=True, color_system=None)) as bar_of:
        with bar_of("/srv/handbook") as first:
            first(1, 4, "a.md", 0)
            with bar_of("notion:TOKEN") as second:
                second(2, 3, "b.md", 0)
        both = said.getvalue()
        said.truncate(0)
        with bar_of("last"):
            pass

    assert "/srv/handbook" in both
    assert "notion:TOKEN" in both
    assert "/srv/handbook" not in said.getvalue()
