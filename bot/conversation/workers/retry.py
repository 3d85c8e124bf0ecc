"""Whether a failed run is retried, and when; and what is stored of its error (pure)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bot.errors import name_of, place_of

ATTEMPTS = 3
"""The attempts of an item, fresh after each Retry."""
LONGEST_DELAY_SECONDS = 2.0
"""Before the last attempt; half as long before the one before it, and so on."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A run of an item: its number, from 1, and the most attempts."""

    number: int
    allowed: int

    @property
    def is_first(self) -> bool:
        """Whether no run of the item can have died before.

        One that asked back may have left messages: it ended well, and its attempts are forgotten.
        """
        return self.number == 1

    @property
    def is_suspect(self) -> bool:
        """Whether two runs before this one ended. Without an error, their process died.

        One such run may be another item's fault: an item that ends its process ends all runs beside it.
        """
        return self.number > self.allowed - ATTEMPTS + 2

    @property
    def is_last(self) -> bool:
        """Whether no attempt follows."""
        return self.number >= self.allowed

    @property
    def is_one_too_many(self) -> bool:
        """Whether all allowed attempts were made: only that the item has failed is left to be told."""
        return self.number > self.allowed

    @property
    def is_very_last(self) -> bool:
        """Whether not even a failure message is tried again."""
        return self.number >= self.allowed + MOST_LAST_WORDS


MOST_ALLOWED = 24
"""The most attempts that an item may have after refunds for outages and overtaken runs.

An item that causes outages itself must not run for ever.
"""
MOST_LAST_WORDS = 5
"""How often a failure message is retried."""


def pause_before_retry(attempt: Attempt) -> timedelta | None:
    """Return the pause after a failed run: of three attempts, 1 and 2 seconds; after the last, None: give up."""
    left = attempt.allowed - attempt.number
    return timedelta(seconds=LONGEST_DELAY_SECONDS / 2 ** (left - 1)) if left > 0 else None


def pause_before_last_words(attempt: Attempt) -> timedelta | None:
    """Return the pause after a failed failure message: 2, 4, 8, 16 and 32 seconds, then None: end silently."""
    tried = attempt.number - attempt.allowed
    return timedelta(seconds=2 ** (tried + 1)) if tried < MOST_LAST_WORDS else None


LONGEST_REASON: Final = 500


@dataclass(frozen=True, kw_only=True)
class LastError:
    """An error that ended a run."""

    error: str
    """The error's type."""
    place: str
    """The innermost line of our code in the traceback, such as `bot/knowledge/store.py:120`."""
    reason: str
    """The error's message, which may repeat people's words."""


def last_error_of(error: BaseException) -> LastError:
    """Return the record of an error."""
    return LastError(error=name_of(error), place=place_of(error), reason=str(error).replace("\0", "")[:LONGEST_REASON])
