"""Misspelt English words in a question, corrected by what the documents say, or by a vocabulary.

A model reads over a slip; a search does not. A word that neither the documents found nor the vocabulary know becomes
a word with two letters in each other's place ("mnay"), or a word of these documents that is nearly the same, or a word
of the vocabulary from which only a doubled letter tells it apart: other changes would make "point" of "pint".

A name that ends with a number is written as the documents write it, in any language: "sev1" is "SEV-1" there.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from graph import patterns
from graph.passages import Passage
from graph.text.words import STOP_WORDS, language_of, words

SHORTEST: Final = 4
"""Letters of a word that may be corrected."""
LONG: Final = 8
"""From so many letters on, a word of the documents may differ in two places, not in one."""
SHORTEST_DOUBLED: Final = 5
"""Letters of a word that may have a doubled letter too few or too many: "bots" are no boots."""

MOST_UNKNOWN: Final = 8
"""A question with more unknown words is a log, or in a language of its own; it stays as it is."""

_WORD = patterns.compile(r"[^\W\d_]+")
_NUMBERED = patterns.compile(r"\b(?P<name>[^\W\d_]{2,})(?P<apart>[ -]?)(?P<number>\d{1,4})\b")
"""A name with its number, as one word or as two."""


class Spelling:
    """Corrects questions by a vocabulary, whose words are ordered by frequency, the most frequent first."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary

    def corrected(self, question: str, passages: list[Passage]) -> str:
        """Return the question without misspelt words, which are corrected in English only."""
        question = _numbered_alike(question, passages)
        if language_of(question) != "en":
            return question
        strange = {word for word in words(question) if self._is_strange(word)}
        if not strange:
            return question
        told = _told(passages)
        unknown = strange - told.keys()
        if not 0 < len(unknown) <= MOST_UNKNOWN:
            return question
        return _WORD.sub(
            lambda found: self._spelt(found[0], told) if _plain(found[0]) in unknown else found[0], question
        )

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._vocabulary)

    def _is_strange(self, word: str) -> bool:
        is_word = word.isascii() and word.isalpha() and len(word) >= SHORTEST
        return is_word and word not in self._known and word not in STOP_WORDS

    def _spelt(self, written: str, told: dict[str, str]) -> str:
        """Return the word that was meant, as the documents write it; the same word if none comes near."""
        word = _plain(written)
        of_documents = list(_near(word, list(told), most=2 if len(word) >= LONG else 1))
        of_vocabulary = list(_near(word, self._vocabulary, most=1))
        swapped = (other for other in (*of_documents, *of_vocabulary) if sorted(other) == sorted(word))
        doubled = (other for other in of_vocabulary if _is_doubled(word, other))
        meant = next(chain(swapped, of_documents, doubled), None)
        return told.get(meant, meant) if meant else written


def _numbered_alike(question: str, passages: list[Passage]) -> str:
    """Return the question with names that end with a number as the passages write them, if they all do otherwise."""
    asked = [found for found in _NUMBERED.finditer(question) if found["name"].casefold() not in STOP_WORDS]
    if not asked:
        return question
    written: dict[str, dict[bool, str]] = {}
    for found in (found for text in _texts(passages) for found in _NUMBERED.finditer(text)):
        written.setdefault(_joined(found), {}).setdefault(bool(found["apart"]), found[0])
    for found in reversed(asked):
        ways = written.get(_joined(found), {})
        if ways and bool(found["apart"]) not in ways:
            question = f"{question[: found.start()]}{next(iter(ways.values()))}{question[found.end() :]}"
    return question


def _joined(numbered: patterns.Match) -> str:
    return _plain(f"{numbered['name']}{numbered['number']}")


def _told(passages: list[Passage]) -> dict[str, str]:
    """Return the passages' words, in lower case, as they are first written."""
    written = (found[0] for text in _texts(passages) for found in _WORD.finditer(text))
    return {_plain(word): word for word in reversed(list(written))}


def _texts(passages: list[Passage]) -> Iterator[str]:
    return (" ".join([passage["title"], *passage["heading_path"], passage["text"]]) for passage in passages)


def _near(word: str, others: Sequence[str], *, most: int) -> Iterator[str]:
    """Yield words with the same first letter that differ in at most so many places, the nearest first.

    Two letters in each other's place are one difference (optimal string alignment).
    """
    found = process.extract(word, others, scorer=OSA.distance, score_cutoff=most, limit=None)
    alike = ((distance, place, other) for other, distance, place in found if other[:1] == word[0])
    return (other for _, _, other in sorted(alike))


def _is_doubled(word: str, meant: str) -> bool:
    """Tell whether two words differ only in a doubled letter."""
    shorter, longer = sorted((word, meant), key=len)
    places = (place for place in range(1, len(longer)) if longer[place] == longer[place - 1])
    return len(word) >= SHORTEST_DOUBLED and any(longer[:at] + longer[at + 1 :] == shorter for at in places)


def _plain(word: str) -> str:
    return word.casefold()
