"""`askback eval` says in one sentence why it cannot measure."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.support.fork_server import ForkServer

Evaluate: TypeAlias = Callable[..., tuple[int | None, str]]

PARKING = "What does a parking space cost?"
QUESTIONS = Path(__file__).parents[1] / "evals" / "questions.jsonl"


@pytest.fixture
def evaluate(fork_server: ForkServer, tmp_path: Path) -> Evaluate:
    """Run the command with some words; return its exit code and what it said."""
    return lambda *words: fork_server.run(shlex.join(map(str, ["eval", *words])), tmp_path)


@pytest.mark.parametrize("what", ["answers", "clarification", "drafts", "retrieval"])
def test_a_file_that_is_missing_is_told_in_one_sentence(what: str, evaluate: Evaluate, tmp_path: Path) -> None:
    code, said = evaluate(what, tmp_path / "nowhere", *([tmp_path] if what != "retrieval" else []))

    assert code == 1
    assert "Traceback" not in said
    assert "cannot be opened: No such file or directory." in said


def test_a_file_of_another_form_is_told_in_one_sentence(evaluate: Evaluate, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Buy milk.\n")

    code, said = evaluate("answers", tmp_path / "notes.txt", tmp_path)

    assert (code, len(said.strip().splitlines())) == (1, 1)
    assert "does not hold questions in the expected form" in said


def test_a_folder_that_is_missing_is_told_in_one_sentence(evaluate: Evaluate, tmp_path: Path) -> None:
    code, said = evaluate("answers", QUESTIONS, tmp_path / "handbook")

    assert (code, len(said.strip().splitlines())) == (1, 1)
    assert "does not exist" in said


def test_rows_about_folders_that_are_not_named_are_told_in_one_sentence(evaluate: Evaluate, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(QUESTIONS.read_text("utf-8") + "no JSON\n", "utf-8")

    code, said = evaluate("answers", rows)
    other, also = evaluate("answers", rows, tmp_path)

    assert (1, True) == (code, "Name the folders that" in said)
    assert (1, True) == (other, "No row of" in also)


@pytest.fixture
def measure(fork_server: ForkServer, tmp_path: Path, app_url: str) -> Evaluate:
    """The same in a database of the test's own, because evaluations at the same time would empty each other's."""
    return lambda *words: fork_server.run(shlex.join(map(str, ["eval", *words])), tmp_path, DATABASE_URL=app_url)


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """A folder with a document."""
    folder = tmp_path / "office"
    folder.mkdir()
    (folder / "parking.md").write_text("# Parking\n\nA parking space costs 45 EUR a month.\n", "utf-8")
    return folder


def test_a_case_is_asked_told_and_drawn(measure: Evaluate, office: Path, tmp_path: Path) -> None:
    cases, saved, page = (tmp_path / name for name in ("cases.md", "saved.jsonl", "page.html"))
    cases.write_text(f"# Parking\n## Turn 1\nUser: {PARKING}\nExpected: answers `45 EUR`\n", "utf-8")

    code, said = measure("outcomes", cases, office, "--save", saved, "--report", page)

    assert (0, 1) == (code, len(saved.read_text("utf-8").splitlines())), said
    assert "| all | 1 | 1 | 100.0% of 1 (21%–100%) |" in said
    assert "45 EUR" in page.read_text("utf-8")
    refused, why = measure("outcomes", cases, office, "--resume")
    assert (1, True) == (refused, "--resume needs --save" in why)


@pytest.mark.parametrize("what", ["--save", "--report"])
def test_a_file_that_cannot_be_written_is_told_before_anything_is_measured(
    what: str, measure: Evaluate, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(DRAFT) + "\n", "utf-8")

    code, said = measure("drafts", rows, what, tmp_path / "nowhere" / "file.html")

    assert (code, len(said.strip().splitlines())) == (1, 1), said
    assert "file.html cannot be opened: No such file or directory." in said


def test_a_question_that_was_asked_before_is_not_asked_again(measure: Evaluate, office: Path, tmp_path: Path) -> None:
    rows, saved, figures = (tmp_path / name for name in ("rows.jsonl", "saved.jsonl", "figures.json"))
    row = {
        "id": "one", "set": "dev", "folder": "office", "language": "en", "kind": "fact", "earlier": [], "never": [],
        "question": PARKING, "expect": "answer", "needs": ["45 EUR"], "sources": [], "readings": [],
    }  # fmt: skip
    rows.write_text("".join(f"{json.dumps(row | {'id': name})}\n" for name in ("one", "two")), "utf-8")
    told = {"asked": [PARKING], "groups": {"expected": "answer"}, "verdict": "wrong", "effort": {}}
    # The process was killed while it wrote the second line.
    saved.write_text(json.dumps({"id": "one", **told}) + '\n{"id": "tw', "utf-8")

    code, said = measure("outcomes", rows, office, "--save", saved, "--resume", "--report", figures)

    assert code == 0, said
    assert ["one", "two"] == [json.loads(line)["id"] for line in saved.read_text("utf-8").splitlines()]
    assert {"wrong": 1, "right": 1} == json.loads(figures.read_text("utf-8"))["all"]["ended"]


def test_transcripts_of_another_form_are_told_in_one_sentence_and_kept(measure: Evaluate, tmp_path: Path) -> None:
    rows, saved = tmp_path / "rows.jsonl", tmp_path / "saved.jsonl"
    rows.write_text(json.dumps(DRAFT | {"id": "one"}) + "\n", "utf-8")
    saved.write_text('{"id": "one", "verdict": "right", "text": "old"}\n', "utf-8")

    code, said = measure("drafts", rows, "--save", saved, "--resume")

    assert (1, True) == (code, "does not hold questions in the expected form" in said), said
    assert "old" in saved.read_text("utf-8")
    saved.write_text("no JSON\n", "utf-8")
    code, said = measure("drafts", rows, "--against", saved)
    assert (1, True) == (code, "does not hold questions in the expected form" in said), said


DRAFT = {
    "label": "good",
    "question": PARKING,
    "draft": "It costs 45 EUR a month [1].",
    "passages": ["It costs 45 EUR."],
}
GOLD = {
    "id": "one",
    "set": "dev",
    "folder": "office",
    "kind": "clear",
    "question": PARKING,
    "document": "parking.md",
    "answer": "45 EUR a month",
}
RATED = {"knowledge": "It costs 45 EUR.", "question": PARKING, "right_answer": "45 EUR", "hallucinated_answer": "Free."}
ROUTED = {"text": PARKING, "addressed": True, "mentions_others": False, "people": 1, "route": "retrieve"}


@pytest.mark.parametrize(
    ("what", "row", "right"),
    [
        ("answers", GOLD, 1),
        ("clarification", GOLD, 1),
        ("drafts", DRAFT, 1),
        ("groundedness", RATED, 2),
        ("understanding", ROUTED, 1),
    ],
)
def test_every_evaluation_prints_json_draws_a_page_goes_on_and_outlives_a_bad_row(
    what: str, row: dict[str, Any], right: int, measure: Evaluate, office: Path
) -> None:
    rows, saved, page = (office.with_name(name) for name in ("rows.jsonl", "saved.jsonl", "page.html"))
    rows.write_text(f'{json.dumps(row)}\n{{"id": "broken"}}\n', "utf-8")

    code, said = measure(what, rows, office, "--save", saved, "--report", page, "--json")

    assert code == 0, said
    told = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert {"right": right, "failed": 1} == told["all"]["ended"]
    assert right == len(saved.read_text("utf-8").splitlines())
    assert "<svg" in page.read_text("utf-8")
    assert "KeyError" in page.read_text("utf-8")
    again, said = measure(what, rows, office, "--save", saved, "--resume")
    assert (0, True) == (again, f"| all | {right + 1} | {right} |" in said), said
