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
_SIGNATURE = patterns.compile(
    r"(?:(?:with )?(?:kind|best|warm)(?:est)? (?:regards|wishes)|(?:best )?regards|yours|cheers"
    r"|(?:yours )?(?:sincerely|faithfully|truly)|mit (?:freundlichen|besten|lieben) grü(?:ß|ss)en"
    r"|(?:viele|beste|liebe|schöne) grü(?:ß|ss)e|atenciosamente|(?:com os )?(?:melhores )?cumprimentos|(?:um )?abraço)"
    r"\b\W{0,3}(?:\w+\W{0,2}){0,3}",
    patterns.IGNORE_CASE,
)
_OF_FRAUD = r"phish\w*|scams?|spam|fakes?|frauds?|betrug\w*|betrüger\w*|gefälscht\w*|fraudes?|burlas?"
_SPEAKS_OF_FRAUD = patterns.compile(rf"\b(?:{_OF_FRAUD})\b", patterns.IGNORE_CASE)
_SPEAKS_OF_MAILS = patterns.compile(
    rf"\b(?:{_OF_FRAUD}|e-?mails?|mails?|messages?|came|arrived|received|reached"
    r"|nachricht(?:en)?|erhalten|erhielt\w*|bekommen|bekam\w*|kam(?:en)?"
    r"|mensage(?:m|ns)|correio|recebe\w+|recebi\w*|chegou|chegaram)\b",
    patterns.IGNORE_CASE,
)
"""Words of a document that shows a mail which somebody got. A document shows letters of its own, too."""
_HEADING = patterns.compile(r"(?P<signs>#{1,6})\s")
_DEEPEST = 6
"""The level of the lowest heading."""
_UNTOLD = _DEEPEST + 1
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
    salutations = _salutations(lines)
    for place, (line, block) in enumerate(zip(lines, blocks_of_code(lines), strict=True)):
        ends = is_inside and _END.match(line) is not None
        if is_inside:
            is_inside = not ends
        elif has_begun and not block:
            begins = place in salutations or _has_fields(lines, place)
            is_inside = _FORWARDED.match(line) is not None or (not is_mail and begins)
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


def _has_fields(lines: Sequence[str], place: int) -> bool:
    is_field = _FIELD.match(lines[place].strip()) is not None
    return is_field and has_mail_fields(lines[place : place + _FIELDS_STAND_WITHIN])


def _salutations(lines: Sequence[str]) -> set[int]:
    """Return the places of the salutations with which a mail begins.

    A salutation alone does not tell, because a document also shows letters of its own. So the text above speaks of
    mails, or the letter has a signature, a quotation or a field of a mail.
    """
    written = [line.strip() for line in lines]
    found = {place for place, line in enumerate(written) if line.endswith(",") and _SALUTATION.fullmatch(line)}
    if not found:
        return found
    told = _places_told(written)
    is_sent = False
    for place, line in reversed([*enumerate(written)]):
        if not (is_sent or place in told):
            found.discard(place)
        is_sent = not _END.match(line) and (is_sent or _is_of_mail(line))
    return found


def _places_told(written: Sequence[str]) -> set[int]:
    """Return the places of the lines in a section that speaks of mails, also in a section below it.

    A heading with "mails" speaks for its own lines only: a document also has letters of its own below "Mails".
    """
    told: set[int] = set()
    level, told_at = 0, _UNTOLD
    for place, line in enumerate(written):
        heading = _HEADING.match(line)
        if heading:
            level = len(heading["signs"])
            told_at = _UNTOLD if level <= told_at else told_at
        if _SPEAKS_OF_MAILS.search(line):
            is_of_all_below = not heading or _SPEAKS_OF_FRAUD.search(line)
            told_at = min(told_at, level if is_of_all_below else _DEEPEST)
        if told_at < _UNTOLD:
            told.add(place)
    return told


def _is_of_mail(line: str) -> bool:
    return line.startswith(">") or bool(_SIGNATURE.fullmatch(line) or _TELLING_FIELD.match(line))


def _is_said(line: str) -> bool:
    """Tell whether a line is text and no heading."""
    bare = line.strip()
    return not bare.startswith("#") and (bare.endswith(_SENTENCE_ENDS) or len(bare) > _LONGEST_HEADING)
