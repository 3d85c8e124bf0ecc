"""The stored record of an error that ended a run: its type, its place, and its message (pure)."""

import traceback
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

LONGEST_REASON: Final = 500
_ROOT: Final = PurePath(__file__).parents[3]
_OURS: Final = ("bot", "graph", "prompts")


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
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return LastError(error=name, place=_place(error), reason=str(error).replace("\0", "")[:LONGEST_REASON])


def _place(error: BaseException) -> str:
    frames = traceback.walk_tb(error.__traceback__)  # Extracting the traceback would read the source of every line.
    lines = [(PurePath(frame.f_code.co_filename), line) for frame, line in frames]
    ours = [f"{path.relative_to(_ROOT)}:{line}" for path, line in lines if _is_ours(path)]
    return ours[-1] if ours else ""


def _is_ours(path: PurePath) -> bool:
    return path.is_relative_to(_ROOT) and path.relative_to(_ROOT).parts[0] in _OURS
