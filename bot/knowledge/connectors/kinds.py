"""The kinds of sources, by name: a new one is a module beside this and a line here."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.connectors.files import Files
from bot.knowledge.connectors.git import Git

KINDS: Final[Mapping[str, Callable[[str], Connector]]] = {"files": Files, "git": Git}


def connector_of(kind: str, location: str) -> Connector:
    """Return the connector of a source; raise `KnowledgeError` if there is no such kind."""
    if kind not in KINDS:
        raise KnowledgeError(f"There is no kind of source called {kind}: give {', '.join(KINDS)}.")
    return KINDS[kind](location)


def guessed(location: str) -> tuple[str, str]:
    """Return of which kind a source seems to be, and what it is known by."""
    if "://" in location or location.endswith(".git") or location.startswith("git@"):
        return "git", location
    return "files", str(Path(location).resolve())
