r"""Regular expressions whose time is linear in the length of the text (RE2).

Python's own engine backtracks: 39,000 line breaks keep it, and the whole process, busy for minutes. RE2 reads a text
once. It has no look-around and no back-references, and `\w` knows ASCII only. So this module first maps text and
pattern to ASCII, letter by letter. Then `\w`, `\b` and `[A-Z]` work in every Latin script, "fur" matches "für", and a
letter of another script is an "x". An apostrophe is "'" or "’", whatever typed it. Each character keeps its place, so a
match returns the original text.

A pattern with context names its match: `(?:^|\D)(?P<it>\d{4})(?:\D|$)` matches only `it`, and the character before it
may belong to the match before. The context after `it` must have a bounded length.
"""

import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

import re2

IGNORE_CASE: Final = "i"
MULTI_LINE: Final = "m"
DOT_ALL: Final = "s"

APOSTROPHES: Final = "'’‘´ʼ"
"""As a keyboard, a telephone and a word processor write them; a backtick marks code."""
_APOSTROPHE: Final = "’"
_OPENING: Final = "‘"
"""An apostrophe only between letters."""
_SIGNS: Final = "’‘‚“”„…–—•·【】†›☺€£¥−×÷≈»°©→：。！？．｡"
"""Non-ASCII signs that patterns may use; ☺ stands for every pictograph. All other signs look the same."""
_OTHER_SIGN: Final = "\xbf"
_LETTERS: Final = {"ß": "s", "ẞ": "S", "æ": "a", "Æ": "A", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
_ENCODING: Final = "latin-1"
_IT: Final = "it"
_RULES_SEE: Final = 2_000


class Match:
    """One match of a pattern in a text."""

    def __init__(self, text: str, span_of: Callable[[int], tuple[int, int]], groups: dict[str, int]) -> None:
        self._text = text
        self._span_of = span_of
        self._groups = groups
        self._whole = groups.get(_IT, 0)

    def __getitem__(self, group: int | str) -> str:
        """Return a group's text; empty if the group did not take part."""
        begins, ends = self.span(group)
        return self._text[begins:ends] if begins >= 0 else ""

    def get(self, group: str) -> str:
        """Return a named group's text; empty also if the pattern has no such group."""
        return self[group] if group in self._groups else ""

    def has(self, group: int | str) -> bool:
        """Tell whether a group took part in the match."""
        return self.start(group) >= 0

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return a group's begin and end; -1 twice if it did not take part."""
        return self._span_of(self._groups[group] if isinstance(group, str) else group or self._whole)

    def start(self, group: int | str = 0) -> int:
        """Return a group's begin."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Return a group's end."""
        return self.span(group)[1]


class Pattern:
    """A regular expression. It is compiled at its first use, because a process uses few of all rules."""

    def __init__(self, pattern: str, flags: str = "") -> None:
        self.pattern = pattern
        self.flags = flags

    def search(self, text: str) -> Match | None:
        """Return the first match."""
        if _IT in self._groups:
            return next(self.finditer(text), None)
        found = self._compiled.search(_read(text))
        return Match(text, found.span, self._groups) if found else None

    def match(self, text: str) -> Match | None:
        """Return the match at the beginning of the text."""
        found = self._compiled.match(_read(text))
        return Match(text, found.span, self._groups) if found else None

    def fullmatch(self, text: str) -> Match | None:
        """Return the match if it covers the whole text."""
        found = self._compiled.fullmatch(_read(text))
        return Match(text, found.span, self._groups) if found else None

    def finditer(self, text: str, begins: int = 0, ends: int | None = None) -> Iterator[Match]:
        """Yield all matches, without overlaps."""
        read = _read_again(text) if begins else _read(text)
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
        """Return the text of all matches, or of their first group."""
        group = min(self._compiled.groups, 1)
        return [match[group] for match in self.finditer(text)]

    def sub(self, by: str | Callable[[Match], str], text: str, count: int = 0) -> str:
        """Return the text with its matches replaced. A replacement string is literal."""
        parts: list[str] = []
        end = 0
        for number, match in enumerate(self.finditer(text), 1):
            parts += [text[end : match.start()], by if isinstance(by, str) else by(match)]
            end = match.end()
            if number == count:
                break
        return "".join([*parts, text[end:]])

    def split(self, text: str) -> list[str]:
        """Return the texts between the matches."""
        spans = [match.span() for match in self.finditer(text)]
        begins, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
        return [text[start:end] for start, end in zip(begins, ends, strict=True)]

    @cached_property
    def _compiled(self) -> "re2._Regexp":  # pyright: ignore[reportPrivateUsage] - re2 names it so.
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


def any_of(*several: Pattern) -> Pattern:
    """Return a pattern that is found in a text if one of several is. It has no groups, so it is fast."""
    bare = (f"(?{one.flags}:{_GROUP_NAME.sub('(?:', one.pattern)})" for one in several)
    return Pattern("|".join(bare))


_GROUP_NAME: Final = Pattern(r"\(\?P<\w+>")


def escape(text: str) -> str:
    """Return a pattern that matches exactly this text."""
    return "".join(
        letter if letter.isalnum() or letter.isspace() or not letter.isascii() else f"\\{letter}" for letter in text
    )


def skimmed(text: str) -> str:
    """Return the part of a message that rules read: of a long one only the beginning and the end."""
    if len(text) <= 2 * _RULES_SEE:
        return text
    text = " ".join(text.split())
    return text if len(text) <= 2 * _RULES_SEE else f"{text[:_RULES_SEE]} … {text[-_RULES_SEE:]}"


class _Reading(dict[int, str]):
    """The ASCII form of each character, computed once."""

    def __missing__(self, code: int) -> str:
        self[code] = _one_letter(chr(code))
        return self[code]


_READING: Final = _Reading()


def _read(text: str) -> bytes:
    return text.encode(_ENCODING) if text.isascii() else _read_beyond_ascii(text)


@lru_cache(maxsize=1)
def _read_again(text: str) -> bytes:
    # A search that goes on behind each match would otherwise read a long text as often as it has matches.
    return _read(text)


@lru_cache(maxsize=512)
def _read_beyond_ascii(text: str) -> bytes:
    # Cached, because a hundred rules read one question.
    return _with_apostrophes(text).translate(_READING).encode(_ENCODING)


def _with_apostrophes(text: str) -> str:
    first, *others = text.split(_OPENING)
    signs = (
        _APOSTROPHE if before[-1:].isalpha() and after[:1].isalpha() else _OPENING
        for before, after in pairwise([first, *others])
    )
    return "".join([first, *(f"{sign}{other}" for sign, other in zip(signs, others, strict=True))])


def _one_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter.isspace():
        return " "
    if letter in APOSTROPHES and letter != _OPENING:
        letter = _APOSTROPHE
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
