"""A thesaurus of everyday and working-life words, so that a question finds what says the same with other words.

`thesaurus.txt` holds one concept a line: English words, then those of other languages. A question's words are looked up
in its own language, and a text's in the text's: a German "Tag" is no English tag. Only what may match is stemmed,
because the file has some 75,000 words and phrases.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import snowballstemmer

from graph.search import LONGEST_QUERY
from graph.text.words import STOP_WORDS, language_of, stem, stems, without_accents, words

_FILE: Final = Path(__file__).with_suffix(".txt")
_STEMMERS: Final = {"en": "english", "de": "german", "pt": "portuguese", "es": "spanish", "fr": "french"}
_EVERYWHERE: Final = "en"
"""The language whose words people mix into every other."""
_LONGEST: Final = 4
"""Words of a phrase that is looked up."""
_SENSES: Final = 4
"""Concepts of one word. A word with more says too little."""
_LETTERS: Final = 3
"""Letters, without accents, that a word shares with its inflected forms."""

Stems = frozenset[str]
Concept = dict[str, list[str]]
"""The words and phrases of each language that mean nearly the same."""
_Entry = tuple[str, str, Concept]
"""The first word that counts, the phrase, its concept."""


class _Meant(NamedTuple):
    """A word or phrase of a question, and what it may mean."""

    own: Stems
    concepts: list[Concept]
    kind: Stems = frozenset()
    """Of an English phrase such as "maternity leave": what tells it from other kinds of its last word."""
    kinds: Sequence[str] = ()
    """Each phrase for a kind of the same, by the stems of its words."""


class Wording:
    """A question, read once for all texts that it is compared with."""

    def __init__(self, meant: Iterable[_Meant] = ()) -> None:
        self._others: dict[str, dict[str, list[tuple[Stems, Stems]]]] = {}
        """For each language: by a stem, each form with it, and the question's stems that it stands for."""
        self._kinds: list[_Meant] = []
        for one in meant:
            own, concepts = one.own, one.concepts
            if one.kind:
                self._kinds.append(one)
            for language, form in _forms(concepts):
                by_stem = self._others.setdefault(language, defaultdict(list))
                by_stem[min(form)].append((form, own))

    def with_meant(self, held: Stems, language: str) -> Stems:
        """Return the stems of a text, with the question's stems that it says in other words."""
        said = {
            stem
            for by_stem in (self._others.get(each, {}) for each in {language, _EVERYWHERE})
            for shared in by_stem.keys() & held
            for form, own in by_stem[shared]
            if form <= held
            for stem in own
        }
        return held | said

    def is_of_another_kind(self, likeliest: str, texts: Sequence[tuple[Stems, str]]) -> bool:
        """Tell whether the likeliest text names another kind than the question, and no text knows the question's.

        "Annual leave" is no maternity leave, "leave" may be. A text is its stems and its language.
        """
        unknown = [
            kinds
            for own, _, kind, kinds in self._kinds
            if all(kind.isdisjoint(held) and not own <= self.with_meant(held, language) for held, language in texts)
        ]
        said = _in_stems(likeliest) if unknown else ""
        return any(f" {phrase} " in f" {said} " for kinds in unknown for phrase in kinds)


class Thesaurus:
    """Concepts, found by their words."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._near: dict[tuple[str, str], list[_Entry]] = defaultdict(list)
        self._ending: dict[str, list[str]] = defaultdict(list)
        """The English phrases, by the first letters of their last word."""
        for concept in map(_concept, lines):
            for language, phrases in concept.items():
                for phrase in phrases:
                    first = _first(phrase)
                    self._near[language, first[:_LETTERS]].append((first, phrase, concept))
                    if language == _EVERYWHERE and " " in phrase:
                        self._ending[phrase[phrase.rindex(" ") + 1 :][:_LETTERS].casefold()].append(phrase)

    def read(self, question: str) -> Wording:
        """Return what says the same as the words of a question."""
        every = words(question)
        counting = [word for word in every if word not in STOP_WORDS]
        return Wording(self._meant(counting, language_of(question), " ".join(every)))

    def _meant(self, counting: list[str], language: str, said: str) -> Iterator[_Meant]:
        place, read = 0, set[Stems]()
        while place < len(counting):
            length, concepts = self._longest(counting[place : place + _LONGEST], language)
            own = stems(" ".join(counting[place : place + length]))
            if len(concepts) <= _SENSES and own not in read:
                read.add(own)
                phrase = counting[place : place + length]
                # The last word of an English phrase says what it is, if no small word stands within.
                is_kind = language == _EVERYWHERE and concepts and " ".join(phrase) in said
                kind = stems(" ".join(phrase[:-1])) if is_kind else frozenset[str]()
                yield _Meant(own, concepts, kind, self._kinds_of(phrase[-1]) if kind else ())
            place += length

    def _kinds_of(self, thing: str) -> list[str]:
        """Return each English phrase for a kind of a thing, by the stems of its words; without "leave without pay"."""
        ending = self._ending.get(thing[:_LETTERS], [])
        named = [every for every in map(words, ending) if every and stem(every[-1]) == stem(thing)]
        return [_in_stems(" ".join(every)) for every in named if STOP_WORDS.isdisjoint(every)]

    def _longest(self, following: list[str], language: str) -> tuple[int, list[Concept]]:
        """Return how many of these words are a phrase, at least one, and its concepts."""
        for sought in dict.fromkeys((language, _EVERYWHERE)):
            first = without_accents(following[0])
            near = [one for one in self._near.get((sought, first[:_LETTERS]), []) if _may_be_of_one_stem(one[0], first)]
            for length in range(len(following) if near else 0, 0, -1):
                stemmed = tuple(_stem(word, sought) for word in following[:length])
                concepts = {id(concept): concept for _, phrase, concept in near if _stemmed(phrase, sought) == stemmed}
                if concepts:
                    return length, list(concepts.values())
        return 1, []


@cache
def thesaurus() -> Thesaurus:
    """Return the thesaurus of the file, which is read once."""
    return Thesaurus(_FILE.read_text("utf-8").splitlines())


@lru_cache(maxsize=64)
def wording_of(question: str) -> Wording:
    """Return what says the same as the words of a question, from the file. Of a long one, the beginning is read."""
    return thesaurus().read(question[:LONGEST_QUERY])


def _concept(line: str) -> Concept:
    english, *others = line.split(" | ")
    named = [(_EVERYWHERE, english), *((part[:2], part[3:]) for part in others)]
    return {language: phrases.split(", ") for language, phrases in named}


def _forms(concepts: list[Concept]) -> set[tuple[str, Stems]]:
    """Return the stems of each word and phrase, with its language."""
    return {
        (language, stems(phrase))
        for concept in concepts
        for language, phrases in concept.items()
        for phrase in phrases
        if _counting(phrase)
    }


def _in_stems(text: str) -> str:
    return " ".join(stem(word) for word in words(text))


def _first(phrase: str) -> str:
    """Return the first word that counts, without accents."""
    if phrase.isalpha():
        return without_accents(phrase.casefold())
    # Not `words`, which takes seconds for all phrases.
    spaced = phrase.casefold().replace("-", " ").split()
    return without_accents(next((word for word in spaced if word not in STOP_WORDS), ""))


def _may_be_of_one_stem(one: str, other: str) -> bool:
    """Tell whether two words differ in their endings only, without stemming them, which takes time."""
    shared = max(_LETTERS, min(len(one), len(other)) - _LETTERS)
    return one[:shared] == other[:shared]


@lru_cache(maxsize=20_000)
def _stemmed(phrase: str, language: str) -> tuple[str, ...]:
    return tuple(_stem(word, language) for word in _counting(phrase))


@lru_cache(maxsize=20_000)
def _counting(phrase: str) -> tuple[str, ...]:
    """Return the words of a phrase that count; none if only one of several is left ("put in order", "p.a.")."""
    every = words(phrase)
    counting = tuple(word for word in every if word not in STOP_WORDS and len(word) > 1)
    return counting if len(counting) > 1 or len(every) == 1 else ()


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    # People leave accents out.
    return without_accents(snowballstemmer.stemmer(_STEMMERS[language]).stemWord(word))
