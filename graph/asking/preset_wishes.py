"""Phrases like "quickly:" or "be thorough" before or after a question, which choose a preset (pure)."""

from typing import Final, NamedTuple

from graph import patterns
from graph.state import PresetName


class Wish(NamedTuple):
    """A question, and the preset that one of its phrases asks for."""

    question: str
    """The question without the phrase."""
    preset: PresetName
    phrase: str
    """The phrase, which may yet be a part of the question."""


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
"""Such a phrase is within this many characters of either end."""


def wish_in(question: str) -> Wish | None:
    """Return the preset that a phrase asks for; `None` without a phrase, or if there is nothing else."""
    if found := _LEADING.match(question[:_LONGEST]):
        return _wish(question[found.end() :], found["wish"])
    begins = max(0, len(question) - _LONGEST)
    if found := _TRAILING.search(question[begins:]):
        return _wish(question[: begins + found.start("wish")], found["wish"])
    return None


def _wish(rest: str, phrase: str) -> Wish | None:
    question = rest.strip().rstrip(" ,;–—\n")
    preset: PresetName = "thorough" if _IS_THOROUGH.search(phrase) else "quick"
    return Wish(question, preset, phrase.rstrip(" ,:")) if any(map(str.isalnum, question)) else None
