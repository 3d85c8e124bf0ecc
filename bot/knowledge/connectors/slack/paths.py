"""How what was said in Slack is called: sources by their location, documents by their path (pure)."""

from dataclasses import dataclass
from typing import Final

from graph.text.invisible import in_one_line

SCHEME: Final = "slack:"
ADDED: Final = "/added"
"""How the location of a source ends that holds only what people added from a conversation."""
_FOLDER: Final = "slack/"
_ENDING: Final = ".md"
_LONGEST_NAME: Final = 100


def whole_channel(channel: str) -> str:
    """Return the location of the source that is a whole channel."""
    return f"{SCHEME}{channel}"


def added_in(channel: str) -> str:
    """Return the location of the source that holds what people added from a conversation."""
    return f"{SCHEME}{channel}{ADDED}"


def channel_in(location: str) -> str:
    """Return the conversation of a source; empty if the location is none of Slack's."""
    return location.removeprefix(SCHEME).removesuffix(ADDED) if location.startswith(SCHEME) else ""


def path_of(thread_ts: str) -> str:
    """Return the path of a thread below its source."""
    return f"{_FOLDER}{thread_ts}{_ENDING}"


def parts_of(thread_ts: str, ts: str = "") -> str:
    """Return how the paths begin of single messages and files in a thread, or of the files of one message."""
    return f"{_FOLDER}{thread_ts}/{f'{ts}/' if ts else ''}"


@dataclass(frozen=True, kw_only=True)
class SlackPart:
    """What a document holds: a whole thread, one message of it, or a file of a message."""

    thread_ts: str
    ts: str = ""
    """Empty: the whole thread."""
    file: str = ""
    """The file's id."""
    name: str = ""
    """The file's name, whose suffix tells its format."""

    @classmethod
    def of_path(cls, path: str) -> "SlackPart":
        """Return what a path means."""
        thread_ts, _, rest = path.removeprefix(_FOLDER).partition("/")
        ts, _, file = rest.partition("/")
        file_id, _, name = file.partition("/")
        return cls(thread_ts=thread_ts.removesuffix(_ENDING), ts=ts.removesuffix(_ENDING), file=file_id, name=name)

    @property
    def path(self) -> str:
        """The path below the source."""
        if self.file:
            return f"{parts_of(self.thread_ts, self.ts)}{self.file}/{_of_file(self.name)}"
        return f"{parts_of(self.thread_ts)}{self.ts}{_ENDING}" if self.ts else path_of(self.thread_ts)


def _of_file(name: str) -> str:
    """Return a file's name without its folders, cut before its suffix."""
    flat = in_one_line(name).replace("/", "-")
    stem, dot, suffix = flat.rpartition(".")
    return f"{stem[:_LONGEST_NAME]}{dot}{suffix}" if dot else flat[:_LONGEST_NAME]
