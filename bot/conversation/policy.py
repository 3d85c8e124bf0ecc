"""A workspace's settings about questions back (pure)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

MayAnswer = Literal["anyone", "asker"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The rules of the game; each is a setting."""

    may_answer: MayAnswer = "anyone"
    change_within: timedelta = timedelta(days=7)
    """How long a choice can be changed; zero if never."""
    remind_after: timedelta = timedelta(hours=4)
    expire_after: timedelta = timedelta(hours=24)
    """How long a question back waits for a choice."""
    remember_for: timedelta = timedelta(days=180)
    """How long a choice is assumed again; nothing where none is."""


USUAL: Final = Policy()
"""Where nothing is set."""
