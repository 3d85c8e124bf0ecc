"""The strangers' and the newcomers' questions are complete: their documents exist and hold the expected values."""

import html
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FOLDERS = {
    "handbook": HERE.parents[1] / "playground" / "handbook",
    **{name: HERE / name for name in ("ferry_line", "clinic_notes", "workshop_wiki")},
}


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


STRANGERS, NEWCOMERS = _read("strangers.jsonl"), _read("newcomers.jsonl")
IN_CHANNELS = _read("channel_strangers.jsonl")
ROWS = STRANGERS + NEWCOMERS
LITERAL = {"fact", "table", "version", "list"}
"""Kinds whose values are literally in the documents; others are computed or translated."""


def test_there_are_as_many_as_promised() -> None:
    assert (150, 150) == (len(STRANGERS), len({row["question"].casefold() for row in STRANGERS}))
    assert {"dev": 75, "held": 75} == Counter(row["set"] for row in STRANGERS)
    assert {"handbook": 75, "ferry_line": 75} == Counter(row["folder"] for row in STRANGERS)
    assert {"en": 90, "de": 40, "pt": 20} == Counter(row["language"] for row in STRANGERS)
    assert sum(row["expect"] == "ask" for row in STRANGERS) >= 40
    assert {"dev": 15, "held": 15} == Counter(row["set"] for row in NEWCOMERS)
    assert {("dev", True): 80, ("held", True): 80, ("dev", False): 470, ("held", False): 470} == Counter(
        (row["set"], "needs" in row) for row in IN_CHANNELS
    )
    assert 1100 == len({row["id"] for row in IN_CHANNELS})


def test_every_source_is_there() -> None:
    named = [(row["folder"], source) for row in ROWS for each in [row, *row["readings"]] for source in each["sources"]]
    named += [(row["folder"], source) for row in IN_CHANNELS for source in row.get("sources", [])]

    assert [] == [source for folder, source in named if not (FOLDERS[folder] / source).is_file()]


def test_the_readings_of_an_ambiguous_question_differ() -> None:
    alike = [
        row["id"]
        for row in ROWS
        if row["expect"] == "ask" and len({tuple(reading["needs"]) for reading in row["readings"]}) < 2
    ]

    assert [] == alike


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] in LITERAL], ids=lambda row: row["id"])
def test_what_an_answer_needs_stands_in_its_sources(row: dict[str, Any]) -> None:
    texts = [_plain((FOLDERS[row["folder"]] / source).read_text("utf-8")) for source in row["sources"]]

    assert [] == [need for need in row["needs"] if not any(_holds(text, need) for text in texts)]


def _holds(text: str, need: str) -> bool:
    return any(re.search(_bounded(_plain(either)), text) for either in need.split("|"))


def _bounded(value: str) -> str:
    before = r"(?<![\d.,])" if value[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if value[-1:].isdigit() else ""
    return f"{before}{re.escape(value)}{after}"


def _plain(text: str) -> str:
    untagged = re.sub(r"<[^>\n]{1,200}>", " ", html.unescape(text))
    return " ".join(re.sub(r"[*_`#|>]", " ", untagged).casefold().split())
