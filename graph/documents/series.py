"""Minutes, release notes and others of a series: which of them a question is for (pure)."""

from functools import lru_cache
from itertools import permutations

from graph import patterns
from graph.calendar.names import MONTHS_IN_TITLES as MONTHS
from graph.documents.versions import SERIAL, Mark, are_of_one_series, marks_in, marks_of, tells_of_a_release
from graph.passages import Passage
from graph.text.lexicon import NUMBER_WORDS
from graph.text.words import stems

_MONTH_NAMES = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_MONTH = patterns.compile(rf"\b{_MONTH_NAMES}\b", patterns.IGNORE_CASE)
# "The meeting in May", "the May meeting", "im Mai im Protokoll": a time elsewhere may be of what was decided.
_BOUND = patterns.compile(
    rf"{SERIAL}\s+(?:in|of|from|on|for|im|vom|von|am|de|do|da|em)\s+(?:the\s+)?(?P<after>[^,;?!]{{1,24}})"
    rf"|\b(?:the|our|last|this|in|of|from|im|vom|der|des|das|den|dem)\s+(?P<before>{_MONTH_NAMES}(?:\s+\d{{4}})?)\s+"
    rf"(?:im\s+|in\s+the\s+)?{SERIAL}\b",
    patterns.IGNORE_CASE,
)
_RELEASE = patterns.compile(
    r"(?P<day>\b(?:am|zum|ab|vom)\s+(?:dem\s+)?)?\b(?P<number>\d+(?:\.\d+)+)\b(?P<dot>\.)?", patterns.IGNORE_CASE
)
"""A number as that of a release, and what makes a German date of it: "ab dem 1.1.", "am 3.9."."""
_ASKS_FOR_SEVERAL = patterns.compile(
    r"\b(?:since|after|before|until|till|between|through|seit|nach|vor|bis|zwischen|desde|após|depois|antes|até|entre"
    r"|depuis|avant|après)\b",
    patterns.IGNORE_CASE,
)
_LAST = r"(?:last|latest|newest|most recent|letzte[nrs]?|neueste[nrs]?|últim[ao]|derni(?:er|ère))"
_NEWEST = patterns.compile(
    rf"\b(?P<before>\w+\s+)?(?:{_LAST}|next|nächste[nrs]?|próxim[ao]|prochaine?)\s+(?P<between>[\w-]+\s+)?{SERIAL}\b",
    patterns.IGNORE_CASE,
)
"""One meeting or report, with at most one word between. "The last meetings" and "the last day to report" are none."""
_NEWEST_RELEASE = patterns.compile(
    rf"\b(?P<before>\w+\s+)?{_LAST}\s+(?P<between>[\w-]+\s+)?(?:release|version|versão|versión|fassung)\b",
    patterns.IGNORE_CASE,
)
_ASKS_FOR_NEWS = patterns.compile(
    r"\bwhat(?:['’]?s| is| are| has| have| did| was)?(?: all)?(?: the)? (?:new|changes?|changed|different)\b"
    r"|\b(?:changes in|changelog|release notes|news (?:in|of))\b"
    r"|\bwas (?:ist|gibt es|hat sich|wurde)(?: [\w.]+){0,6} (?:neu\w*|geändert)\b|\bwas ändert sich\b"
    r"|\bo que (?:há de novo|mudou|mudam?)\b|\b(?:quoi de neuf|qu['’]est-ce qui (?:a changé|change))\b",
    patterns.IGNORE_CASE,
)
_ASKS_ELSE = patterns.compile(
    r"\b(?:who|when|why|where|how (?:long|many|much|often)|wer|wann|warum|wieso|wo|wie (?:lange|viele?)"
    r"|quem|quando|porqu[eê]|por que|onde|quant[oa]s?|qui|quand|pourquoi|où|combien)\b",
    patterns.IGNORE_CASE,
)
"""What no section of its name answers by being told: "Who removed 3.10?"."""
_OF_NEWS = stems(
    """
    whats new news change changes changed changelog different latest last newest recent release version notes v
    neu neues neue geändert ändert neuesten neueste letzten letzte fassung
    há novo mudou muda mudam última versão quoi neuf changé dernière version
    """
)
"""What a question says that is for all news of a release."""
_GERMAN_PLURAL = patterns.compile(r"(?:protokoll|bericht|sitzung|besprechung)(?:e|en)$", patterns.IGNORE_CASE)
_NOT_THE_NEWEST = frozenset(
    ("to", "second", "third", "few", "beiden", "year", "year's", "week", "week's", "month", "month's")
)
"""Words before or between that make another one of the newest: "second last meeting", "last year's report"."""
_OTHER_TIME = patterns.compile(
    r"\b(?:(?:19|20)\d\d|differ\w*|than|first|vergleich\w*|unterschied\w*|erste[nrs]?"
    r"|compar\w+|diferen\w+|primeir[ao]|premi(?:er|ère))\b",
    patterns.IGNORE_CASE,
)
"""What a question says that is for another one of the series, or for several."""
_MOST_DIGITS = 9
_FEWEST_PARTS = 2
"""Of a date. A year alone may be that of a budget."""


def of_the_time_asked(passages: list[Passage], question: str) -> list[Passage]:
    """Leave out what is of another day or release than the question names, if a passage of its series is of that.

    Of a month without a year ("the meeting in May"), the last one is meant. The newest minutes tell of the last
    meeting, and of the next one, too.
    """
    if _ASKS_FOR_SEVERAL.search(question):
        return passages
    times = " ".join(found["after"] or found["before"] for found in _BOUND.finditer(question))
    marks = {*_releases_in(question)}
    marks |= (dated := {mark for mark in marks_in(times) if mark[0] != "v" and len(mark) >= _FEWEST_PARTS})
    month = None if dated else _month_in(times)
    is_for_newest = _wants(_NEWEST, question)
    if not marks and not month and not is_for_newest and not _wants(_NEWEST_RELEASE, question):
        return passages
    documents = {
        passage["document_id"]: passage
        for passage in reversed(passages)
        if marks or month or is_for_newest or tells_of_a_release(passage)
    }
    fits = {
        id_: _fit(marks_of(passage), marks, month) if marks or month else _numbers(marks_of(passage))
        for id_, passage in documents.items()
    }
    others = {
        id_
        for (id_, one), (other_id, other) in permutations(documents.items(), 2)
        if fits[id_] and fits[id_] < fits[other_id] and are_of_one_series(one, other)
    }
    return [passage for passage in passages if passage["document_id"] not in others]


def news_asked_for(question: str, passages: list[Passage]) -> list[Passage]:
    """Return the notes on the one release of which a question asks all that is new, or their sections that it names.

    None for any other question. "Fixed" names a section in "What was fixed in the latest release?".
    """
    asked = _releases_in(question)
    if not asked and not _wants(_NEWEST_RELEASE, question):
        return []
    notes = [passage for passage in of_the_time_asked(passages, question) if tells_of_a_release(passage)]
    notes = [passage for passage in notes if not asked or not asked.isdisjoint(marks_of(passage))]
    if len({passage["document_id"] for passage in notes}) != 1:
        return []
    said = stems(question) - _OF_NEWS - stems(notes[0]["title"])
    if said and _ASKS_ELSE.search(question):
        return []
    if said:
        return [passage for passage in notes if said <= stems(" ".join(passage["heading_path"][-1:]))]
    return notes if _ASKS_FOR_NEWS.search(question) else []


@lru_cache(maxsize=256)
def _releases_in(question: str) -> frozenset[Mark]:
    marks = {mark for mark in marks_in(question) if mark[0] == "v"}
    numbers = (found["number"] for found in _RELEASE.finditer(question) if not (found.has("day") and found.has("dot")))
    return frozenset(marks | {("v", *number.split(".")) for number in numbers})


def _fit(marks: tuple[Mark, ...], asked: set[Mark], month: str | None) -> tuple[int, ...]:
    """Return how well marks fit what is asked for: the year and the month if only a month is."""
    if any(mark[: len(one)] == one for mark in marks for one in asked):
        return (1,)
    dates = [tuple(map(int, mark[:2])) for mark in marks if mark[0].isdecimal() and mark[1:2] and mark[1] == month]
    return max(dates, default=(0,))


@lru_cache(maxsize=512)
def _wants(newest: patterns.Pattern, question: str) -> bool:
    """Tell whether a question is for the newest of a series, as a pattern finds it, and for no other."""
    return not _OTHER_TIME.search(question) and any(
        not _is_plural(found[0]) and all(map(_leaves_the_newest, (found["before"], found["between"])))
        for found in newest.finditer(question)
    )


def _is_plural(phrase: str) -> bool:
    # "Minutes" and "notes" are of one meeting.
    is_english = phrase.endswith("s") and not phrase.casefold().endswith(("minutes", "notes"))
    return is_english or _GERMAN_PLURAL.search(phrase) is not None


def _leaves_the_newest(word: str | None) -> bool:
    said = (word or "").strip().casefold()
    return said not in _NOT_THE_NEWEST and said not in NUMBER_WORDS and not said.isdecimal()


def _numbers(marks: tuple[Mark, ...]) -> tuple[int, ...]:
    """Return the year, month and day of marks, or the numbers of a release; none of a page that tells no time."""
    return tuple(int(part) for mark in marks for part in mark if part.isdecimal() and len(part) <= _MOST_DIGITS)


def _month_in(times: str) -> str | None:
    """Return the number of the only month that is named; None if there are several."""
    # Patterns read "março" as "marco", so they also find the name Marco.
    named = {str(MONTHS[name]) for found in _MONTH.finditer(times) if (name := found[0].casefold()) in MONTHS}
    return named.pop() if len(named) == 1 else None
