"""Finds mails that a document quotes: where one begins and ends (pure).

The sender of a quoted mail may be a phisher. The document does not say what the mail says.
"""

from collections.abc import Sequence

from graph import patterns
from graph.text.markdown import blocks_of_code

_FIELD = patterns.compile(
    r"\W{0,4}(?:from|to|cc|sent|date|subject|reply-to|von|an|gesendet|datum|betreff|de|para|enviado|data|assunto)"
    r"\W{0,3}:",
    patterns.IGNORE_CASE,
)
_TELLING_FIELD = patterns.compile(
    r"\W{0,4}(?:subject|betreff|assunto)\W{0,3}:|[^:]{1,20}:.{0,80}@", patterns.IGNORE_CASE
)
"""A field that only mails have. "From:" and "To:" also stand on parcels."""
_FORWARDED = patterns.compile(
    r"\W{3,}.{0,20}(?:forwarded message|original message|weitergeleitete nachricht)", patterns.IGNORE_CASE
)
_SALUTATION = patterns.compile(
    r"(?:dear|hi|hello|hallo|liebe[rs]?|sehr geehrte[rs]?|car[oa]s?|olá)\b[^.!?:]{0,40},", patterns.IGNORE_CASE
)
_END = patterns.compile(r"\W{3,200}.{0,20}\bend\b|#{1,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$", patterns.IGNORE_CASE)
_SENTENCE_ENDS = (".", "!", "?", ":", ";", ",")
_LONGEST_HEADING = 70
"""Characters."""
_FEWEST_FIELDS = 2
_FIELDS_STAND_WITHIN = 4
"""Lines."""


def in_mail(lines: Sequence[str]) -> list[bool]:
    """Tell for each line whether it is part of a mail that the text quotes.

    A text that begins with mail fields is itself a mail. In it, only forwarded mails count as quoted.
    """
    first = [line for line in lines if line.strip() and not line.startswith("#")][:_FIELDS_STAND_WITHIN]
    is_mail = bool(first) and _FIELD.match(first[0]) is not None and has_mail_fields(first)
    inside: list[bool] = []
    is_inside = has_begun = False
    for place, (line, block) in enumerate(zip(lines, blocks_of_code(lines), strict=True)):
        ends = is_inside and _END.match(line) is not None
        if is_inside:
            is_inside = not ends
        elif has_begun and not block:
            is_inside = _FORWARDED.match(line) is not None or (not is_mail and _begins(lines, place))
        has_begun = has_begun or _is_said(line)
        inside.append(is_inside or (ends and not line.startswith("#")))
    return inside


def has_mail_fields(lines: Sequence[str]) -> bool:
    """Tell whether lines hold the header of a mail: sender, recipient, subject."""
    fields = [line for line in lines if _FIELD.match(line)]
    return len(fields) >= _FEWEST_FIELDS and any(_TELLING_FIELD.match(field) for field in fields)


def with_mails_quoted(text: str) -> str:
    """Return a text with each line of a quoted mail marked as a quotation, so that the text may be split anywhere."""
    lines = text.splitlines()
    marked = [
        f"> {line}".rstrip() if shown and not line.startswith(">") else line
        for line, shown in zip(lines, in_mail(lines), strict=True)
    ]
    return "\n".join(marked)


def _begins(lines: Sequence[str], place: int) -> bool:
    line = lines[place].strip()
    has_fields = _FIELD.match(line) and has_mail_fields(lines[place : place + _FIELDS_STAND_WITHIN])
    return bool(has_fields or _SALUTATION.fullmatch(line))


def _is_said(line: str) -> bool:
    """Tell whether a line is text and no heading."""
    bare = line.strip()
    return not bare.startswith("#") and (bare.endswith(_SENTENCE_ENDS) or len(bare) > _LONGEST_HEADING)
