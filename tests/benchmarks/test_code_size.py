"""The measure of the code: what counts as product, as core, and as a statement that writes a question."""

from pathlib import Path

import pytest

from benchmarks.code import module_of, modules_of, rows_of, words_of

STORE = '''class Store:
    def save(self, row, *, now):
        """Takes UPDATE inboxes for no write."""
        run("UPDATE inbox SET status = 1")
        return f"INSERT INTO inbox {row}"


def wide(a, b, c, /, d): ...
'''


def test_counts_functions_parameters_and_statements() -> None:
    module = module_of("bot/conversation/store.py", STORE)

    assert (module.lines, module.writes) == (8, 2)
    assert {(each.name, each.lines, each.parameters) for each in module.functions} == {("save", 4, 2), ("wide", 1, 4)}


def test_evaluations_are_no_product_and_the_core_is_part_of_it(tmp_path: Path) -> None:
    for path in ("bot/conversation/store.py", "bot/evals/answers.py", "graph/run.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(STORE)

    rows = rows_of(modules_of(tmp_path), words=0)

    assert rows["product: lines / files"] == "16 / 2"
    assert rows["core: lines / files"] == "8 / 1"
    assert rows["statements that write a question"] == "4 in 2 files"


def test_without_code_there_is_nothing_to_measure(tmp_path: Path) -> None:
    assert modules_of(tmp_path) == []
    with pytest.raises(ValueError, match="empty"):
        rows_of([], words=0)


def test_the_glossary_is_counted_by_its_rows() -> None:
    assert words_of("| word | what it means |\n| --- | --- |\n| **Turn** | … |\n| **Claim** | … |\n") == 2
