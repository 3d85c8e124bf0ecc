"""The words of a text, stemmed so that two texts can be compared.

One stemmer serves every language: it removes English, then German suffixes. So a word always has the same stem, and
the language of a label or of a three-word question need not be known.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache

import snowballstemmer

from graph import patterns
from graph.text.lexicon import NUMBER_WORDS, SHARED_WITH_ENGLISH, SMALL_WORDS, STOP_WORDS
from graph.text.values import readings

_WORD = patterns.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_NUMBER = patterns.compile(r"\d+(?:[.,]\d+)*")


class _Spaced(dict[int, str]):
    """A table that keeps letters and digits, makes all apostrophes one, and maps everything else to a space."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = "'" if letter in patterns.APOSTROPHES else letter if letter.isalnum() else " "
        return self[code]


_SPACED = _Spaced()


def words(text: str) -> list[str]:
    """Return the words in lower case, without possessives."""
    # All documents pass here. A table takes a tenth of a pattern's time.
    tokens = text.casefold().translate(_SPACED).split()
    return [word for token in tokens for word in ([token] if token.isalnum() else _words_of(token))]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    for language in ("english", "german"):
        word = snowballstemmer.stemmer(language).stemWord(word)
    return word


def without_accents(text: str) -> str:
    """Return a text with plain letters, as people type it who leave accents out."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def holds(text: str, phrase: str) -> bool:
    """Tell whether a text has the words of a phrase, one after the other; punctuation and capitals do not matter."""
    found = words(phrase)
    return bool(found) and f" {' '.join(found)} " in f" {' '.join(words(text))} "


def content_words(text: str) -> list[str]:
    """Return the stems of all words except stop words, in order, with repetitions."""
    return list(_content_words(text))


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the stems of all words except stop words."""
    return frozenset(_content_words(text))


@lru_cache(maxsize=1024)
def language_of(text: str, default: str = "en") -> str:
    """Return the code of the language whose small words occur most often; the default if none occurs.

    Words of English count for nothing if German or Portuguese has all of them, and others in the text: "Was kostet der
    Tarif?".
    """
    found = words(text)
    counts = {language: sum(word in small for word in found) for language, small in SMALL_WORDS.items()}
    english = SMALL_WORDS["en"].intersection(found)
    for language, shared in SHARED_WITH_ENGLISH.items():
        # Letters tell no language: an e-mail has a Portuguese "e".
        own = [word for word in found if len(word) > 1 and word in SMALL_WORDS[language]]
        if own and english <= shared:
            counts["en"] = 0
    likeliest = max(counts, key=lambda language: counts[language])
    return likeliest if counts[likeliest] else default


def quantities(text: str) -> set[str]:
    """Return the numbers of a text, whether in digits or words, in one form each: "1,500" and "1.500" are 1500."""
    return {forms[0] for forms in _forms(text)}


def unknown_quantities(text: str, known: Iterable[str]) -> set[str]:
    """Return the numbers in a text's digits that no other text has.

    Beside "1.5", "1.500" may be the same, and "1,500" is a thousand times as much.
    """
    held = {way for other in known for forms in _forms(other) for way in _ways(forms)}
    return {forms[0] for forms in _forms_in_digits(text) if held.isdisjoint(_ways(forms))}


@lru_cache(maxsize=1024)
def _forms(text: str) -> tuple[tuple[str, ...], ...]:
    # Cached, because each sentence of a draft is compared with the same passages.
    spelled = ((NUMBER_WORDS[word], "") for word in words(text) if word in NUMBER_WORDS)
    return (*_forms_in_digits(text), *spelled)


def _forms_in_digits(text: str) -> Iterator[tuple[str, ...]]:
    """Yield what each number may be, the largest first, and its last separator; a version is itself."""
    for written in _NUMBER.findall(text):
        separator = next((sign for sign in reversed(written) if sign in ".,"), "")
        read = [_plain(amount) for amount in sorted(readings(written), reverse=True)]
        yield (*(read or [written]), separator)


def _ways(forms: tuple[str, ...]) -> set[str]:
    """Return how a number may be read. The likeliest reading always counts; the others, for numbers written alike."""
    *read, separator = forms
    return {read[0], *(f"{one} by {separator}" for one in read)}


def _plain(amount: Decimal) -> str:
    written = f"{amount:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


@lru_cache(maxsize=4096)
def _content_words(text: str) -> tuple[str, ...]:
    # Cached, because many questions are compared with the same passages.
    return tuple(stem(word) for word in words(text) if word not in STOP_WORDS)


def _words_of(token: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(token)]
