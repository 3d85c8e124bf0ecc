"""The comparison with a model that errs knows a right answer from a wrong one."""

import random

from benchmarks.answers.erring import Ended, ended, read_played, table
from benchmarks.answers.errors import Error, errors
from graph.routing import PRESETS

EVERY = read_played()
PLAYED = EVERY[1]


async def test_a_right_draft_stays_right_with_every_preset() -> None:
    found = [await ended(PLAYED, None, EVERY[0].passages, preset, "1") for preset in PRESETS]

    assert ["right"] * len(PRESETS) == [one.ending for one in found]


async def test_an_error_that_nobody_sees_is_counted_as_wrong() -> None:
    error = Error(kind="name", draft=PLAYED.draft.replace("Lumen", "Camila"))

    assert "wrong" == (await ended(PLAYED, error, EVERY[0].passages, "quick", "1")).ending


def test_each_kind_changes_the_draft_and_its_first_line_stays() -> None:
    made = errors(PLAYED.draft, PLAYED.passages, EVERY[0].passages, random.Random("1"))

    assert {"number", "name", "negation", "invention"} >= {one.kind for one in made} >= {"name", "invention"}
    assert all(one.draft != PLAYED.draft and one.draft.startswith("EVIDENCE: full\n") for one in made)


def test_the_table_has_a_row_for_each_error_and_preset() -> None:
    lines = table([Ended(by="quick", kind="name", ending="wrong", calls=2)]).splitlines()

    assert len(lines) == 2 + 5 * len(PRESETS)
    assert any(line.startswith("| name | quick | 1 | 0 | 0 | 0 | 1 |") for line in lines)
