"""Which row of a rota holds for the day that a question names (pure).

Its first column says from when each row holds, for a week or another number of days. "On call this week?" has none of
the row's words.
"""

from datetime import date, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from bot.models.offline.writing.statements import Statement
from graph import patterns
from graph.calendar.dates import Dates
from graph.calendar.names import MONTHS
from graph.text.markdown import plain_cells, tables_of

_FROM_TODAY: Final = (
    (7, r"next week|(?:in der )?nächsten? woche|(?:na )?próxima semana|semana que vem|la semaine prochaine"),
    (-7, r"last week|letzte woche|semana passada|la semaine dernière"),
    (1, r"tomorrow|morgen|amanhã|demain"),
    (-1, r"yesterday|gestern|ontem"),
    (0, r"today|tonight|right now|currently|this week|heute|gerade|diese(?:r)? woche|hoje|agora|esta semana"),
    (0, r"aujourd['’]hui|en ce moment|cette semaine"),
)
_SPOKEN: Final = tuple((days, patterns.compile(rf"\b(?:{said})\b", patterns.IGNORE_CASE)) for days, said in _FROM_TODAY)
_MORNING: Final = patterns.compile(r"\b(?:am|jeden|de[nr]|guten) morgen\b", patterns.IGNORE_CASE)
"""What holds a word for tomorrow, and is the morning."""
_DATES: Final = Dates(MONTHS)
_SAYS_FROM: Final = patterns.compile(
    r"\b(?:weeks?|from|since|start\w*|begin\w*|(?:kalender)?woche|kw|ab|von|wochenbeginn|semana|desde|de|início"
    r"|a partir|semaine|depuis|dès|du|début)\b",
    patterns.IGNORE_CASE,
)
"""Names of a column whose days are the first ones of turns. Weekly talks and deadlines hold on their own day only."""
_LONGEST_TURN: Final = 31
"""Days. Rows that are further apart are no turns."""
_FEWEST_ROWS: Final = 3


class DayAsked(NamedTuple):
    """A day that a question names, and the day on which it is asked."""

    day: date
    today: date


def day_asked_for(question: str, today: str) -> DayAsked | None:
    """Return the one day that a question names, seen from `today`; of a day without a year, the nearest."""
    now, question = date.fromisoformat(today), _MORNING.sub(" ", question)
    days = {now + timedelta(days=days) for days, said in _SPOKEN if said.search(question)}
    days |= {day for day in _days_in(question, now) if day}
    return DayAsked(days.pop(), now) if len(days) == 1 else None


def rows_of_the_day(everything: list[Statement], asked: DayAsked) -> list[Statement]:
    """Return the statements without the rows of rotas that hold on other days; of a rota that has none, with all."""
    rotas: dict[tuple[int, int], list[Statement]] = {}
    for one in everything:
        if one.kind == "row" and one.listing:
            rotas.setdefault(one.listing, []).append(one)
    left_out = {one.spot for rows in rotas.values() for one in _of_other_days(rows, asked)}
    return [one for one in everything if one.spot not in left_out]


def _of_other_days(rows: list[Statement], asked: DayAsked) -> list[Statement]:
    begins = [(begin, one) for one in rows if (begin := next(iter(_days_in(one.label, asked.today)), None))]
    begins.sort(key=lambda found: found[0])
    turns = {after - before for (before, _), (after, _) in pairwise(begins)}
    if len(begins) < len(rows) or len(rows) < _FEWEST_ROWS or len(turns) != 1:
        return []
    turn = turns.pop()
    own = next((one for begin, one in begins if begin <= asked.day < begin + turn), None)
    is_rota = timedelta(0) < turn <= timedelta(days=_LONGEST_TURN) and (turn.days == 1 or _are_turns(rows, asked))
    return [one for one in rows if one is not own] if own and is_rota else []


def _are_turns(rows: list[Statement], asked: DayAsked) -> bool:
    """Tell whether rows hold from one day on: by the name of their first column, or by the last days of all turns."""
    names = (plain_cells(table[0])[0] for table in tables_of(rows[0].passage["text"]))
    return any(map(_SAYS_FROM.search, names)) or all(len(_days_in(one.label, asked.today)) > 1 for one in rows)


def _days_in(text: str, near: date) -> list[date | None]:
    """Return the days of a text. One without a year is the nearest to another day."""
    return [_nearest(written.days[0], near) for written in _DATES.find(text)]


def _nearest(day: tuple[int, int, int], near: date) -> date | None:
    year, month, number = day
    years = [year] if year else [near.year - 1, near.year, near.year + 1]
    try:
        return min((date(one, month, number) for one in years), key=lambda one: abs(one - near))
    except ValueError:
        # There is no such day: a month alone, or 29 February.
        return None
