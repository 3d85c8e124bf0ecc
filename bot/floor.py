"""Who may speak: a run, for as long as its claim holds.

A call to Slack may wait long for its turn, and what is being said when a run ends is said to its end. Where the claim
is lost, another may run the item by then and speak for it: so each call asks first whether its run still has the floor.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from bot.errors import FloorLostError


class Floor:
    """What one run, and all that it begins, may speak on."""

    def __init__(self) -> None:
        self.is_held = True

    def lose(self) -> None:
        """Let nothing more be said, though it waits for its turn already."""
        self.is_held = False


_current: ContextVar[Floor | None] = ContextVar("floor", default=None)
"""Tasks inherit it, so that it holds for whatever a run has begun."""


@contextmanager
def taken() -> Generator[Floor]:
    """Let what is done in the context, and in tasks begun there, speak on a floor of its own."""
    floor = Floor()
    token = _current.set(floor)
    try:
        yield floor
    finally:
        _current.reset(token)


def require() -> None:
    """Raise `FloorLostError` where the run that we are part of may speak no more; outside of runs there is no floor."""
    floor = _current.get()
    if floor is not None and not floor.is_held:
        raise FloorLostError
