"""Sources that list all their documents, each with a state: which ones changed, a part at a time (pure)."""

from collections.abc import Mapping
from math import ceil
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.knowledge.connectors.connector import Changes

_AT_ONCE: Final = 50
"""The fewest documents of one part: how much is read again after an interruption."""
_MOST_PARTS: Final = 100
"""Each part writes the states of all documents, so parts of one size would make a large source quadratic."""
_STATES: Final = TypeAdapter(dict[str, str])


class Listed:
    """All documents of a source by path, each with its state. An empty state is not sure, and counts as changed."""

    def __init__(self, states: Mapping[str, str]) -> None:
        self._states = states
        self._parts: list[list[str]] | None = None

    def changes(self, cursor: str) -> Changes:
        """Return the next part of the documents whose state is not that of the cursor."""
        known = states_in(cursor)
        is_first = self._parts is None
        if self._parts is None:
            self._parts = self._divided(known)
        now = self._parts.pop(0) if self._parts else []
        there = {path: state for path, state in known.items() if path in self._states}
        return Changes(
            paths=now,
            gone=None if is_first else [],
            others=self._states.keys() - {*now} if is_first else (),
            cursor=_STATES.dump_json({**there, **{path: self._states[path] for path in now}}).decode(),
            has_more=bool(self._parts),
        )

    def _divided(self, known: Mapping[str, str]) -> list[list[str]]:
        sure = [path for path, state in self._states.items() if state and known.get(path) != state]
        size = max(_AT_ONCE, ceil(len(sure) / _MOST_PARTS))
        parts = [sure[start : start + size] for start in range(0, len(sure), size)] or [[]]
        # In the last part: the cursor cannot tell that they were read, so that a part of them would not get on.
        parts[-1] += [path for path, state in self._states.items() if not state]
        return parts


def states_in(cursor: str) -> dict[str, str]:
    """Return the states of the documents that were read; none if the cursor is of another kind."""
    try:
        return _STATES.validate_json(cursor) if cursor else {}
    except ValidationError:
        return {}
