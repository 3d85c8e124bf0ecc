"""The kinds of sources by name. A new kind is a module in this folder and a line here, or a package of its own."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes, Connector
from bot.knowledge.connectors.files import Files
from bot.knowledge.connectors.git import Git
from bot.knowledge.connectors.installed import Maker, installed_kinds, load
from bot.knowledge.connectors.loader.loader import Loader
from bot.knowledge.connectors.notion.notion import Notion
from bot.knowledge.connectors.slack.added import AddedMessages
from bot.knowledge.connectors.slack.channel import SlackChannel
from bot.knowledge.connectors.slack.paths import ADDED
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.connectors.web.addresses import normal
from bot.knowledge.connectors.web.web import Web
from bot.knowledge.sandbox.limits import Limits
from graph import patterns

KINDS: Final[Mapping[str, Maker]] = {
    "files": lambda location, _: Files(location),
    "git": lambda location, _: Git(location),
    "web": lambda location, settings: Web(location, settings.web),
    "notion": Notion,
    "loader": Loader,
    "slack": lambda location, settings: (
        AddedMessages(location, settings) if location.endswith(ADDED) else SlackChannel(location, settings)
    ),
}
_SETTINGS: Final = SourceSettings()
_KIND: Final = patterns.compile(r"[a-z][a-z0-9_-]*")


class Unreadable:
    """A source of which this process has no connector. It keeps its documents, and other sources are read."""

    def __init__(self, kind: str, location: str, why: KnowledgeError) -> None:
        self.kind = kind
        self.location = location
        self._why = why

    async def changes(self, cursor: str) -> Changes:  # noqa: ARG002 - As the port has it.
        """Raise the reason."""
        raise self._why

    async def content(self, path: str, limits: Limits) -> bytes:  # noqa: ARG002 - As the port has it.
        """Raise the reason."""
        raise self._why

    def url_of(self, path: str) -> str | None:
        """Return `None`."""

    async def aclose(self) -> None:
        """Do nothing."""


def connector_of(kind: str, location: str, settings: SourceSettings = _SETTINGS) -> Connector:
    """Return the connector of a source. Raises `KnowledgeError` if there is no such kind or source."""
    return _maker_of(kind)(location, settings)


def faults_of(kinds: Iterable[str] | None = None) -> list[str]:
    """Return a line for each of these kinds, or of all installed ones, that cannot be used."""
    installed = installed_kinds()
    faults = [
        f"The connector {kind} of the package {entry.dist.name if entry.dist else entry.value} is not used:"
        " Askback has a kind of that name."
        for kind, entry in installed.items()
        if kind in KINDS and kinds is None
    ]
    for kind in installed if kinds is None else dict.fromkeys(kinds):
        try:
            _maker_of(kind)
        except KnowledgeError as error:
            faults.append(str(error))
    return faults


def _maker_of(kind: str) -> Maker:
    # Ours come first, so that no package takes the place of one.
    if maker := KINDS.get(kind):
        return maker
    installed = installed_kinds()
    if kind not in installed:
        raise KnowledgeError(f"There is no kind of source called {kind}: give {', '.join([*KINDS, *installed])}.")
    return load(installed[kind])


def known_connector(kind: str, location: str, settings: SourceSettings) -> Connector:
    """Return the connector of a registered source; if it cannot be made, one that says why when it is read."""
    try:
        return connector_of(kind, location, settings)
    except KnowledgeError as error:
        return Unreadable(kind, location, error)


def guessed(location: str, kind: str | None = None) -> tuple[str, str]:
    """Return the kind of a source, given or guessed from its location, and its normalised location."""
    kind = kind or _guessed_kind(location)
    if kind == "web":
        return kind, normal(location)
    return kind, str(Path(location).resolve()) if kind == "files" else location


def _guessed_kind(location: str) -> str:
    named = location.partition(":")[0]
    if named in ("notion", "loader", "slack") or named in installed_kinds():
        return named
    if location.endswith(".git") or location.startswith("git@"):
        return "git"
    if location.casefold().startswith(("http://", "https://")):
        return "web"
    if "://" in location:
        return "git"
    # What looks like a kind is taken for one, so that the error names the kinds.
    is_kind = _KIND.fullmatch(named) and named != location and named not in KINDS and not Path(location).exists()
    return named if is_kind else "files"
