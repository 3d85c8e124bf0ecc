"""The kinds of sources by name. A new kind is a module in this folder and a line here."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.connectors.files import Files
from bot.knowledge.connectors.git import Git
from bot.knowledge.connectors.web.addresses import normal
from bot.knowledge.connectors.web.rules import WebRules
from bot.knowledge.connectors.web.web import Web

Kind: TypeAlias = Literal["files", "git", "web"]

KINDS: Final[Mapping[str, Callable[[str, WebRules], Connector]]] = {
    "files": lambda location, _: Files(location),
    "git": lambda location, _: Git(location),
    "web": Web,
}
_RULES: Final = WebRules()


def connector_of(kind: str, location: str, rules: WebRules = _RULES) -> Connector:
    """Return the connector of a source. Raises `KnowledgeError` if there is no such kind."""
    if kind not in KINDS:
        raise KnowledgeError(f"There is no kind of source called {kind}: give {', '.join(KINDS)}.")
    return KINDS[kind](location, rules)


def guessed(location: str, kind: Kind | None = None) -> tuple[Kind, str]:
    """Return the kind of a source, given or guessed from its location, and its normalised location."""
    kind = kind or _seeming(location)
    if kind == "web":
        return kind, normal(location)
    return kind, str(Path(location).resolve()) if kind == "files" else location


def _seeming(location: str) -> Kind:
    if location.endswith(".git") or location.startswith("git@"):
        return "git"
    if location.casefold().startswith(("http://", "https://")):
        return "web"
    return "git" if "://" in location else "files"
