"""The question sets name existing documents, and their gold answers are in these documents."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FOLDERS = {
    "handbook": HERE.parents[1] / "playground" / "handbook",
    "clinic": HERE / "clinic_notes",
    "workshop": HERE / "workshop_wiki",
}
SETS = [
    "questions.jsonl",
    "conversations.jsonl",
    "routing.jsonl",
    "unanswerable.jsonl",
    "languages.jsonl",
    "metadata.jsonl",
]
ROUTES = {"answer_from_conversation", "retrieve", "clarify", "converse", "out_of_scope", "stay_silent"}


def rows(name: str) -> list[dict[str, Any]]:
    """Read one set, a JSON object a line."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def normalised(text: str) -> str:
    """Return only the words of a text: no tags, emphasis, table bars, line breaks or capitals."""
    return " ".join(re.sub(r"<[^>]+>|[*|`]", " ", html.unescape(text)).lower().split())


def golds() -> Iterator[tuple[str, str, str, str]]:
    """Yield id, folder, document and gold answer of everything that has one."""
    for row in [*rows("questions.jsonl"), *rows("languages.jsonl")]:
        for gold in row.get("readings", [row]):
            for document in [gold["document"], *gold.get("also", [])]:
                yield row["id"], row["folder"], document, gold["answer"]
    for conversation in rows("conversations.jsonl"):
        for turn in conversation["turns"]:
            if turn["document"]:
                yield conversation["id"], conversation["folder"], turn["document"], turn["answer"]


def test_every_gold_answer_stands_in_its_document() -> None:
    missing = [
        (name, document, answer)
        for name, folder, document, answer in golds()
        if not (FOLDERS[folder] / document).is_file()
        or normalised(answer) not in normalised((FOLDERS[folder] / document).read_text(encoding="utf-8"))
    ]

    assert [] == missing


@pytest.mark.parametrize("name", SETS)
def test_ids_are_unique(name: str) -> None:
    repeated = [key for key, count in Counter(row["id"] for row in rows(name)).items() if count > 1]

    assert [] == repeated


def test_no_question_is_asked_twice() -> None:
    names = ["questions.jsonl", "unanswerable.jsonl", "languages.jsonl", "metadata.jsonl"]
    counts = Counter(normalised(row["question"]) for name in names for row in rows(name))

    assert [] == [question for question, count in counts.items() if count > 1]


@pytest.mark.parametrize(
    ("half", "kind", "least"),
    [("dev", "ambiguous", 60), ("dev", "clear", 120), ("held", "ambiguous", 60), ("held", "clear", 120)],
)
def test_each_set_is_as_large_as_promised_and_over_each_folder(half: str, kind: str, least: int) -> None:
    by_folder = Counter(row["folder"] for row in rows("questions.jsonl") if (row["set"], row["kind"]) == (half, kind))

    assert by_folder.total() >= least
    assert min(by_folder[folder] for folder in FOLDERS) >= least // 4


def test_half_of_what_nothing_answers_is_held() -> None:
    halves = Counter(row["set"] for row in rows("unanswerable.jsonl"))

    assert halves.total() >= 40
    assert abs(halves["dev"] - halves["held"]) <= 1


def test_every_question_about_a_document_says_what_its_attributes_say() -> None:
    missing = [
        (row["id"], document, answer)
        for row in rows("metadata.jsonl")
        for document in row["documents"]
        for answer in row["answers"]
        if answer not in (FOLDERS[row["folder"]] / document).read_text(encoding="utf-8")
    ]

    assert [] == missing


def test_the_readings_of_an_ambiguous_question_differ() -> None:
    alike = [
        row["id"]
        for row in rows("questions.jsonl")
        if row["kind"] == "ambiguous"
        and not 2 <= len({normalised(reading["answer"]) for reading in row["readings"]}) == len(row["readings"]) <= 4
    ]

    assert [] == alike


def test_an_ambiguous_question_does_not_name_its_reading() -> None:
    named = [
        row["id"]
        for row in rows("questions.jsonl")
        for reading in row.get("readings", [])
        if re.search(rf"\b{re.escape(reading['label'].lower())}\b", row["question"].lower())
    ]

    assert [] == named


def test_conversations_have_several_turns_and_some_stand_on_their_own() -> None:
    conversations = rows("conversations.jsonl")

    assert len(conversations) >= 25
    assert all(len(conversation["turns"]) >= 2 for conversation in conversations)
    assert all(c["turns"][0]["question"] == c["turns"][0]["standalone"] for c in conversations)


def test_routing_covers_every_route() -> None:
    routes = Counter(row["route"] for row in rows("routing.jsonl"))

    assert routes.total() >= 80
    assert set(routes) == ROUTES
    assert min(routes.values()) >= 8
