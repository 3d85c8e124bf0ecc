"""The words of a text that carry its meaning, in a form in which two texts can be compared.

One stemmer serves every language (English, then German suffixes go), so that a word has the same stem wherever it
stands and nobody needs to know the language of a label or of a three-word question.
"""

import re
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")

ENGLISH = frozenset(
    _WORD.findall(
        """
        a about above after again all also am an and any are as at be been before being between both but by can
        could did do does doing don done down each few for from further get gets got had has have having he her
        here far long many much often hers him his how i if in into is isn it its just let ll me might more most
        must my no nor not now of off on once only onto or other our ours out over own please re same shall she
        should so some such t than that the their theirs them then there these they this those through to too under
        until up us ve very was we were what when where which while who whom whose why will with would yes you your
        yours
        """
    )
)
GERMAN = frozenset(
    _WORD.findall(
        """
        aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dann das dass dein
        deine dem den denn der des dich die dies diese dieser dieses dir doch du durch ein eine einem einen einer
        eines er es etwas euch euer für gibt hab habe haben hat hatte ich ihr ihre im in ins ist ja kann kannst
        kein keine können könnte man mein meine meinem meinen meiner mich mir mit muss nach nein nicht noch nur ob
        oder ohne schon sein seine sich sie sind so soll sollte über um und uns unser unsere unter vom von vor wann
        war waren warum was welche welchem welchen welcher welches wenn wer werden wie wieso will wir wird wo wurde
        lange oft viel viele wieviel zu zum zur
        """
    )
)
STOP_WORDS = ENGLISH | GERMAN
_SPELLED = (
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
)
NUMBER_WORDS = {word: str(number) for row in _SPELLED for number, word in enumerate(row)}


def words(text: str) -> list[str]:
    """Return the words as they are written, in lower case, without possessives."""
    return [re.sub(r"['’]s?$", "", word) for word in _WORD.findall(text.casefold())]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    for language in ("english", "german"):
        word = snowballstemmer.stemmer(language).stemWord(word)
    return word


def content_words(text: str) -> list[str]:
    """Return the stems of all words but the most frequent ones, in order, repeated as they are."""
    return list(_content_words(text))


def language_of(text: str) -> str:
    """Return "de" or "en", whichever language's small words occur more often; "en" where neither does."""
    found = words(text)
    return "de" if sum(word in GERMAN - ENGLISH for word in found) > sum(word in ENGLISH for word in found) else "en"


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


def _plain(number: str) -> str:
    joined = _THOUSANDS.sub("", number).replace(",", ".")
    return joined.lstrip("0") or "0"
