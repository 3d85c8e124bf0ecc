"""Which calls are retried, and after which pause."""

import pytest

from bot.models.llm.errors import CallError
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.thoughts import DraftCutError


def failed(*, transient: bool = True, retry_after: float = 0.0) -> CallError:
    """Make a call's error."""
    return CallError("It failed.", transient=transient, retry_after_seconds=retry_after)


def test_pauses_grow() -> None:
    assert [RetryPolicy().pause(attempt, failed()) for attempt in (1, 2, 3)] == [0.5, 1, 2]


def test_a_longer_retry_after_wins_and_a_shorter_does_not() -> None:
    assert RetryPolicy().pause(1, failed(retry_after=3)) == 3
    assert RetryPolicy().pause(3, failed(retry_after=1)) == 2


@pytest.mark.parametrize(
    ("error", "worth_it"),
    [
        (failed(), True),
        (failed(retry_after=4), True),
        (failed(retry_after=4.5), False),
        (failed(transient=False), False),
        (DraftCutError("Cut."), False),
        (KeyError("a mistake of ours"), False),
    ],
)
def test_only_what_passes_soon_is_worth_another_attempt(error: Exception, *, worth_it: bool) -> None:
    assert RetryPolicy().is_worth_it(error) is worth_it


def test_on_a_thread_no_attempt_is_begun_after_the_budget() -> None:
    attempts = 0

    def attempt() -> None:
        nonlocal attempts
        attempts += 1
        raise failed()

    with pytest.raises(CallError):
        RetryPolicy(pauses=(0, 0, 0), budget_seconds=0).call_now(attempt)
    assert attempts == 1


async def test_a_policy_without_pauses_tries_once() -> None:
    attempts = 0

    async def attempt() -> None:
        nonlocal attempts
        attempts += 1
        raise failed()

    with pytest.raises(CallError):
        await RetryPolicy(pauses=()).call(attempt)
    assert attempts == 1
