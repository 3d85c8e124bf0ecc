r"""Regular expressions whose time grows with the text, and never with its square.

Python's own engine tries again and again: 39,000 line breaks hold it, and with it the whole process, for minutes. RE2
reads a text once. It has no look-around and no back-references, and of words it knows ASCII only. So text and pattern
are read letter by letter in ASCII first: `\w`, `\b` and `[A-Z]` then mean in every Latin script what they say, "für" is
found also where somebody types "fur", and a letter of another script is an "x". What is found is returned as it stands
in the text, for each character keeps its place.

A pattern that looks around names what it finds: of `(?:^|\D)(?P<it>\d{4})(?:\D|$)` only `it` is found, and the one
character before it may belong to what was found before. What stands after it must not be of any length.
"""

import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Final

import re2

IGNORE_CASE: Final = "i"
MULTI_LINE: Final = "m"
DOT_ALL: Final = "s"

_SIGNS: Final = "’‘‚“”„…–—•·【】†›☺€£¥−×÷≈»°©→：。！？"
"""Signs beyond ASCII that patterns name; ☺ stands for every pictograph. Any other sign is only itself a sign."""
_OTHER_SIGN: Final = "\xbf"
_LETTERS: Final = {"ß": "s", "ẞ": "S", "æ": "a", "Æ": "A", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
_ENCODING: Final = "latin-1"
_IT: Final = "it"
_RULES_SEE: Final = 2_000


class Match:
    """Where a pattern was found in a text, and what stands there."""

    def __init__(self, text: str, span_of: Callable[[int], tuple[int, int]], groups: dict[str, int]) -> None:
        self._text = text
        self._span_of = span_of
        self._groups = groups
        self._whole = groups.get(_IT, 0)

    def __getitem__(self, group: int | str) -> str:
        """Return what a group has found; empty if it has no part in it."""
        begins, ends = self.span(group)
        return self._text[begins:ends] if begins >= 0 else ""

    def get(self, group: str) -> str:
        """Return what a named group has found; empty also if the pattern has no such group."""
        return self[group] if group in self._groups else ""

    def has(self, group: int | str) -> bool:
        """Tell whether a group has a part in what was found."""
        return self.start(group) >= 0

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return where a group begins and ends; -1 twice if it has no part in it."""
        return self._span_of(self._groups[group] if isinstance(group, str) else group or self._whole)

    def start(self, group: int | str = 0) -> int:
        """Return where a group begins."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Return where a group ends."""
        return self.span(group)[1]


class Pattern:
    """A regular expression; compiled when it is first used, for most rules of a process never are."""

    def __init__(self, pattern: str, flags: str = "") -> None:
        self.pattern = pattern
        self.flags = flags

    def search(self, text: str) -> Match | None:
        """Return where the pattern is found first."""
        return next(self.finditer(text), None)

    def match(self, text: str) -> Match | None:
        """Return where the pattern is found at the beginning."""
        found = self._compiled.match(_read(text))
        return Match(text, found.span, self._groups) if found else None

    def fullmatch(self, text: str) -> Match | None:
        """Return what is found if the pattern is the whole text."""
        found = self._compiled.fullmatch(_read(text))
        return Match(text, found.span, self._groups) if found else None

    def finditer(self, text: str, begins: int = 0, ends: int | None = None) -> Iterator[Match]:
        """Yield all places where the pattern is found, which do not overlap."""
        read = _read(text)
        if _IT not in self._groups:
            yield from (Match(text, found.span, self._groups) for found in self._compiled.finditer(read, begins, ends))
            return
        done = begins
        while found := self._compiled.search(read, begins, ends):
            match = Match(text, found.span, self._groups)
            if match.start() >= done:
                done = match.end()
                yield match
            begins = max(done - 1, begins + 1)

    def findall(self, text: str) -> list[str]:
        """Return what is found, each as a whole, or its one group."""
        group = min(self._compiled.groups, 1)
        return [match[group] for match in self.finditer(text)]

    def sub(self, by: str | Callable[[Match], str], text: str, count: int = 0) -> str:
        """Return the text with what is found replaced; a string is taken as it is."""
        parts: list[str] = []
        end = 0
        for number, match in enumerate(self.finditer(text), 1):
            parts += [text[end : match.start()], by if isinstance(by, str) else by(match)]
            end = match.end()
            if number == count:
                break
        return "".join([*parts, text[end:]])

    def split(self, text: str) -> list[str]:
        """Return what stands between the places where the pattern is found."""
        spans = [match.span() for match in self.finditer(text)]
        begins, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
        return [text[start:end] for start, end in zip(begins, ends, strict=True)]

    @cached_property
    def _compiled(self) -> "re2._Regexp":  # pyright: ignore[reportPrivateUsage]
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.log_errors = False
        options.case_sensitive = IGNORE_CASE not in self.flags
        options.dot_nl = DOT_ALL in self.flags
        multi_line = "(?m)" if MULTI_LINE in self.flags else ""
        return re2.compile(_read(multi_line + self.pattern), options)

    @cached_property
    def _groups(self) -> dict[str, int]:
        return {name.decode(): number for name, number in self._compiled.groupindex.items()}


def compile(pattern: str, flags: str = "") -> Pattern:  # noqa: A001 (It is called as `patterns.compile`.)
    """Return a pattern."""
    return Pattern(pattern, flags)


def escape(text: str) -> str:
    """Return a pattern that finds just this text."""
    return "".join(
        letter if letter.isalnum() or letter.isspace() or not letter.isascii() else f"\\{letter}" for letter in text
    )


def skimmed(text: str) -> str:
    """Return what rules read of a message: of a long one only how it begins and how it ends, in single spaces."""
    if len(text) <= 2 * _RULES_SEE:
        return text
    text = " ".join(text.split())
    return text if len(text) <= 2 * _RULES_SEE else f"{text[:_RULES_SEE]} … {text[-_RULES_SEE:]}"


class _Reading(dict[int, str]):
    """How each character is read, worked out once."""

    def __missing__(self, code: int) -> str:
        self[code] = _one_letter(chr(code))
        return self[code]


_READING: Final = _Reading()


def _read(text: str) -> bytes:
    return text.encode(_ENCODING) if text.isascii() else _read_beyond_ascii(text)


@lru_cache(maxsize=512)
def _read_beyond_ascii(text: str) -> bytes:
    # One question is read by a hundred rules.
    return text.translate(_READING).encode(_ENCODING)


def _one_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter.isspace():
        return " "
    if letter.isalnum():
        return _LETTERS.get(letter) or _alphanumeric(letter)
    if "\u2600" <= letter <= "\u27bf" or "\U0001f000" <= letter <= "\U0001faff":
        letter = "☺"
    return chr(0x80 + _SIGNS.index(letter)) if letter in _SIGNS else _OTHER_SIGN


def _alphanumeric(letter: str) -> str:
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    base = unicodedata.normalize("NFKD", letter)[0]
    if base.isascii() and base.isalpha():
        return base
    return "X" if letter.isupper() else "x"
