"""After several failures, the breaker opens for a while."""

import pytest

from bot.models.breaker import Breaker
from bot.models.llm.errors import RateLimitedError
from graph.context import ModelError


class Watch:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def watch() -> Watch:
    """Return a clock that only the test moves."""
    return Watch()


@pytest.fixture
def breaker(watch: Watch) -> Breaker:
    """Return a breaker that opens at the second failure in a row, for a minute."""
    return Breaker(failures=2, rest_seconds=60, seconds=watch)


def fail(breaker: Breaker, error: Exception | None = None) -> None:
    """Make a call that fails."""
    with pytest.raises(type(error or ModelError())), breaker.watch():
        raise error or ModelError("It failed.")


def is_open(breaker: Breaker) -> bool:
    """Make a call that succeeds unless the breaker refuses it."""
    try:
        with breaker.watch():
            return False
    except ModelError:
        return True


def test_one_failure_is_forgiven(breaker: Breaker) -> None:
    fail(breaker)

    assert not is_open(breaker)


def test_failures_in_a_row_open_it(breaker: Breaker) -> None:
    fail(breaker)
    fail(breaker)

    assert is_open(breaker)


def test_a_success_between_failures_counts(breaker: Breaker) -> None:
    fail(breaker)
    assert not is_open(breaker)
    fail(breaker)

    assert not is_open(breaker)


def test_after_its_rest_one_call_decides(breaker: Breaker, watch: Watch) -> None:
    fail(breaker)
    fail(breaker)
    watch.time += 61
    fail(breaker)
    assert is_open(breaker)

    watch.time += 61
    assert not is_open(breaker)
    fail(breaker)
    assert not is_open(breaker)


@pytest.mark.parametrize("error", [RateLimitedError("Slow down."), KeyError("a mistake of ours")])
def test_what_says_nothing_of_its_health_does_not_count(breaker: Breaker, error: Exception) -> None:
    for _ in range(5):
        fail(breaker, error)

    assert not is_open(breaker)
