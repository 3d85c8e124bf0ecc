"""`askback eval` says in one sentence why it cannot measure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

QUESTIONS = Path(__file__).parent / "evals" / "questions.jsonl"


def evaluate(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from bot.cli.commands import main; main()", "eval", *map(str, words)]
    return subprocess.run(command, env=os.environ.copy(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("what", ["answers", "clarification", "retrieval"])
def test_a_file_that_is_missing_is_told_in_one_sentence(what: str, tmp_path: Path) -> None:
    told = evaluate(what, tmp_path / "nowhere", *([tmp_path] if what != "retrieval" else []))

    assert told.returncode == 1
    assert "Traceback" not in told.stderr
    assert "cannot be opened: No such file or directory." in told.stderr


def test_a_file_of_another_form_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Buy milk.\n")

    told = evaluate("answers", tmp_path / "notes.txt", tmp_path)

    assert (told.returncode, len(told.stderr.strip().splitlines())) == (1, 1)
    assert "does not hold questions in the expected form" in told.stderr


def test_a_folder_that_is_missing_is_told_in_one_sentence(tmp_path: Path) -> None:
    told = evaluate("answers", QUESTIONS, tmp_path / "handbook")

    assert (told.returncode, len(told.stderr.strip().splitlines())) == (1, 1)
    assert "does not exist" in told.stderr
