"""The words that stand beside numbers: scales, units and months, in the languages we know (pure)."""

import re

SCALES: dict[str, int] = {
    "k": 1_000, "thousand": 1_000, "tausend": 1_000, r"tsd\.?": 1_000, "mil": 1_000,
    "millions?": 1_000_000, "millionen": 1_000_000, r"mio\.?": 1_000_000, "mn": 1_000_000, "milh(?:ão|ões)": 1_000_000,
    "billions?": 1_000_000_000, "bn": 1_000_000_000, r"mrd\.?": 1_000_000_000, "milliarden?": 1_000_000_000,
}  # fmt: skip
_SCALE = tuple((re.compile(rf"\s?{word}(?!\w)", re.IGNORECASE), factor) for word, factor in SCALES.items())
_GLUED = (
    (re.compile(r"\s?万"), 10_000),
    (re.compile(r"\s?億"), 100_000_000),
    (re.compile(r"\s?M(?!\w)"), 1_000_000),
    (re.compile(r"m(?=\s*(?:EUR|USD|GBP|CHF|euros?|dollars?|€|\$|£))"), 1_000_000),
)

_MONEY = {
    "EUR": r"EUR|€|euros?|ユーロ",
    "USD": r"USD|US\$|\$|(?:US )?dollars?|dólares|ドル",
    "GBP": r"GBP|£|pounds?",
    "CHF": r"CHF|francs?|Franken",
    "JPY": r"JPY|¥|yen|円",
    "BRL": r"BRL|R\$|reais",
}
_SPANS = {
    "second": r"seconds?|secs?|s|Sekunden?|segundos?|秒",
    "minute": r"minutes?|mins?|Minuten?|minutos?|分",
    "hour": r"hours?|hrs?|h|Stunden?|horas?|時間",
    "day": r"(?:working |business |calendar )?days?|\w*tage?n?|dias?(?: úteis)?|営業日|日間?",
    "week": r"weeks?|\w*wochen?|semanas?|週間?",
    "month": r"months?|\w*monate?n?|mês|meses|[ヶか]月",
    "year": r"years?|\w*jahre?n?|anos?|年間?",
}
_SHARES = {"%": r"%|per ?cent|pct|Prozent|por cento|パーセント"}
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
FAMILIES = {
    **dict.fromkeys(_MONEY, "money"),
    **dict.fromkeys(_SPANS, "time"),
    **dict.fromkeys(_SHARES, "share"),
}
_AFTER = tuple(
    (unit, re.compile(rf"[\s\-*_]*(?:de )?(?:{words})(?![a-zäöüß])", re.IGNORECASE))
    for unit, words in {**_MONEY, **_SPANS, **_SHARES}.items()
)
_AFTER_A_RANGE = re.compile(r"\s*(?:to|bis|and|a|–|-|und|e|or|oder|ou)\s*\d[\d.,]*")
_BEFORE = tuple(
    (unit, re.compile(rf"(?:{words})[\s*_]*[+\-−–]?$", re.IGNORECASE))
    for unit, words in sorted(_MONEY.items(), key=lambda item: item[0] == "USD")
)

_NAMES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
)
MONTHS = {name: number for names in _NAMES for number, name in enumerate(names.split(), start=1)}


def scale_in(after: str) -> tuple[int, int]:
    """Return what the word right after a number multiplies it by, and the characters that the word takes."""
    for pattern, factor in (*_SCALE, *_GLUED):
        if found := pattern.match(after):
            return factor, found.end()
    return 1, 0


def unit_after(after: str) -> str:
    """Return the unit right after a number, or after the range that it begins; empty where there is none."""
    if ranged := _AFTER_A_RANGE.match(after):
        after = after[ranged.end() :]
    return next((unit for unit, pattern in _AFTER if pattern.match(after)), "")


def unit_before(before: str) -> str:
    """Return the currency right before a number; empty where there is none."""
    return next((unit for unit, pattern in _BEFORE if pattern.search(before[-12:])), "")
