"""The errors Askback raises; the docstring of each is its default message.

AskbackError
├── SettingsError
├── DatabaseError
│   ├── DatabaseUnfitError
│   ├── DatabaseUnreachableError
│   ├── DatabaseUnsafeError
│   ├── EmbeddedDatabaseError
│   └── StandbyError
├── ClaimLostError
├── DemoRunsError
├── ForeignCheckpointError
├── KnowledgeError
├── PermitLostError
├── RunOvertakenError
├── StillRunningError
└── SlackError
    ├── GroupUnknownError
    ├── OutcomeUnknownError
    ├── PersonLookupError
    ├── PersonUnknownError
    ├── PostRefusedError
    │   ├── ChannelSharedError
    │   ├── MessageKeptError
    │   └── ThreadGoneError
    ├── SlackBusyError
    ├── SlackSetupError
    │   └── SlackUnreachableError
    ├── StreamRefusedError
    └── StreamStoppedError

Of any error, also of a library's, `name_of`, `place_of` and `is_ours` tell what holds no words of people.
"""

import traceback
from pathlib import PurePath
from typing import Final

_ROOT: Final = PurePath(__file__).parents[1]
_OURS: Final = ("bot", "graph", "prompts")


def name_of(error: BaseException) -> str:
    """Return an error's type, with its module unless it is Python's own."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def place_of(error: BaseException) -> str:
    """Return the innermost line of our code in an error's traceback, such as `bot/knowledge/store.py:120`."""
    frames = traceback.walk_tb(error.__traceback__)  # Extracting the traceback would read the source of every line.
    lines = [(PurePath(frame.f_code.co_filename), line) for frame, line in frames]
    ours = [f"{path.relative_to(_ROOT)}:{line}" for path, line in lines if _holds(path)]
    return ours[-1] if ours else ""


def is_ours(error: BaseException) -> bool:
    """Tell whether we wrote an error's text. A library's may repeat a row, an input, or what a model wrote."""
    return type(error).__module__.partition(".")[0] in _OURS


def _holds(path: PurePath) -> bool:
    return path.is_relative_to(_ROOT) and path.relative_to(_ROOT).parts[0] in _OURS


class AskbackError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or type(self).__doc__)


class SettingsError(AskbackError):
    """A setting is missing or wrong."""


class DatabaseError(AskbackError):
    """The database cannot be used."""


class DatabaseUnfitError(DatabaseError):
    """Askback cannot use this database."""


class DatabaseUnreachableError(DatabaseError):
    """The database does not answer."""


class DatabaseUnsafeError(DatabaseError):
    """Row-level security does not bind the role the bot runs as."""


class EmbeddedDatabaseError(DatabaseError):
    """The embedded PostgreSQL does not start."""


class StandbyError(DatabaseError):
    """The standby does not answer, or lacks what the primary has."""


class KnowledgeError(AskbackError):
    """A document cannot be read."""


class ClaimLostError(AskbackError):
    """The run's claim is lost, so another process may run its item."""


class DemoRunsError(AskbackError):
    """A demo already runs on this data folder; two would take each other's questions."""

    def __init__(self, url: str, folder: str) -> None:
        place = f"Open {url}" if url else "Wait until it names its address"
        super().__init__(
            f"A demo already runs on {folder}. {place}, or set ASKBACK_DATA_FOLDER to another folder for a second one."
        )


class PermitLostError(AskbackError):
    """The run has lost its claim, so it may not call Slack any more."""


class ForeignCheckpointError(AskbackError):
    """A checkpoint holds something that Askback did not write."""


class RunOvertakenError(AskbackError):
    """The question of a run was edited, deleted or stopped, so its answer is no longer wanted."""


class StillRunningError(AskbackError):
    """A run in one of the threads does not end: stop the bot, or try again later. What went so far stays gone."""


class SlackError(AskbackError):
    """Slack refused a call."""


class GroupUnknownError(SlackError):
    """Slack does not return the members of a user group."""


class OutcomeUnknownError(SlackError):
    """The connection or Slack failed, so it is unknown whether the call took effect."""


class PersonLookupError(SlackError):
    """Slack does not return a person's profile."""


class PersonUnknownError(SlackError):
    """Slack knows nobody by this id, or does not show this person to us."""


class PostRefusedError(SlackError):
    """Slack refuses messages in this conversation."""


class ChannelSharedError(PostRefusedError):
    """People of another company can read this channel."""


class MessageKeptError(PostRefusedError):
    """Slack refuses to delete this message."""


class ThreadGoneError(PostRefusedError):
    """The thread no longer exists."""


class SlackBusyError(SlackError):
    """Slack accepts no more calls at the moment."""


class SlackSetupError(SlackError):
    """Slack refuses the bot with these settings."""

    def __init__(self, what: str, how_to_fix: str) -> None:
        super().__init__(f"{what} {how_to_fix}")
        self.what = what
        self.how_to_fix = how_to_fix


class SlackUnreachableError(SlackSetupError):
    """Slack does not answer at its address, or something else does."""


class StreamRefusedError(SlackError):
    """Slack refuses streams here, or this stream."""


class StreamStoppedError(SlackError):
    """A person has stopped this stream."""
