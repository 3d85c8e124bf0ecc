"""Connectors of other packages, which Python's entry points name (docs/connectors.md).

A package is code that the operator installed, so it is trusted like Askback itself. It may be broken all the same:
it is loaded only for a source of its kind, and whatever it raises is one line.
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Final, TypeAlias, cast

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.connectors.source_settings import SourceSettings

GROUP: Final = "askback.connectors"
Maker: TypeAlias = Callable[[str, SourceSettings], Connector]
"""Makes the connector of a location. Raises `KnowledgeError` if the location cannot be a source."""
_LONGEST_REASON: Final = 200


def installed_kinds() -> dict[str, EntryPoint]:
    """Return the kinds that installed packages offer, by name, without loading them."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def load(entry: EntryPoint) -> Maker:
    """Return what makes connectors of a kind. Raises `KnowledgeError` if its package cannot be loaded."""
    try:
        maker = entry.load()
    except (Exception, SystemExit) as error:
        raise _broken(entry, "cannot be loaded", error) from error
    if not callable(maker):
        raise KnowledgeError(f"The connector {entry.name} {_origin_of(entry)} is no function: {entry.value}.")

    def made(location: str, settings: SourceSettings) -> Connector:
        try:
            return cast("Maker", maker)(location, settings)
        except KnowledgeError:
            raise
        except Exception as error:
            raise _broken(entry, "breaks", error) from error

    return made


def _broken(entry: EntryPoint, how: str, error: BaseException) -> KnowledgeError:
    why = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_REASON]
    return KnowledgeError(f"The connector {entry.name} {_origin_of(entry)} {how} ({why}).")


def _origin_of(entry: EntryPoint) -> str:
    return f"of the package {entry.dist.name}" if entry.dist else f"at {entry.value}"
