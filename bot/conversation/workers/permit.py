"""Who may speak: a run, for as long as its claim holds.

A call to Slack may wait long for its turn, and what is being said when a run ends is said to its end. Where the claim
is lost, another may run the item by then and speak for it: so each call asks first whether its run still has the floor.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from bot.errors import PermitLostError


class Permit:
    """What one run, and all that it begins, may speak on."""

    def __init__(self) -> None:
        self.is_held = True

    def lose(self) -> None:
        """Let nothing more be said, though it waits for its turn already."""
        self.is_held = False


_current: ContextVar[Permit | None] = ContextVar("floor", default=None)
"""Tasks inherit it, so that it holds for whatever a run has begun."""


@contextmanager
def taken() -> Generator[Permit]:
    """Let what is done in the context, and in tasks begun there, speak on a floor of its own."""
    floor = Permit()
    token = _current.set(floor)
    try:
        yield floor
    finally:
        _current.reset(token)


def require() -> None:
    """Raise `PermitLostError` if the current run has lost its permit; outside of runs none is needed."""
    floor = _current.get()
    if floor is not None and not floor.is_held:
        raise PermitLostError
