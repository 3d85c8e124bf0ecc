"""Minutes, news and others of a series: which of them a question is for (pure)."""

from itertools import permutations

from graph import patterns
from graph.calendar.names import MONTHS_IN_TITLES as MONTHS
from graph.documents.versions import Mark, are_of_one_series, marks_in, marks_of
from graph.passages import Passage

_ASKS_FOR_ONE = patterns.compile(
    r"\b(?:minutes|meetings?|reports?|logs?|agendas?|stand[ -]?ups?|retros?|retrospectives?|digests?|post[ -]?mortems?"
    r"|newsletters?|bulletins?|rundbriefe?s?|notas|atas?|actas?|boletins?|boletim|reuni(?:ão|ões|ón|ones)|relatórios?"
    r"|informes?)\b|(?:protokoll|bericht|sitzung|besprechung)(?:e|en|s)?\b",
    patterns.IGNORE_CASE,
)
"""A date in another question may be of what it is about."""
_MONTH = patterns.compile(
    rf"\b(?:(?P<before>\w+)\s+)?(?P<name>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b", patterns.IGNORE_CASE
)
_BEFORE_MAY = frozenset({"in", "of", "from", "last", "this"})
"""Without one of these, "may" is a verb."""
_RELEASE = patterns.compile(r"\b\d+(?:\.\d+)+\b")
_FEWEST_PARTS = 2
"""Of a date. A year alone may be that of a budget."""


def meant(passages: list[Passage], question: str) -> list[Passage]:
    """Leave out what is of another day or release than the question names, if a passage of its series is of that.

    Of a month without a year ("the meeting in May"), the last one is meant.
    """
    asked = marks_in(question)
    is_for_a_day = _ASKS_FOR_ONE.search(question) is not None
    marks = {mark for mark in asked if mark[0] == "v" or (is_for_a_day and len(mark) >= _FEWEST_PARTS)}
    marks |= {("v", *found[0].split(".")) for found in _RELEASE.finditer(question)}
    months = _months_in(question) if is_for_a_day and not any(mark[0].isdecimal() for mark in asked) else set[str]()
    if not marks and not months:
        return passages
    documents = {passage["document_id"]: passage for passage in reversed(passages)}
    fits = {id_: _fit(marks_of(passage), marks, months) for id_, passage in documents.items()}
    others = {
        id_
        for (id_, one), (other_id, other) in permutations(documents.items(), 2)
        if fits[id_] < fits[other_id] and are_of_one_series(one, other)
    }
    return [passage for passage in passages if passage["document_id"] not in others]


def _fit(marks: tuple[Mark, ...], asked: set[Mark], months: set[str]) -> tuple[int, ...]:
    """Return how well marks fit what is asked for: the year and the month if only a month is."""
    if any(mark[: len(one)] == one for mark in marks for one in asked):
        return (1,)
    dates = [tuple(map(int, mark[:2])) for mark in marks if mark[0].isdecimal() and mark[1:2] and mark[1] in months]
    return max(dates, default=(0,))


def _months_in(question: str) -> set[str]:
    named = (
        found["name"].casefold()
        for found in _MONTH.finditer(question)
        if found["name"] != "may" or (found["before"] or "").casefold() in _BEFORE_MAY
    )
    # Patterns read "março" as "marco", so they also find the name Marco.
    return {str(MONTHS[name]) for name in named if name in MONTHS}
