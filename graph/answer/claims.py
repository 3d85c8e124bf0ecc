"""Splits a draft into its statements, each with the passages that it cites, and leaves statements out (pure)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from graph import patterns
from graph.answer.negation import negates
from graph.text.grounding import citations, sentences, without_citations
from graph.text.markdown import is_row, is_rule, kinds_of

_LISTED = patterns.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+|^\s*\|")
_HEADING = patterns.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
_TO_A_FULL_STOP = patterns.compile(r"[^。！？]+[。！？]?|[。！？]")
_DOCUMENTS = "(?:documents?|dokumente?n?|unterlagen|documentos?)"
_OF_DOCUMENTS = patterns.compile(
    rf"^\W*(?:\w+\s){{0,2}}{_DOCUMENTS}\b|\b{_DOCUMENTS} nicht\W*$|\b(?:sagen|nennen|regeln) die {_DOCUMENTS}\b",
    patterns.IGNORE_CASE,
)
"""How a sentence like "The documents do not say …" begins; in German they may come later."""
_KNOWLEDGE = r"(?:informa[tç]\w+|knowledge|details?|angaben?|hinweise?|detalhes?)\b"
_OF_ONESELF = patterns.compile(
    r"^\W*(?:(?:(?:i am|i['’]m)?\s*sorry|unfortunately|leider|infelizmente|but|dazu|darüber)\W+)*(?:"
    rf"i (?:(?:do not|don['’]t) have|have no) (?:\w+ ){{0,2}}{_KNOWLEDGE}"
    r"|i (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t|do not|don['’]t) find\b"
    rf"|(?:ich habe|habe ich) (?:\w+ ){{0,2}}keine (?:\w+ )?{_KNOWLEDGE}"
    r"|(?:ich finde|finde ich) (?:\w+ ){0,2}(?:keine?n?|nichts)\b|konnte ich nichts finden\b"
    rf"|(?:eu )?não (?:tenho (?:\w+ ){{0,2}}{_KNOWLEDGE}|encontr(?:o|ei)\b)"
    r")[^,:;–—(]*$",
    patterns.IGNORE_CASE,
)
"""A sentence like "I do not have that information", without a further clause, which may tell something."""
_GOES_ON = patterns.compile(
    r"\b(?:but|so|because|and every\w*|and all|aber|also|weil|mas|porque) \w", patterns.IGNORE_CASE
)
_SAYS_SOMETHING = patterns.compile(r"\w{2}|\d")
_POINTS_BACK = patterns.compile(
    r"\W*(?:this|that|these|those|it|its|they|their|there|he|she|then|otherwise|so|but|however|both"
    r"|das|dies\w*|es|sie|er|dort|dann|sonst|also|aber|doch|beide|davon|dafür|isso|isto|ele\w?|ela\w?|lá|então|senão|mas|ambos)\b",
    patterns.IGNORE_CASE,
)
"""How a sentence begins that may speak of the one before it."""
MOST_LEFT_OUT = 0.5
"""Share (0–1) of a draft's statements; the rest would be no answer any more."""


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
    introduced: str = ""
    """The line that introduces its list, if it is an item of one."""

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.text.startswith("|")

    @property
    def needs_source(self) -> bool:
        """Whether a passage must say it: not so of "It depends:", and of what admits something."""
        introduces = self.text.rstrip("*_ ").endswith(":")
        return self.own or not (introduces or self.admits)

    @property
    def admits(self) -> bool:
        """Whether it says that something is not known, which no passage can say."""
        said = self.text
        of_oneself = _OF_ONESELF.search(said) and not _GOES_ON.search(said)
        return bool(of_oneself) or (bool(_OF_DOCUMENTS.search(said)) and negates(said))


def claims(draft: str, language: str = "en") -> list[Claim]:
    """Return the statements of a draft in order, without headings, rules and code."""
    return list(_claims(draft, language))


@lru_cache(maxsize=256)
def _claims(draft: str, language: str) -> tuple[Claim, ...]:
    # Cached, because the audit, the validator's prompt and its verdict read the same draft.
    found: list[Claim] = []
    introduced = ""
    for head, line in _prose(draft):
        is_item = bool(_LISTED.match(line))
        if not is_item:
            introduced = line if without_citations(line).rstrip("*_ ").endswith(":") else ""
        around = tuple(citations(line) or citations(introduced))
        above = introduced if is_item else ""
        found.extend(_claim(sentence, around, head, above) for sentence in _sentences(line, language))
    return tuple(found)


def code_lines(draft: str) -> list[str]:
    """Return the lines of a draft's blocks of code."""
    lines = draft.splitlines()
    return [line for line, kind in zip(lines, kinds_of(lines), strict=True) if kind == "code" and line.strip()]


def without(draft: str, left_out: Collection[str], language: str = "en") -> str | None:
    """Return a draft without some of its statements, given with any spaces; `None` if the rest does not stand alone.

    It does not without its first statement or most of them, without the items of a list that it introduces, or if a
    sentence that stays may speak of one that went.
    """
    unwanted = {" ".join(one.split()) for one in left_out}
    stated = [" ".join(claim.text.split()) for claim in claims(draft, language)]
    going = [one in unwanted for one in stated]
    if not any(going) or going[0] or sum(going) > MOST_LEFT_OUT * len(going):
        return None
    lines = [_line_without(line, unwanted, language) for line in draft.splitlines()]
    if None in lines:
        return None
    kept = [line for line, before in zip(lines, draft.splitlines(), strict=True) if line or not before.strip()]
    rest = "\n".join(map(str, kept)).strip()
    return None if _introduces_nothing(rest) else rest


def _line_without(line: str, unwanted: Collection[str], language: str) -> str | None:
    stated = [claim.text for claim in claims(line, language)]
    going = [" ".join(one.split()) in unwanted for one in stated]
    if all(going):
        return "" if stated else line
    if any(goes and _POINTS_BACK.match(after) for goes, after in zip(going, stated[1:], strict=False)):
        return None
    for statement in (one for one, goes in zip(stated, going, strict=True) if goes):
        before, found, after = line.partition(statement)
        if not found:
            return None
        line = before.rstrip() + after if before.strip() else before + after.lstrip()
    return line


def _introduces_nothing(draft: str) -> bool:
    """Tell whether an introduction or the head of a table has lost all that it introduces."""
    lines = [line for line in draft.splitlines() if line.strip()]
    return any(
        (line.rstrip("*_ ").endswith(":") and not _LISTED.match(after) and _LISTED.match(line) is None)
        or (is_row(line) and is_rule(line) and not is_row(after))
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
    )


def _prose(draft: str) -> Iterator[tuple[str, str]]:
    """Yield the lines outside of code that state something, each with the head of the table that it is a row of."""
    head = ""
    lines = draft.splitlines()
    for line, following, kind in zip(lines, [*lines[1:], ""], kinds_of(lines), strict=False):
        if kind != "text":
            continue
        if is_row(line) and is_row(following) and is_rule(following):
            head = line.strip()
        elif not (_HEADING.match(line) or is_rule(line)) and _SAYS_SOMETHING.search(line):
            head = head if is_row(line) else ""
            yield head, line


def _sentences(line: str, language: str) -> list[str]:
    return [
        part.strip()
        for sentence in sentences(line, language)
        for part in _TO_A_FULL_STOP.findall(sentence)
        if _SAYS_SOMETHING.search(without_citations(part))
    ]


def _claim(sentence: str, around: tuple[int, ...], head: str, introduced: str) -> Claim:
    own = tuple(citations(sentence))
    return Claim(sentence, own or around, own=bool(own), head=head, introduced=introduced)
