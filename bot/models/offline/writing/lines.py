"""The lines of a passage: code whole, paragraphs unwrapped, and which lines show somebody else's words (pure).

A document shows a mail, or quotes; what stands there is not what the document itself says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from graph import patterns
from graph.text.grounding import unwrapped
from graph.text.mails import has_mail_fields, in_mail
from graph.text.markdown import blocks_of_code

_QUOTED = patterns.compile(r"\s{0,3}>\s?")
_CALLOUT = patterns.compile(
    r"[^\w\[]{0,8}(?:\[!\w+\]|(?:note|tip|important|warning|caution|attention|info|hint|hinweis|achtung|wichtig|tipp"
    r"|nota|atenção|importante|aviso)\b)",
    patterns.IGNORE_CASE,
)
"""How a quotation begins that is a box for the document's own words."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line as it is written; or a paragraph, list item or table row in one line; or a whole block of code."""

    text: str
    block: int = 0
    """Which block of code of the passage it is of, from 1; 0 for text."""
    is_shown: bool = False
    """Whether the document shows or quotes it as somebody else's."""


def read_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a passage in order; an empty one parts paragraphs."""
    written = text.splitlines()
    lines = [Line(text=line, block=block) for line, block in zip(written, blocks_of_code(written), strict=True)]
    for (block, is_shown), members in groupby(_with_shown_marked(lines), key=lambda line: (line.block, line.is_shown)):
        own = [line.text for line in members]
        if block:
            yield Line(text="\n".join(own), block=block, is_shown=is_shown or has_mail_fields(own))
        else:
            yield from (Line(text=line, is_shown=is_shown) for line in unwrapped("\n".join(own)))


def _with_shown_marked(lines: list[Line]) -> list[Line]:
    """Mark what stands in a mail or in a quotation, and take the quotation's mark off."""
    in_mails = in_mail([line.text for line in lines])
    in_quotation = is_callout = False
    marked: list[Line] = []
    for line, is_mail in zip(lines, in_mails, strict=True):
        quoted = None if line.block else _QUOTED.match(line.text)
        text = line.text[quoted.end() :] if quoted else line.text
        if quoted and not in_quotation:
            is_callout = _CALLOUT.match(text) is not None
        in_quotation = quoted is not None
        marked.append(replace(line, text=text, is_shown=is_mail or (in_quotation and not is_callout)))
    return marked
