"""Words beside numbers: scales and units, in several languages (pure)."""

from decimal import Decimal

from graph import patterns
from graph.text.lexicon import NUMBER_WORDS

_SCALES = {
    1_000: r"k|thousand|tausend|tsd\.?|mil",
    1_000_000: r"millions?|millionen|mio\.?|mn|milh(?:ão|ões)",
    1_000_000_000: r"billions?|bn|mrd\.?|milliarden?",
}
SCALES = "|".join(_SCALES.values())
"""The scale words as a pattern."""
_SCALE = patterns.compile(
    rf"\s?(?P<it>{'|'.join(f'({words})' for words in _SCALES.values())})(?:\W|$)", patterns.IGNORE_CASE
)
_MILLION = patterns.compile(r"(?P<it>\s?M)(?:\W|$)")
_MILLION_OF_MONEY = patterns.compile(r"(?P<it>m)\s*(?:EUR|USD|GBP|CHF|euros?|dollars?|€|\$|£)")
_GLUED = {"万": 10_000, "億": 100_000_000}
LOOKED_AT = 100
"""Characters beside a number that are searched for its scale and unit."""

_MONEY = {
    "EUR": r"EUR|€|euros?",
    "USD": r"USD|US\$|\$|(?:US )?dollars?|dólares",
    "GBP": r"GBP|£|pounds?",
    "CHF": r"CHF|francs?|Franken",
    "JPY": r"JPY|¥|yen",
    "BRL": r"BRL|R\$|reais",
}
_SPANS = {
    "second": r"seconds?|secs?|s|Sekunden?|segundos?",
    "minute": r"minutes?|mins?|Minuten?|minutos?",
    "hour": r"hours?|hrs?|h|Stunden?|horas?",
    "day": r"(?:working |business |calendar )?days?|\w*tage?n?|dias?(?: úteis)?",
    "week": r"weeks?|\w*wochen?|semanas?",
    "month": r"months?|\w*monate?n?|mês|meses",
    "year": r"years?|\w*jahre?n?|anos?",
}
_DEGREE = {"°": r"°(?: ?[CF]\b)?|degrees?|Grad|graus?"}
_SHARES = {"%": r"%|per ?cent|pct|Prozent|por cento"}
_MONTH = 2_629_746
"""The seconds of an average month: a year has twelve, and neither is a number of days."""
SECONDS = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": _MONTH, "year": 12 * _MONTH,
}  # fmt: skip
FAMILIES = {
    **dict.fromkeys(_MONEY, "money"),
    **dict.fromkeys(_SPANS, "time"),
    **dict.fromkeys(_SHARES, "share"),
    **dict.fromkeys(_DEGREE, "temperature"),
}
_JAPANESE = {
    "ユーロ": "EUR", "ドル": "USD", "円": "JPY", "秒": "second", "分": "minute", "時間": "hour", "営業日": "day",
    "日": "day", "週": "week", "ヶ月": "month", "か月": "month", "年": "year", "パーセント": "%",
}  # fmt: skip
"""Patterns read every letter of another script as the same letter, so these units have a table."""
_LAST_LATIN = "ɏ"


def _any_of(units: dict[str, str]) -> str:
    return "|".join(f"({words})" for words in units.values())


_UNITS = {**_MONEY, **_SPANS, **_SHARES, **_DEGREE}
_AFTER = patterns.compile(rf"[\s\-*_]*(?:de )?(?:{_any_of(_UNITS)})(?:[^a-z]|$)", patterns.IGNORE_CASE)
_AFTER_A_RANGE = patterns.compile(r"\s*(?:to|bis|and|a|–|-|und|e|or|oder|ou)\s*\d[\d.,]*")
_BEFORE = patterns.compile(rf"(?:{_any_of(_MONEY)})[\s*_]*[+\-−–]?$", patterns.IGNORE_CASE)
_COUNT = patterns.compile(r"(?:^|[^\w.,])(?P<it>\d+(?:[.,]\d+)*)")
_WITH_DEGREES = patterns.compile(r"\s?(?:°|(?:[Dd]egrees?|[Gg]rad|[Gg]raus?|C|F)\b)")
_WORD_AFTER = patterns.compile(r"\s?(?P<it>[a-zA-Z]+)\b")
_MINUS = "−"
_DASHES = (_MINUS, "-", "–")
_SAID_MINUS = ("minus ", "Minus ")
_CODE = 3
"""Letters of a currency's code."""
_BESIDE_SIGNS = "*_€$£¥"
_TELLS_LESS = patterns.compile(
    r"\b(?:minus|less|lower\w*|fewer|below|under|off|discount\w*|reduc\w+|decreas\w+|drop\w*|fall\w*|fell|declin\w+"
    r"|deduct\w*|loss\w*|los[et]|debts?|owed?|cut|sav\w+|cheaper|negative|rebate\w*|subtract\w*|down|before|earlier"
    r"|weniger|niedriger\w*|unter\w*|\w*rabatt\w*|nachlass|abz[uü]g\w*|abgezogen|reduzier\w*|s[ia]nk\w*|gesunken"
    r"|f[aä]llt|fiel\w*|gefallen|rückgang|verlust\w*|schuld\w*|günstiger|billiger|spar\w*|negativ\w*|vor|früher|skonto"
    r"|refund\w*|credit\w*|back|return\w*|repa[iy]\w*|\w*gutschrift\w*|gutgeschrieben|\w*erstatt\w*|zurück\w*"
    r"|crédito\w*|reembols\w*|devolu\w*|devolv\w*|menos|abaixo|desconto\w*|redu[zç]\w+|queda|cai\w*|diminu\w+|perd\w+|dívidas?"
    r"|poup\w+|antes|ded\w+)\b",
    patterns.IGNORE_CASE,
)
"""Words with which an amount without a sign may be one below zero: "-10 %" is "10 % off", and "-10 EUR" a credit."""
_BESIDE = " \t\n\u00a0\u3000-*_"

_SIZES = {
    "length": {
        "km": "1000",
        "m": "1",
        "cm": "0.01",
        "mm": "0.001",
        "mi": "1609.344",
        "yd": "0.9144",
        "ft": "0.3048",
        "in": "0.0254",
    },
    "mass": {"t": "1000", "kg": "1", "g": "0.001", "mg": "0.000001", "lb": "0.45359237", "oz": "0.028349523125"},
    "volume": {"l": "1", "dl": "0.1", "cl": "0.01", "ml": "0.001"},
    "time": {"weeks": "604800", "days": "86400", "h": "3600", "min": "60", "s": "1"},
    "data": {"TB": "1e12", "GB": "1e9", "MB": "1e6", "KB": "1e3"},
    **{currency: {currency: "1"} for currency in _MONEY},
}
SIZES = {unit: Decimal(size) for units in _SIZES.values() for unit, size in units.items()}
"""The size of each unit that a sum may have, beside the unit of its measure whose size is 1."""
MEASURES = {unit: measure for measure, units in _SIZES.items() for unit in units}
"""What each of them measures. No currency is like another."""
_WORDS = {
    "kilometers": "km", "kilometres": "km", "meters": "m", "metres": "m", "miles": "mi", "feet": "ft", "inches": "in",
    "yards": "yd", "foot": "ft", "meilen": "mi", "milhas": "mi", "kilometer": "km", "quilómetros": "km",
    "tonnes": "t", "kilos": "kg", "kilograms": "kg", "grams": "g", "pounds": "lb", "ounces": "oz", "liters": "l",
    "litres": "l", "hours": "h", "hrs": "h", "stunden": "h", "horas": "h", "minutes": "min", "mins": "min",
    "minuten": "min", "minutos": "min", "seconds": "s", "sekunden": "s", "segundos": "s", "tage": "days",
    "dias": "days", "wochen": "weeks", "semanas": "weeks", "gigabytes": "GB", "megabytes": "MB", "terabytes": "TB",
    "€": "EUR", "euros": "EUR", "$": "USD", "dollars": "USD", "£": "GBP", "francs": "CHF",
}  # fmt: skip
_NAMED = {**{unit.casefold(): unit for unit in SIZES}, **_WORDS}


_DEGREES = {"c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F", "k": "K", "kelvin": "K"}
DEGREES = r"(?:°|degrees? |grad |graus? )?\s?(?:c|celsius|f|fahrenheit|k|kelvin)"
"""A temperature's unit as a pattern."""
_OF_DEGREES = patterns.compile(r"°|\b(?:degrees?|grad|graus?)\b", patterns.IGNORE_CASE)


def degrees_named(word: str) -> str:
    """Return the unit of a temperature that a word names; empty if it names none. No sum may have such a unit."""
    return _DEGREES.get(_OF_DEGREES.sub("", word).strip().casefold(), "")


def unit_named(word: str) -> str:
    """Return the unit of a sum that a word names, also in the singular; empty if it names none."""
    plain = word.casefold()
    names = [plain, f"{plain}s", f"{plain}n"] if word else []
    return word if word in SIZES else next((_NAMED[one] for one in names if one in _NAMED), "")


_HALVED = "|".join((SCALES, *(_SPANS[unit] for unit in ("hour", "month", "year"))))
"""Without days: half a day may be four hours."""
_PART = patterns.compile(
    r"(?P<and>\band )?\b(?:an? |ein\w* )?"
    r"(?:(?P<most>(?:three|3) quarters|dreiviertel)|(?P<half>half|halbe[nrsm]?|mei[ao])|(?P<quarter>quarter|viertel))"
    rf"(?P<gap>\s?(?:of )?(?P<article>an? )?)(?P<each>(?P<scale>{SCALES})|{_HALVED})\b",
    patterns.IGNORE_CASE,
)
_AND_A_HALF = r"(?: and a half| e mei[ao])\b"
_WITH_A_HALF = patterns.compile(
    rf"\b(?:(?P<count>\d+)|(?P<one>\d+|an?|one|uma?) (?P<each>{'|'.join((SCALES, *_SPANS.values()))})){_AND_A_HALF}",
    patterns.IGNORE_CASE,
)
_SPAN_AFTER = patterns.compile(rf"[\s-](?:{'|'.join(_SPANS.values())})\b", patterns.IGNORE_CASE)
_GERMAN_HALF = patterns.compile(r"\b(?P<count>\w+?)(?:ein|t)halb\b", patterns.IGNORE_CASE)
_HALF_MORE = {**NUMBER_WORDS, "ein": "1", "ander": "1"}
SCALED = patterns.compile(rf"(?P<digit>\d\s?)(?P<word>{SCALES})\b", patterns.IGNORE_CASE)
"""A scale word behind digits."""
UNSCALED = patterns.compile(
    rf"(?:(?P<before>\w+)\s+)?\b(?P<word>{SCALES}|hundreds|thousands|cientos|miles)\b(?P<half>{_AND_A_HALF})?",
    patterns.IGNORE_CASE,
)
"""A scale word behind another word, or none."""
_SEVERAL = frozenset({"hundreds", "thousands", "millions", "billions", "millionen", "milliarden", "milhões", "cientos",
    "miles", "millones"})  # fmt: skip
_PARTS = frozenset({"half", "quarter"})
_SOME = _PARTS | frozenset({"few", "several", "some", "many", "einige", "einigen", "mehrere", "mehreren",
    "viele", "vielen", "wenige", "wenigen", "paar", "alguns", "vários", "muitos", "poucos"})  # fmt: skip


def with_parts_in_digits(text: str) -> str:
    """Return a text with "0.5 million" for "half a million"."""
    return _PART.sub(_part_in_digits, text)


def _part_in_digits(found: patterns.Match) -> str:
    # "Two and a half million" is more than a half, and "the first half year" no span.
    is_english = found["half"].casefold() == "half" or found.has("quarter") or found.has("most")
    if found.has("and") or (is_english and " " in found["gap"] and not (found.has("article") or found.has("scale"))):
        return found[0]
    share = "0.5" if found.has("half") else "0.25" if found.has("quarter") else "0.75"
    return f"{share} {found['each']}"


def with_halves_in_digits(text: str) -> str:
    """Return a text with "2.5 hours" for "2 and a half hours" or "2 hours and a half"."""
    text = _GERMAN_HALF.sub(lambda found: _and_a_half(found["count"], found[0]), text)
    return _WITH_A_HALF.sub(lambda found: found[0] if _is_halved(text, found) else _with_half(found), text)


def _is_halved(text: str, found: patterns.Match) -> bool:
    """Tell whether the half is of what follows: "30 days and a half day"."""
    return found.has("each") and _SPAN_AFTER.match(text[found.end() : found.end() + LOOKED_AT]) is not None


def _with_half(found: patterns.Match) -> str:
    return _and_a_half(found["count"] or found["one"], found[0], found["each"])


def _and_a_half(count: str, written: str, each: str = "") -> str:
    plain = count.casefold()
    number = plain if plain.isdecimal() else "1" if each else _HALF_MORE.get(plain, "")
    return f"{number}.5 {each}".strip() if number else written


def stands_for_many(found: patterns.Match) -> bool:
    """Tell whether a scale word says that there are many or some, as in "millions of people" and "a few thousand"."""
    before, word = found["before"].casefold(), found["word"].casefold()
    is_part = found.has("half") or before.endswith("halb")
    return not is_part and (before in _SOME - _PARTS or word in _SEVERAL)


def is_vague(found: patterns.Match) -> bool:
    """Tell whether a scale word is no number of its own, as in "millions of people" and "a million and a half"."""
    before, word = found["before"].casefold(), found["word"].casefold()
    return found.has("half") or before in _SOME or before.endswith("halb") or word in _SEVERAL


def scale_in(after: str) -> tuple[int, int]:
    """Return the factor of the scale word after a number, and the word's length."""
    after = after[:LOOKED_AT]
    if found := _SCALE.match(after):
        return next(factor for place, factor in enumerate(_SCALES, 2) if found.has(place)), found.end()
    if found := _MILLION.match(after) or _MILLION_OF_MONEY.match(after):
        return 1_000_000, found.end()
    gap = len(after[:1]) - len(after[:1].lstrip())
    sign = after[gap : gap + 1]
    return (_GLUED[sign], gap + 1) if sign in _GLUED else (1, 0)


def unit_after(after: str) -> str:
    """Return the unit after a number, or after the range that it begins; empty if there is none."""
    after = after[:LOOKED_AT]
    if ranged := _AFTER_A_RANGE.match(after):
        after = after[ranged.end() :]
    # A unit may be followed by Japanese text.
    found = _AFTER.match("".join("。" if _is_of_another_script(letter) else letter for letter in after))
    return _unit(found, _UNITS) if found else _japanese_unit(after.lstrip(_BESIDE))


def sign_of(before: str, after: str) -> str:
    """Return the sign of a number by the texts before and after it: "-", "+", or "" if words beside it may tell it.

    A dash is a minus if no word and no number touches it. At the beginning of a line it may be a list's.
    """
    before, after = before[-LOOKED_AT:].rpartition("\n")[2].rstrip(_BESIDE_SIGNS), after[:LOOKED_AT].partition("\n")[0]
    if (bare := before.rstrip()).endswith(tuple(_MONEY)):
        before = bare[:-_CODE]
    if _TELLS_LESS.search(f"{before.rpartition('. ')[2]} 0 {after.partition('. ')[0]}"):
        return "-" if before.endswith(_SAID_MINUS) else ""
    if not before.endswith(_DASHES):
        return "" if before.endswith("±") else "+"
    ahead = before[:-1].rstrip(_BESIDE_SIGNS)
    if not ahead:
        return "-" if before[-1] == _MINUS else ""
    return "+" if ahead[-1].isalnum() or ahead.rstrip()[-1:].isdecimal() else "-"


def units_in(text: str) -> set[str]:
    """Return the units of the numbers in a text. A number of a name, such as "R2" or "Microsoft 365", has none."""
    return {unit for found in _COUNT.finditer(text) if (unit := _unit_beside(text, found.start(), found.end()))}


def _unit_beside(text: str, begins: int, ends: int) -> str:
    after = text[ends : ends + LOOKED_AT]
    if _WITH_DEGREES.match(after):
        return "°"
    word = found["it"] if (found := _WORD_AFTER.match(after)) else ""
    # "365 in" is no length.
    size = unit_named(word) if word != "in" and (word in SIZES or word.islower()) else ""
    return unit_after(after) or unit_before(text[:begins]) or size


def unit_before(before: str) -> str:
    """Return the currency before a number; empty if there is none."""
    before = before[-12:]
    if found := _BEFORE.search(before):
        return _unit(found, _MONEY)
    bare = before.rstrip("+-−–").rstrip(_BESIDE)
    return next((unit for sign, unit in _JAPANESE.items() if unit in _MONEY and bare.endswith(sign)), "")


def _unit(found: patterns.Match, units: dict[str, str]) -> str:
    return next(unit for place, unit in enumerate(units, 1) if found.has(place))


def _japanese_unit(after: str) -> str:
    begins = after.removeprefix("de ")
    named = next((sign for sign in _JAPANESE if begins.startswith(sign)), "")
    return _JAPANESE[named] if named and not _goes_on(begins[len(named) :]) else ""


def _goes_on(rest: str) -> bool:
    letter = rest[:1].casefold()
    return bool(letter) and ("a" <= letter <= "z" or letter in "äöüß")


def _is_of_another_script(letter: str) -> bool:
    return letter > _LAST_LATIN and letter.isalnum()
