"""Questions that a tool answers alone: sums and dates, in English, German and Portuguese (pure).

Only a whole question counts. "How many days of leave between May and July?" is about documents.
"""

from datetime import date

from graph import patterns
from graph.text.values import Day, readings, values, without_calendar
from graph.tools import ToolCall

LONGEST = 200
"""Characters; no such question is longer."""

_IGNORE = patterns.IGNORE_CASE
_ASKS_A_SUM = patterns.compile(
    r"^\s*(?:please\s+)?(?:(?P<english>what(?:['’]s| is| are)|how much (?:is|are)|calculate|compute|work out)"
    r"|was ist|was sind|was ergibt|wie ?viel (?:ist|sind|ergibt)|berechne|rechne|quanto (?:é|são)|calcule|calcula)"
    r"\s+(?P<it>.+?)[\s?.!=]*$",
    _IGNORE,
)
_SPOKEN = (
    (patterns.compile(r"(?:%|\bper ?cent|\bprozent|\bpor cento)\s*(?:of|von|de)\b", _IGNORE), " / 100 * "),
    (patterns.compile(r"%|\b(?:per ?cent|prozent|por cento)\b", _IGNORE), " / 100 "),
    (patterns.compile(r"\b(?:times|multiplied by|mal|vezes)\b", _IGNORE), " * "),
    (patterns.compile(r"\b(?:divided by|over|geteilt durch|dividido por)\b", _IGNORE), " / "),
    (patterns.compile(r"\b(?:plus|mais)\b", _IGNORE), " + "),
    (patterns.compile(r"\b(?:minus|menos)\b", _IGNORE), " - "),
    (patterns.compile(r"\s[x×·]\s|×", _IGNORE), " * "),
    (patterns.compile(r"\s:\s|÷"), " / "),
    (patterns.compile(r"[−–]"), "-"),
)
_SUM = patterns.compile(r"[\d.,\s()+*/^-]+")
_OPERATOR = patterns.compile(r"\d\s*\)*\s+[-+*/^]\s+\(*\s*\d|\d\s*[*+^]\s*\d")
"""`9/11`, `24/7` and `3-4` without spaces are no sums."""
_NUMBER = patterns.compile(r"\d[\d.,]*\d|\d")
_POINTS = str.maketrans({",": ""})
_COMMAS = str.maketrans({".": "", ",": "."})

_COUNTS = patterns.compile(
    r"^\s*(?:how many|wie viele?|quantos)\s+(?P<kind>working ?|business |work ?|week ?|arbeits|werk)?"
    r"(?:days|tage|dias)(?P<useful> úteis)?\s+(?:(?:are|lie|liegen|sind|gibt es|há)\s+)?(?:there\s+)?(?:in\s+)?"
    r"(?:between|from|zwischen|vom|von|entre|de)\s+(?:the |dem )?x+\s*,?\s*"
    r"(?:and|to|until|till|through|und|bis|e|a|até)\s+(?:the |dem |zum )?x+"
    r"(?:,? in (?:the )?(?P<country>[\w ]+?))?[\s?.!]*$",
    _IGNORE,
)
_WEEKDAY = patterns.compile(
    r"^\s*(?:(?:what|which) (?:day of the week|weekday|day) (?:is|was|will)|(?:what|which) (?:day|weekday) does"
    r"|welcher wochentag (?:ist|war)(?: der)?|que dia da semana (?:é|foi))\s+(?:the )?x+(?: (?:be|fall on))?[\s?.!]*$",
    _IGNORE,
)
_ADDS = patterns.compile(
    r"^\s*(?:what|which) (?:date|day) (?:is|was|will be|comes)\s+(?P<amount>\d{1,5})\s+(?P<working>working |business )?"
    r"(?P<unit>day|week|month|year)s?\s+(?P<side>after|from|before)\s+(?:the )?(?:x+|(?P<today>today))[\s?.!]*$",
    _IGNORE,
)
_BOTH = 2


def calls_in(question: str, today: str) -> list[ToolCall]:
    """Return the one call that answers the whole question; none if documents may be needed. `today` is ISO."""
    asked = question[:LONGEST] if len(question) <= LONGEST else ""
    call = _about_dates(asked, today) or _sum_in(asked)
    return [call] if call else []


def _sum_in(question: str) -> ToolCall | None:
    found = _ASKS_A_SUM.match(question)
    if found is None:
        return None
    said = found["it"]
    for pattern, sign in _SPOKEN:
        said = pattern.sub(sign, said)
    if not _SUM.fullmatch(said) or not _OPERATOR.search(said):
        return None
    numbers = _NUMBER.sub(lambda number: _read(number[0], is_english=found.has("english")), said)
    return ToolCall(tool="calculator", arguments={"expression": " ".join(numbers.split())})


def _read(number: str, *, is_english: bool) -> str:
    """Return a number with a decimal point. If it can be read in two ways, the question's language decides."""
    amounts = readings(number)
    if len(amounts) == 1:
        return f"{next(iter(amounts)):f}"
    return number.translate(_POINTS if is_english else _COMMAS)


def _about_dates(question: str, today: str) -> ToolCall | None:
    plain, days = without_calendar(question), _days(question, today)
    if (found := _COUNTS.match(plain)) and len(days) == _BOTH:
        is_work = bool(found["kind"] or found["useful"])
        arguments = {"operation": "working_days" if is_work else "days", "from": days[0], "to": days[1]}
        return _dates({**arguments, "country": found["country"]} if found["country"] else arguments)
    if _WEEKDAY.match(plain) and len(days) == 1:
        return _dates({"operation": "weekday", "from": days[0]})
    if found := _ADDS.match(plain):
        from_ = [today] if found["today"] else days
        sign = "-" if found["side"].casefold() == "before" else ""
        unit = f"{'working_' if found['working'] else ''}{found['unit'].casefold()}s"
        arguments = {"operation": "add", "amount": f"{sign}{found['amount']}", "unit": unit}
        return _dates({**arguments, "from": from_[0]}) if len(from_) == 1 else None
    return None


def _dates(arguments: dict[str, str]) -> ToolCall:
    return ToolCall(tool="dates", arguments=arguments)


def _days(question: str, today: str) -> list[str]:
    """Return the question's dates in ISO form, the earliest first. A missing year is that of the other date."""
    found = [day for day in values(question).dates if day[1] and day[2]]
    year = next((day[0] for day in found if day[0]), int(today[:4]))
    whole = [_iso(day, year) for day in found]
    return sorted(day for day in whole if day)


def _iso(day: Day, year: int) -> str:
    try:
        return date(day[0] or year, day[1], day[2]).isoformat()
    except ValueError:
        return ""
