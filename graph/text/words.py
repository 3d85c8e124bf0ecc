"""The words of a text that carry its meaning, in a form in which two texts can be compared.

One stemmer serves every language (English, then German suffixes go), so that a word has the same stem wherever it
stands and nobody needs to know the language of a label or of a three-word question.
"""

from functools import lru_cache

import snowballstemmer

from graph import patterns
from graph.text.lexicon import NUMBER_WORDS, SMALL_WORDS, STOP_WORDS

_WORD = patterns.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_APOSTROPHES = ("'", "’")
_NUMBER = patterns.compile(r"\d+(?:[.,]\d+)*")
_THOUSAND = 3
"""Digits of a group behind a separator."""


class _Spaced(dict[int, str]):
    """A table that leaves letters, digits and apostrophes, and makes anything else a space."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = letter if letter.isalnum() or letter in _APOSTROPHES else " "
        return self[code]


_SPACED = _Spaced()


def words(text: str) -> list[str]:
    """Return the words as they are written, in lower case, without possessives."""
    # All documents pass here; a table takes a tenth of the time that a pattern would.
    tokens = text.casefold().translate(_SPACED).split()
    return [word for token in tokens for word in ([token] if token.isalnum() else _words_of(token))]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    for language in ("english", "german"):
        word = snowballstemmer.stemmer(language).stemWord(word)
    return word


def content_words(text: str) -> list[str]:
    """Return the stems of all words but the most frequent ones, in order, repeated as they are."""
    return list(_content_words(text))


def language_of(text: str, default: str = "en") -> str:
    """Return the code of the language whose own small words occur most often; the default if none does."""
    found = words(text)
    counts = {language: sum(word in small for word in found) for language, small in SMALL_WORDS.items()}
    likeliest = max(counts, key=lambda language: counts[language])
    return likeliest if counts[likeliest] else default


def numbers(text: str) -> set[str]:
    """Return the numbers in digits, without thousands' separators and leading zeros, decimals with a point."""
    return {_plain(number) for number in _NUMBER.findall(text)}


def spelled_numbers(text: str) -> set[str]:
    """Return the numbers that are written as words, in digits."""
    return {NUMBER_WORDS[word] for word in words(text) if word in NUMBER_WORDS}


def quantities(text: str) -> set[str]:
    """Return the numbers of a text, in digits or spelled."""
    return numbers(text) | spelled_numbers(text)


@lru_cache(maxsize=4096)
def _content_words(text: str) -> tuple[str, ...]:
    # The same passages and sentences are compared with question after question.
    return tuple(stem(word) for word in words(text) if word not in STOP_WORDS)


def _words_of(token: str) -> list[str]:
    return [word[:-2] if word.endswith(("'s", "’s")) else word for word in _WORD.findall(token)]


def _plain(number: str) -> str:
    first, *groups = number.replace(",", ".").split(".")
    joined = first + "".join(group if len(group) == _THOUSAND else f".{group}" for group in groups)
    return joined.lstrip("0") or "0"
