"""Splits a draft into its statements, each with the passages that it cites (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass

from graph import patterns
from graph.answer.negation import negates
from graph.text.grounding import citations, sentences, without_citations

_FENCE = patterns.compile(r"^\s*(```|~~~)")
_LISTED = patterns.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+|^\s*\|")
_RULE = patterns.compile(r"[\s|:\-–—=*_]*")
_HEADING = patterns.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
_TO_A_FULL_STOP = patterns.compile(r"[^。！？]+[。！？]?|[。！？]")
_DOCUMENTS = "(?:documents?|dokumente?n?|unterlagen|documentos?)"
_OF_DOCUMENTS = patterns.compile(rf"^\W*(?:\w+\s){{0,2}}{_DOCUMENTS}\b|\b{_DOCUMENTS} nicht\W*$", patterns.IGNORE_CASE)
"""What a sentence like "The documents do not say …" begins with, or ends with in German."""
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
    head: str = ""
    """The line with the names of its columns, if it is a row of a table."""

    @property
    def needs_source(self) -> bool:
        """Whether a passage must say it: not so of "It depends:", and of "The documents do not say …"."""
        introduces = self.text.rstrip("*_ ").endswith(":")
        admits = bool(_OF_DOCUMENTS.search(self.text)) and negates(self.text)
        return self.own or not (introduces or admits)


def claims(draft: str, language: str = "en") -> list[Claim]:
    """Return the statements of a draft in order, without headings, rules and code."""
    found: list[Claim] = []
    intro: tuple[int, ...] = ()
    for head, line in _prose(draft):
        cited = tuple(citations(line))
        if not _LISTED.match(line):
            intro = cited if without_citations(line).rstrip("*_ ").endswith(":") else ()
        found.extend(_claim(sentence, cited or intro, head) for sentence in _sentences(line, language))
    return found


def code_lines(draft: str) -> list[str]:
    """Return the lines of a draft's blocks of code."""
    found: list[str] = []
    in_code = False
    for line in draft.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif in_code and line.strip():
            found.append(line)
    return found


def _prose(draft: str) -> Iterator[tuple[str, str]]:
    """Yield the lines outside of code that state something, each with the head of the table that it is a row of."""
    in_code, head = False, ""
    lines = draft.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        is_row = line.lstrip().startswith("|")
        if _FENCE.match(line):
            in_code = not in_code
        elif is_row and following.lstrip().startswith("|") and _RULE.fullmatch(following):
            head = line.strip()
        elif not (in_code or _HEADING.match(line) or _RULE.fullmatch(line)) and _SAYS_SOMETHING.search(line):
            head = head if is_row else ""
            yield head, line


def _sentences(line: str, language: str) -> list[str]:
    return [
        part.strip()
        for sentence in sentences(line, language)
        for part in _TO_A_FULL_STOP.findall(sentence)
        if _SAYS_SOMETHING.search(without_citations(part))
    ]


def _claim(sentence: str, around: tuple[int, ...], head: str) -> Claim:
    own = tuple(citations(sentence))
    return Claim(sentence, own or around, own=bool(own), head=head)
