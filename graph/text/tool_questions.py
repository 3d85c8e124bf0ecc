"""Questions that a tool answers alone: sums, units and dates, in English, German and Portuguese (pure).

Only a whole question counts. "How many days of leave between May and July?" is about documents.
"""

from datetime import date

from graph import patterns
from graph.calendar.dates import Day
from graph.text.quantities import DEGREES, MEASURES, degrees_named, unit_named
from graph.text.values import readings, values, without_calendar
from graph.tools import ToolCall

LONGEST = 200
"""Characters; no such question is longer."""

_IGNORE = patterns.IGNORE_CASE
_POLITELY = r"^\s*(?:(?:please|(?:can|could|would) you|tell me|kannst du|bitte|pode)\s+)*"
_ASKS_A_SUM = patterns.compile(
    rf"{_POLITELY}(?:(?P<english>what(?:['’]s| is| are)?|how much (?:is|are)|calculate|compute|work out)"
    r"|was ist|was sind|was (?:er)?gibt|was macht|wie ?viel (?:ist|sind|ergibt)|berechne|rechne|quanto (?:é|são)"
    r"|calcule|calcula)"
    r"\s+(?P<it>.+?)(?: is)?[\s?.!=]*$",
    _IGNORE,
)
_BARE_SUM = patterns.compile(r"^\s*(?P<it>[^?]*\d[^?]*?)[\s?=]*$")
"""A sum without a question around it, which need not be one."""
_RECKONS = patterns.compile(
    r"[+*^×÷]|\s/\s|%\s*(?:of|von|de)\b|\b(?:plus|minus|times|multiplied by|divided by|mal|geteilt durch|hoch|mais"
    r"|menos|vezes|dividido por)\b",
    _IGNORE,
)
"""What only sums have. `10 - 12` may be a range, and `3 x 145` a size."""
_N = r"\d(?:[\d.,]*\d)?"
_ORDERS = tuple(
    (patterns.compile(rf"{_POLITELY}{said}[\s?.!]*$", _IGNORE), expression)
    for said, expression in (
        (rf"multiply (?P<a>{_N}) (?:by|with|and|times) (?P<b>{_N})", "{a} * {b}"),
        (rf"divide (?P<a>{_N}) by (?P<b>{_N})", "{a} / {b}"),
        (rf"add (?:up )?(?P<a>{_N}) (?:and|to|plus) (?P<b>{_N})", "{a} + {b}"),
        (rf"subtract (?P<b>{_N}) from (?P<a>{_N})", "{a} - {b}"),
        (rf"(?:what(?:['’]s| is) )?(?:the )?square root of (?P<a>{_N})", "sqrt({a})"),
        (rf"multipliziere (?P<a>{_N}) (?:mit|und) (?P<b>{_N})", "{a} * {b}"),
        (rf"teile (?P<a>{_N}) durch (?P<b>{_N})", "{a} / {b}"),
    )
)
"""Sums in the words of an order."""
_TOTAL = patterns.compile(
    rf"{_POLITELY}(?:what(?:['’]s| is) )?(?:the )?(?:sum|total) of (?P<list>{_N}(?:(?:, and |, | and ){_N})+)[\s?.!]*$",
    _IGNORE,
)
_SEPARATORS = patterns.compile(r", and |, | and ")
_IN_GERMAN = patterns.compile(r"\b(?:multipliziere|teile)\b", _IGNORE)
_SPOKEN = (
    (patterns.compile(r"(?:%|\bper ?cent|\bprozent|\bpor cento)\s*(?:of|von|de)\b", _IGNORE), "% * "),
    (patterns.compile(r"%|\b(?:per ?cent|prozent|por cento)\b", _IGNORE), "% "),
    (patterns.compile(r"\bto the power of\b|\bhoch\b", _IGNORE), " ^ "),
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
_AMOUNT = patterns.compile(rf"(?P<sign>[€$£])?\s*(?P<number>{_N})(?:\s*(?P<unit>[^\W\d_]+|[€$£]))?")
_COMPOUND = patterns.compile(
    rf"(?P<a>{_N}\s*(?:h|hours?|days?|weeks?|stunden?|tage?|horas?|dias?))\s+(?:and|und|e)\s+", _IGNORE
)
_NUMBER = patterns.compile(r"\d[\d.,]*\d|\d")
_UNIT = rf"(?:{DEGREES}|[^\W\d_]+)"
_CONVERSIONS = (
    patterns.compile(
        rf"{_POLITELY}(?:(?P<asks>what(?:['’]s| is| are)|how much (?:is|are)|convert) )?"
        rf"(?P<sign>[-−])?(?P<amount>{_N})\s*(?P<unit>{_UNIT})\s+(?:in|to|into)\s+(?P<other>{_UNIT})[\s?.!=]*$",
        _IGNORE,
    ),
    patterns.compile(
        rf"{_POLITELY}(?P<asks>how many) (?P<other>{_UNIT}) (?:is|are)(?: there in)? "
        rf"(?P<sign>[-−])?(?P<amount>{_N})\s*(?P<unit>{_UNIT})[\s?.!]*$",
        _IGNORE,
    ),
    patterns.compile(
        rf"{_POLITELY}(?:(?P<asks>was sind|was ist|wie ?viel (?:ist|sind)|rechne|quanto (?:é|são)|converta) )"
        rf"(?P<sign>[-−])?(?P<amount>{_N})\s*(?P<unit>{_UNIT})\s+(?:in|em|para)\s+(?P<other>{_UNIT})(?: um)?[\s?.!=]*$",
        _IGNORE,
    ),
)
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
_FROM_NOW = patterns.compile(
    rf"{_POLITELY}(?:(?:in (?P<ahead>\d{{1,5}}) (?P<span>day|week|month|year)s?,? )?(?:what(?:['’]s| is)?|which) )?"
    r"(?:the )?(?:date|day)(?: (?:will it be|it will be|is it|it is|will be|is))?"
    r"(?: (?:in )?(?P<amount>\d{1,5}) (?P<unit>day|week|month|year)s?(?: from (?:now|today))?)?[\s?.!]*$",
    _IGNORE,
)
_UNTIL = patterns.compile(
    r"^\s*how many (?P<working>working |business )?days(?: (?:are (?:there|left)|is it))? (?:until|till)"
    r" (?:the )?x+[\s?.!]*$",
    _IGNORE,
)
_BOTH = 2


def calls_in(question: str, today: str) -> list[ToolCall]:
    """Return the one call that answers the whole question; none if documents may be needed. `today` is ISO."""
    asked = question[:LONGEST] if len(question) <= LONGEST else ""
    call = _about_dates(asked, today) or _sum_in(asked)
    return [call] if call else []


def _sum_in(question: str) -> ToolCall | None:
    if expression := _ordered(question) or _converted(question):
        return ToolCall(tool="calculator", arguments={"expression": expression})
    asked = _ASKS_A_SUM.match(question)
    found = asked or _BARE_SUM.match(question)
    if found is None:
        return None
    said = found["it"]
    for pattern, sign in _SPOKEN:
        said = pattern.sub(sign, said)
    said = _joined(said)
    plain = _AMOUNT.sub(_without_unit, said.replace("%", " / 100"))
    if not _SUM.fullmatch(plain) or not _OPERATOR.search(plain) or not (asked or _is_surely_reckoned(question)):
        return None
    is_english = asked is None or asked.has("english")
    numbers = _NUMBER.sub(lambda number: _read(number[0], is_english=is_english), said)
    return ToolCall(tool="calculator", arguments={"expression": " ".join(numbers.split())})


def _is_surely_reckoned(said: str) -> bool:
    """Tell whether a message without a question is a sum, and which one."""
    return _is_clear(said) and _RECKONS.search(said) is not None


def _is_clear(said: str) -> bool:
    """Tell whether numbers have one reading: without a question, nothing says what the point in 1.200 is."""
    numbers = (number[0] for number in _NUMBER.finditer(said))
    return not any("." in number and len(readings(number)) > 1 for number in numbers)


def _joined(said: str) -> str:
    """Return a sum in which "2 hours and 45 minutes" is one, unless something multiplies it."""
    return said if set(said) & set("*/^") else _COMPOUND.sub(lambda found: f"{found['a']} + ", said)


def _without_unit(found: patterns.Match) -> str:
    is_unit = unit_named(found["unit"] or found["sign"] or "")
    return f" {found['number']}" if is_unit else found[0]


def _ordered(question: str) -> str:
    """Return the sum that a question orders in words; empty if it orders none."""
    is_english = not _IN_GERMAN.search(question)
    if found := _TOTAL.match(question):
        return " + ".join(_read(one, is_english=True) for one in _SEPARATORS.split(found["list"]))
    for pattern, expression in _ORDERS:
        if found := pattern.match(question):
            operands = {name: _read(found[name], is_english=is_english) for name in "ab" if f"{{{name}}}" in expression}
            return expression.format(**operands)
    return ""


def _converted(question: str) -> str:
    """Return the conversion that a question asks for, between units of what measures the same; empty if it is none."""
    for pattern in _CONVERSIONS:
        found = pattern.match(question)
        if found and _are_alike(found["unit"], found["other"]) and (found.has("asks") or _is_clear(question)):
            amount = _read(found["amount"], is_english=pattern is not _CONVERSIONS[-1])
            return f"{found['sign'] and '-'}{amount} {found['unit']} in {found['other']}"
    return ""


def _are_alike(unit: str, other: str) -> bool:
    own, its = unit_named(unit), unit_named(other)
    if own and its:
        return own != its and MEASURES[own] == MEASURES[its]
    return bool(degrees_named(unit) and degrees_named(other)) and degrees_named(unit) != degrees_named(other)


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
    if (found := _UNTIL.match(plain)) and len(days) == 1:
        return _dates({"operation": "working_days" if found["working"] else "days", "from": today, "to": days[0]})
    if (found := _FROM_NOW.match(question)) and (amount := found["ahead"] or found["amount"]):
        return _dates(
            {
                "operation": "add",
                "from": today,
                "amount": amount,
                "unit": f"{(found['span'] or found['unit']).casefold()}s",
            }
        )
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
