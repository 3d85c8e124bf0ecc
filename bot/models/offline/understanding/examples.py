"""Examples of what people write to a bot, by kind: the built-in ones, and those of a team's own file."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, get_args

from bot.errors import SettingsError

MessageKind: TypeAlias = Literal["greeting", "thanks", "closing", "itself", "outside", "question"]
Examples: TypeAlias = Mapping[str, MessageKind]
"""The kind of each example."""

KINDS: Final[tuple[MessageKind, ...]] = get_args(MessageKind)
MOST: Final = 500
"""Examples of a team's own: each is embedded at the first message after a start, and compared with each message."""
LONGEST: Final = 200
"""Characters of an example."""


@cache
def read_examples(path: Path | None = None) -> Examples:
    """Return the examples; a team's own ones count before built-in ones with the same words. A process reads once.

    Raises `SettingsError` that says what to fix in its file.
    """
    text = files("bot.models.offline.understanding").joinpath("examples.toml").read_text("utf-8")
    built_in = dict(_pairs(tomllib.loads(text)))
    own = _own(path) if path else {}
    said = set(map(_plain, own))
    return {**{text: kind for text, kind in built_in.items() if _plain(text) not in said}, **own}


def _own(path: Path) -> dict[str, MessageKind]:
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise _fault(path, f"cannot be read: {error.strerror or type(error).__name__}.") from None
    except ValueError as error:
        # Of TOML, the error tells the line; other encodings are no UTF-8.
        said = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is not in UTF-8"
        raise _fault(path, f"is no TOML: {said}.") from None
    if strange := sorted(given.keys() - set(KINDS)):
        raise _fault(path, f"has the kind “{strange[0]}”. The kinds are {', '.join(KINDS)}.")
    for kind, texts in given.items():
        _check(path, kind, texts)
    return _once(path, list(_pairs(given)))


def _check(path: Path, kind: str, texts: object) -> None:
    """Raise `SettingsError` if the examples of a kind are not a list of short texts."""
    if not isinstance(texts, list):
        raise _fault(path, f"must give a list of texts for {kind}.")
    for number, text in enumerate(cast("list[object]", texts), 1):
        if not isinstance(text, str) or not any(map(str.isalnum, text)):
            raise _fault(path, f"gives no text as example {number} of {kind}.")
        if len(text) > LONGEST:
            raise _fault(path, f"has an example of {kind} with more than {LONGEST} characters: “{text[:40]}…”.")


def _once(path: Path, pairs: list[tuple[str, MessageKind]]) -> dict[str, MessageKind]:
    """Return the kind of each text. Raises `SettingsError` if one has two kinds, or if there are too many."""
    kinds: dict[str, MessageKind] = {}
    for text, kind in pairs:
        if (other := kinds.setdefault(_plain(text), kind)) != kind:
            raise _fault(path, f"has “{text}” as {other} and as {kind}.")
    if len(kinds) > MOST:
        raise _fault(path, f"has {len(kinds)} examples; at most {MOST} are compared with each message.")
    return dict(pairs)


def _pairs(given: Mapping[str, object]) -> Iterator[tuple[str, MessageKind]]:
    for kind in KINDS:
        for text in cast("list[str]", given.get(kind, [])):
            yield text, kind


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _fault(path: Path, fault: str) -> SettingsError:
    return SettingsError(f"ASKBACK_EXAMPLES: {path} {fault}")
