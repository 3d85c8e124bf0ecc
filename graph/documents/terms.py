"""The terms of documents: until when one holds, as its passages say (pure)."""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date

from graph import patterns
from graph.calendar.dates import Day
from graph.passages import Passage
from graph.text.values import values

_DOCUMENT = (
    r"(?:timetable|schedule|pricelist|prices?|list|menu|plan|rota|roster|policy|page|document|version|tariffs?|fares?"
    r"|calendar|offer|rules?|guide|notice|table|\w*fahrplan|\w*plan|\w*preisliste|preise|\w*liste|\w*karte|seite|tarife?"
    r"|regelung|\w*regeln|angebot|fassung|dokument|horário|tabela|preços|lista|página|plano|ementa|regras|tarifário"
    r"|oferta|calendário|documento|versão)"
)
_TERM = patterns.compile(
    r"(?:^|[.!?]\s)(?P<it>[\W_]*(?:(?:this|these|the|our|dies(?:e[rs]?)?|der|die|das|unsere?|est[ea]s?|[oa]s?|noss[oa]s?)\s+)?"
    rf"(?:(?:[^\W_]+[ -]){{0,3}}{_DOCUMENT}\W{{1,4}}(?:[\d/]+\W{{1,4}})?)?"
    r"(?:(?:is|are|remains?|ist|sind|bleibt|é|são)\s+)?(?:only\s+|nur\s+|só\s+)?"
    r"(?:(?P<verb>valid(?:ity)?|in force|in effect|effective|appl(?:icable|ies|y)|runs|gültig(?:keit)?|gilt|gelten"
    r"|in kraft|válid[oa]s?|validade|em vigor|vigentes?|vale|valem)\b(?P<begin>[^\n;]{0,60}?)"
    r"(?:\b(?P<until>until|till|through|to|bis|até)\b|\s[–-])|expir(?:es?|y)\b(?: (?:on|date))?))"
    r"(?P<end>[^\n;]{4,50})",
    patterns.IGNORE_CASE + patterns.MULTI_LINE,
)
"""How a document says until when it holds: "In force 1 October 2025 until 30 April 2026", "This menu is valid to …"."""
_TERM_KEYS = (
    "valid_until", "valid_to", "valid_through", "expires", "expiry", "expiry_date", "gültig_bis", "gueltig_bis",
    "válido_até", "valido_ate", "validade",
)  # fmt: skip


def above(passage: Passage, passages: Iterable[Passage]) -> list[Passage]:
    """Return the passages that speak for one: its own section, those around it, and the document's beginning."""
    path = passage["heading_path"]
    return [
        other
        for other in passages
        if other["document_id"] == passage["document_id"]
        and other["heading_path"] == path[: len(other["heading_path"])]
    ]


def ended(passages: Iterable[Passage], today: date, question: str = "") -> date | None:
    """Return until which past day a document held, as its passages say; `None` if it holds, or says nothing of it.

    What a question asks of a day before that was answered from the right document.
    """
    ends = [end for passage in passages for end in _ends(passage)]
    if not ends or max(ends) >= today:
        return None
    asked = [day for written in values(question).dates if written[0] and (day := _last_day(written))]
    return None if asked and max(asked) <= max(ends) else max(ends)


def _ends(passage: Passage) -> Iterator[date]:
    """Yield the last days of the terms that a passage or its front matter names."""
    named = [(passage["attributes"][key], "") for key in _TERM_KEYS if key in passage["attributes"]]
    said = [(one["end"], one["begin"]) for one in _TERM.finditer(passage["text"]) if _is_term(one)]
    for end, begin in (*named, *said):
        began = _written_first(begin)
        since = next((day.isoformat() for written in began if (day := _last_day(written))), passage.get("dated"))
        for written in _written_first(end):
            # "From 1 April to 30 September" comes again every year.
            is_yearly = not written[0] and bool(began) and not began[0][0]
            day = None if is_yearly else _last_day(_with_year(written, since))
            if day:
                yield day


def _is_term(found: patterns.Match) -> bool:
    """Tell whether a match is no "applies to": that names what a rule is for."""
    applies_to = found["verb"].lower().startswith("appl") and found["until"].lower() == "to"
    return not applies_to or bool(_written_first(found["begin"]))


def _written_first(text: str) -> list[Day]:
    """Return the first date in a text; of an ambiguous one the last reading."""
    written = values(text).texts
    days = {day: text.find(said) for day, said in written.items() if isinstance(day, tuple)}
    first = min(days.values(), default=0)
    return sorted((day for day, place in days.items() if place == first), reverse=True)[:1]


def _with_year(day: Day, since: str | None) -> Day:
    """Return a day without a year as the first one of that name since an ISO date."""
    if day[0] or not since:
        return day
    year, month, first = map(int, since.split("-"))
    return year + ((month, first) > day[1:]), *day[1:]


def _last_day(written: Day) -> date | None:
    year, month, day = written
    if not year or not month:
        return None
    try:
        return date(year, month, day or monthrange(year, month)[1])
    except ValueError:
        # There is no such day.
        return None
