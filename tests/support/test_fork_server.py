"""Tests for the processes that the fork server forks for pytest-xdist."""

import sys
from pathlib import Path

import pytest

from tests.support.fork_server import import_tests

ROOT = Path(__file__).parents[2]
TESTS = "\n\n\ndef test_that_fails() -> None:\n    raise AssertionError\n"


def test_a_test_that_was_imported_before_the_fork_still_says_what_it_compares() -> None:
    days = 26

    with pytest.raises(AssertionError, match="assert 26 == 25"):
        assert days == 25


@pytest.mark.parametrize("first", ["import nothing_of_this_name", "def wrong() -> None\n    pass", "1 / 0"])
def test_what_is_wrong_with_a_file_is_said_though_it_was_imported_before(first: str, tmp_path: Path) -> None:
    path = tmp_path / "test_of_no_use.py"
    path.write_text(f"{first}{TESTS}")

    code = import_tests(f"--config-file={ROOT / 'pyproject.toml'}", f"--rootdir={ROOT}", str(path))

    assert code == pytest.ExitCode.INTERRUPTED
    assert str(path) not in {getattr(module, "__file__", None) for module in [*sys.modules.values()]}
