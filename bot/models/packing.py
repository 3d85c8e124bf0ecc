"""Packs passages into a prompt: short ones whole, and the sentences of long ones that are relevant to the question.

Passages keep their order and so their numbers. Only passages at the end are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter

from sentencex import segment

from graph import patterns
from graph.passages import Passage
from graph.text.grounding import unwrapped
from graph.text.markdown import blocks_of_code
from graph.text.words import words

_OWN_LINE = patterns.compile(r"\s{0,40}(\||[-*+] |\d+[.)] |#|>|```)")
_GAP = " … "
_BYTES_PER_TOKEN = 4
_LEAST_TOKENS = 60
"""A passage that is cut shorter than this is useless."""
_LEAST_SHARE = 120
"""The fewest tokens of each passage before the last passages are left out."""
_STEM_LENGTH = 5


def tokens_of(text: str) -> int:
    """Estimate the tokens of `text`: a token is about four bytes of UTF-8, in English as in Japanese."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def clipped(text: str, limit: int) -> str:
    """Return the text, or its beginning, marked as cut, if it is longer than `limit` tokens."""
    return text if tokens_of(text) <= limit else _cut(text, limit)


def pack(question: str, passages: list[Passage], *, budget: int, longest: int = 700) -> list[Passage]:
    """Return the best passages, shortened to `longest` tokens each and `budget` tokens together.

    If not all passages fit, long ones are shortened before the last ones are left out: ten short rules say more than
    four pages.
    """
    packed: list[Passage] = []
    longest = min(longest, _share([tokens_of(passage["text"]) for passage in passages], budget))
    for passage in passages:
        room = min(longest, budget)
        if tokens_of(passage["text"]) > room and room < _LEAST_TOKENS:
            break
        text = compress(question, passage["text"], limit=room, language=passage["language"])
        packed.append({**passage, "text": text})
        budget -= tokens_of(text)
    return packed


def _share(sizes: list[int], budget: int) -> int:
    """Return the most tokens for each passage so that all fit, but at least `_LEAST_SHARE`."""
    left, waiting = budget, sorted(sizes)
    for place, size in enumerate(waiting):
        share = left // (len(waiting) - place)
        if size > share:
            return max(share, _LEAST_SHARE)
        left -= size
    return budget


def compress(question: str, text: str, *, limit: int, language: str) -> str:
    """Return the sentences of `text` most relevant to `question`, in their order, in at most `limit` tokens."""
    if tokens_of(text) <= limit:
        return text
    units = _units(text, language)
    kept = _choose(_rank(_stems(question), units), units, limit)
    return _join([units[place] for place in sorted(kept)]) or _cut(text, limit)


@dataclass(frozen=True)
class _Unit:
    """A sentence, or a line that is a unit by its form: a table row, a list item."""

    place: int
    text: str
    ends_line: bool


@lru_cache(maxsize=1024)
def _units(text: str, language: str) -> tuple[_Unit, ...]:
    # Cached, because several prompts hold the same passages.
    pieces = [piece for line, is_code in _lines(text) for piece in _pieces(line, language, is_code=is_code)]
    return tuple(_Unit(place, piece, ends_line) for place, (piece, ends_line) in enumerate(pieces))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield lines, a wrapped paragraph as one, and whether they are code: half a sentence may say the opposite."""
    written = text.splitlines()
    for block, members in groupby(zip(blocks_of_code(written), written, strict=True), key=itemgetter(0)):
        own = [line for _, line in members]
        lines = own if block else unwrapped("\n".join(own))
        yield from ((line, bool(block)) for line in lines if line.strip())


def _pieces(line: str, language: str, *, is_code: bool) -> list[tuple[str, bool]]:
    if is_code or _OWN_LINE.match(line):
        return [(line.rstrip(), True)]
    sentences = [sentence.strip() for sentence in segment(language or "en", line) if sentence.strip()]
    return [(sentence, place == len(sentences) - 1) for place, sentence in enumerate(sentences)]


def _rank(wanted: frozenset[str], units: Sequence[_Unit]) -> list[int]:
    """Return the places of `units`, best first. A word counts more if fewer units hold it; the earlier wins a tie."""
    held = [_stems(unit.text) for unit in units]
    counts = {stem: sum(stem in stems for stems in held) for stem in wanted}
    weight = {stem: 1 / count for stem, count in counts.items() if count}
    scores = [sum(weight.get(stem, 0.0) for stem in stems) for stems in held]
    return sorted(range(len(units)), key=lambda place: (-scores[place], place))


def _choose(ranked: list[int], units: Sequence[_Unit], limit: int) -> list[int]:
    kept: list[int] = []
    for place in ranked:
        cost = tokens_of(units[place].text + _GAP)
        if cost <= limit:
            kept.append(place)
            limit -= cost
    return kept


def _cut(text: str, limit: int) -> str:
    room = limit * _BYTES_PER_TOKEN - len(_GAP.encode())
    return text.encode()[:room].decode(errors="ignore") + _GAP.rstrip() if room > 0 else ""


def _join(units: list[_Unit]) -> str:
    if not units:
        return ""
    return units[0].text + "".join(_separator(before, unit) + unit.text for before, unit in pairwise(units))


def _separator(before: _Unit, unit: _Unit) -> str:
    if before.ends_line:
        return "\n"
    return " " if unit.place == before.place + 1 else _GAP


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    # A prefix is a good enough stem to rank the sentences of one passage, in any language.
    return frozenset(word[:_STEM_LENGTH] for word in words(text))
