"""The lines of a passage: code whole, paragraphs unwrapped, and which lines show somebody else's words (pure).

A document shows a mail, or quotes; what stands there is not what the document itself says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from graph import patterns
from graph.text.grounding import unwrapped
from graph.text.mails import has_mail_fields, in_mail
from graph.text.markdown import blocks_of_code

Kind = Literal["text", "code"]

_QUOTED = patterns.compile(r"\s{0,3}>\s?")
_CALLOUT = patterns.compile(
    r"[^\w\[]{0,8}(?:\[!\w+\]|(?:note|tip|important|warning|caution|attention|info|hint|hinweis|achtung|wichtig|tipp"
    r"|nota|atenção|importante|aviso)\b)",
    patterns.IGNORE_CASE,
)
"""How a quotation begins that is a box for the document's own words."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A paragraph, list item or table row in one line, or a whole block of code."""

    text: str
    kind: Kind = "text"
    is_shown: bool = False
    """Whether the document shows or quotes it as somebody else's."""


@dataclass(frozen=True, kw_only=True)
class Raw:
    """A line as it is written."""

    text: str
    kind: Kind = "text"
    is_shown: bool = False
    block: int = 0
    """Which block of code it belongs to."""


def read_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a passage in order; an empty one parts paragraphs."""
    raws = _with_voices(list(with_fences(text.splitlines())))
    for (kind, is_shown, _), members in groupby(raws, key=lambda raw: (raw.kind, raw.is_shown, raw.block)):
        written = [raw.text for raw in members]
        if kind == "code":
            yield Line(text="\n".join(written), kind="code", is_shown=is_shown or has_mail_fields(written))
        else:
            yield from (Line(text=line, is_shown=is_shown) for line in unwrapped("\n".join(written)))


def with_fences(lines: list[str]) -> Iterator[Raw]:
    """Yield the lines as they are written, and tell text from code."""
    for line, block in zip(lines, blocks_of_code(lines), strict=True):
        yield Raw(text=line, kind="code" if block else "text", block=block)


def _with_voices(raws: list[Raw]) -> list[Raw]:
    """Mark what stands in a mail or in a quotation, and take the quotation's mark off."""
    in_mails = in_mail([raw.text for raw in raws])
    in_quotation = is_callout = False
    voiced: list[Raw] = []
    for raw, is_mail in zip(raws, in_mails, strict=True):
        quoted = _QUOTED.match(raw.text) if raw.kind == "text" else None
        text = raw.text[quoted.end() :] if quoted else raw.text
        if quoted and not in_quotation:
            is_callout = _CALLOUT.match(text) is not None
        in_quotation = quoted is not None
        voiced.append(replace(raw, text=text, is_shown=is_mail or (in_quotation and not is_callout)))
    return voiced
