"""Tests for the processes that the fork server forks for pytest-xdist."""

import pytest


def test_a_test_that_was_imported_before_the_fork_still_says_what_it_compares() -> None:
    days = 26

    with pytest.raises(AssertionError, match="assert 26 == 25"):
        assert days == 25
