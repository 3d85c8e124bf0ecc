"""Splits a draft into its statements, each with the passages that it cites (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass

from graph import patterns
from graph.text.grounding import citations, sentences, without_citations

_FENCE = patterns.compile(r"^\s*(```|~~~)")
_LISTED = patterns.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+|^\s*\|")
_RULE = patterns.compile(r"[\s|:\-–—=*_]*")
_HEADING = patterns.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
_TO_A_FULL_STOP = patterns.compile(r"[^。！？]+[。！？]?|[。！？]")
_SAYS_SOMETHING = patterns.compile(r"\w{2}|\d")


@dataclass(frozen=True)
class Claim:
    """One statement of a draft."""

    text: str
    """The statement's text, with its citations."""
    cited: tuple[int, ...]
    """The numbers that it cites, or else those of its line or of the introduction of its list."""
    own: bool
    """Whether the statement itself cites them."""


def claims(draft: str, language: str = "en") -> list[Claim]:
    """Return the statements of a draft in order, without headings, rules and code."""
    found: list[Claim] = []
    intro: tuple[int, ...] = ()
    for line in _prose(draft):
        cited = tuple(citations(line))
        if not _LISTED.match(line):
            intro = cited if without_citations(line).rstrip("*_ ").endswith(":") else ()
        found.extend(_claim(sentence, cited or intro) for sentence in _sentences(line, language))
    return found


def _prose(draft: str) -> Iterator[str]:
    """Yield the lines outside of code that hold words."""
    in_code = False
    lines = draft.splitlines()
    for place, line in enumerate(lines):
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and _SAYS_SOMETHING.search(line) and not _is_frame(lines, place):
            yield line


def _is_frame(lines: list[str], place: int) -> bool:
    line = lines[place]
    following = lines[place + 1] if place + 1 < len(lines) else ""
    is_head = line.lstrip().startswith("|") and following.lstrip().startswith("|") and _RULE.fullmatch(following)
    return bool(_HEADING.match(line) or _RULE.fullmatch(line) or is_head)


def _sentences(line: str, language: str) -> list[str]:
    return [
        part.strip()
        for sentence in sentences(line, language)
        for part in _TO_A_FULL_STOP.findall(sentence)
        if _SAYS_SOMETHING.search(without_citations(part))
    ]


def _claim(sentence: str, around: tuple[int, ...]) -> Claim:
    own = tuple(citations(sentence))
    return Claim(sentence, own or around, own=bool(own))
