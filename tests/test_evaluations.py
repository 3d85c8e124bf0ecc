"""`askback eval` says in one sentence why it cannot measure."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.fork_server import ForkServer

Evaluate: TypeAlias = Callable[..., tuple[int | None, str]]

QUESTIONS = Path(__file__).parent / "evals" / "questions.jsonl"


@pytest.fixture
def evaluate(fork_server: ForkServer, tmp_path: Path) -> Evaluate:
    """Run the command with some words; return its exit code and what it said."""
    return lambda *words: fork_server.run(shlex.join(map(str, ["eval", *words])), tmp_path)


@pytest.mark.parametrize("what", ["answers", "clarification", "retrieval"])
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
