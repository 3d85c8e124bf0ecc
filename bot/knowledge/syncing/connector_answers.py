"""What a connector answers: checked, because it may be of another package."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TypeVar, cast

import structlog

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes

T = TypeVar("T")

_logger = structlog.stdlib.get_logger(__name__)


async def checked(location: str, answer: Awaitable[T], require: Callable[[T], None]) -> T:
    """Return what the connector of a location answers.

    Raises `KnowledgeError` if it raises, or if `require` raises because the answer is malformed.
    """
    try:
        answered = await answer
        require(answered)
    except KnowledgeError:
        raise
    except Exception as error:
        # A connector that breaks must not stop the others.
        _logger.warning("connector_broke", source=location, error=type(error).__name__)
        raise KnowledgeError(f"Its connector broke ({type(error).__name__}): tell its author.") from error
    return answered


def require_changes(changes: object) -> None:
    """Raise `TypeError` if a connector returns something else, or texts that are none."""
    if not isinstance(changes, Changes):
        raise TypeError(type(changes).__name__)
    texts = [changes.cursor, *changes.paths, *changes.others, *(changes.gone or ()), *changes.saved.values()]
    texts += [*changes.unread, *(text for skipped in changes.skipped.items() for text in skipped)]
    require_texts(texts)


def require_texts(texts: object) -> None:
    """Raise an error if a connector returns something else than texts that the database can store."""
    if isinstance(texts, str) or not isinstance(texts, Collection):
        raise TypeError("It is no collection of texts.")
    for text in cast("Collection[object]", texts):
        if not isinstance(text, str) or "\0" in text:
            raise TypeError("A path, a name or the cursor is no text.")
        # Half a character raises here, and not in the middle of the reading.
        text.encode()


def require_names(names: object) -> None:
    """Raise `TypeError` if a connector returns something else than an audience's names, or None."""
    if names is not None:
        require_texts(names)


def require_readers(readers: object) -> None:
    """Raise `TypeError` if a connector returns something else than names of readers by path."""
    if not isinstance(readers, Mapping):
        raise TypeError(type(readers).__name__)
    answer = cast("Mapping[object, object]", readers)
    require_texts([*answer])
    for names in answer.values():
        require_texts(names)
