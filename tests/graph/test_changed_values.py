"""A value in another form is no fault, and another value of this form is one."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graph.answer.audit import audited
from graph.answer.held_values import FREE
from tests.support.fakes import passage

GOOD = [
    row
    for line in (Path(__file__).parents[1] / "evals" / "drafts.jsonl").read_text("utf-8").splitlines()
    if (row := json.loads(line))["label"] == "good"
]
_AMOUNTS = st.integers(FREE + 1, 999_999)
_FORMS = ("{0} EUR", "{0:,} euros", "EUR {0}", "€{0:,}"), ("{0} %", "{0} percent"), ("{0} °C", "{0} degrees")
_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y")
_DAYS = st.dates(date(2000, 1, 1), date(2098, 12, 31))


def faults(source: str, said: str) -> list[str]:
    return audited(f"It is {said} [1].", [passage(1, f"It is {source}.")]).faults


@given(st.sampled_from(_FORMS), st.data(), _AMOUNTS, _AMOUNTS, st.sampled_from(["", "-"]))
def test_another_amount_is_a_fault_in_any_form(
    forms: tuple[str, ...], data: st.DataObject, one: int, other: int, sign: str
) -> None:
    # "13,000" may be 13.
    assume(1000 * one != other and 1000 * other != one)
    source, said = (data.draw(st.sampled_from(forms)) for _ in range(2))

    assert [] == faults(sign + source.format(one), sign + said.format(one))
    assert (one != other) is bool(faults(sign + source.format(one), sign + said.format(other)))
    assert faults(source.format(one), f"-{said.format(one)}")


@given(st.sampled_from(_DATES), st.sampled_from(_DATES), _DAYS, _DAYS)
def test_another_day_is_a_fault_in_any_form(source: str, said: str, one: date, other: date) -> None:
    assert [] == faults(one.strftime(source), one.strftime(said))
    assert (one != other) is bool(faults(one.strftime(source), other.strftime(said)))


@pytest.mark.parametrize("row", GOOD, ids=lambda row: row["style"])
def test_a_good_draft_with_another_number_has_a_fault(row: dict[str, Any]) -> None:
    passages = [passage(number, text) for number, text in enumerate(row["passages"], start=1)]
    draft, said = row["draft"], [number for number in ("45", "18", "36", "2026") if number in row["draft"]]
    changed = [draft.replace(number, str(int(number) + 31)) for number in said]

    assert [] == audited(draft, passages, question=row["question"]).faults
    assert all(audited(other, passages, question=row["question"]).faults for other in changed)
    assert said or row["style"] == "two sources"
