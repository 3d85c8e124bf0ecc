"""The phrases before or behind a question that say how much work its answer is worth (pure)."""

from typing import Final, NamedTuple

from graph import patterns
from graph.state import PresetName


class Wish(NamedTuple):
    """A question, and the preset that a phrase of it asks for."""

    question: str
    """Without the phrase."""
    preset: PresetName
    phrase: str


_THOROUGH: Final = r"thorough(?:ly)?|thorough answer|grundlich|grundliche antwort|minucioso|minuciosamente"
_HOW: Final = rf"quick(?:ly)?|quick answer|schnell|schnelle antwort|rapido|rapidamente|{_THOROUGH}"
_PLEASE: Final = r"please|bitte|por favor"
_ORDER: Final = rf"(?:(?:{_PLEASE}),?\s+)?(?:be|sei|seja)\s+(?:{_HOW})"
_LEADING: Final = patterns.compile(
    rf"^\s*(?P<wish>(?:{_HOW})(?:,?\s+(?:{_PLEASE}))?\s*:|{_ORDER}\s*[:,])\s", patterns.IGNORE_CASE
)
_TRAILING: Final = patterns.compile(
    rf"[.?!,;–—\n]\s*(?P<wish>(?:{_ORDER}|(?:{_HOW}),?\s+(?:{_PLEASE}))(?:,?\s+(?:{_PLEASE}))?)[.!\s]*$",
    patterns.IGNORE_CASE,
)
_IS_THOROUGH: Final = patterns.compile(rf"\b(?:{_THOROUGH})\b", patterns.IGNORE_CASE)
_LONGEST: Final = 60
"""Characters at either end in which such a phrase stands."""


def wish_in(question: str) -> Wish | None:
    """Return what a phrase before or behind a question asks for; a question that is nothing else asks for nothing."""
    if found := _LEADING.match(question[:_LONGEST]):
        return _wish(question[found.end() :], found["wish"])
    begins = max(0, len(question) - _LONGEST)
    if found := _TRAILING.search(question[begins:]):
        return _wish(question[: begins + found.start("wish")], found["wish"])
    return None


def _wish(rest: str, phrase: str) -> Wish | None:
    question = rest.strip().rstrip(" ,;–—\n")
    preset: PresetName = "thorough" if _IS_THOROUGH.search(phrase) else "quick"
    return Wish(question, preset, phrase.rstrip(" :,")) if any(map(str.isalnum, question)) else None
