"""Finds the equations that an answer shows, and computes them again (pure)."""

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation
from functools import lru_cache
from itertools import islice, pairwise, product

from graph import patterns
from graph.text.quantities import FAMILIES, scale_in, unit_after, unit_before
from graph.text.sums.percentages import SIGNS, Token, with_surcharges
from graph.text.values import readings, without_calendar

MOST_READINGS = 64
"""The most combinations of readings that are tried."""
LONGEST = 400
"""Only this many characters of a line are searched; no sum is longer."""
_LARGEST_RATIO = 10

_NUMBER = patterns.compile(r"\d+(?:[ '’]\d{3})*(?:[.,]\d+)*")
_LETTER = patterns.compile(r"[^\W\d_]")
_TOKEN = patterns.compile(rf"{_NUMBER.pattern}|[()]|(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*)|[×·*÷/+\-−–]|%")
_MINUS = tuple(sign for sign, written in SIGNS.items() if written == "-")
_PERCENT = patterns.compile(
    r"\b(?:per ?cent(?:age points?)?|Prozent(?:punkte?n?)?|por cento|pontos percentuais)\b|％", patterns.IGNORE_CASE
)
_CURRENCY = patterns.compile(rf"\b(?:{'|'.join(unit for unit, kind in FAMILIES.items() if kind == 'money')})\b|[€$£¥]")
_BULLET = patterns.compile(r"^\s*[-–*+•]\s")
_OPERATIONS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True)
class Equation:
    """One shown equation."""

    text: str
    right: bool
    results: frozenset[Decimal]
    """Its result; empty if the equation is wrong."""
    shares: frozenset[Decimal] = frozenset()
    """A ratio's result as percentages: 1.5 is 150 percent, or 50 percent more."""
    operands: tuple[frozenset[Decimal], ...] = ()
    """The readings of each number on the left side."""


def equations(sentence: str) -> list[Equation]:
    """Return the equations of a sentence with arithmetic on the left side. Dates and times are no numbers."""
    return list(_found(sentence[:LONGEST]))


def shown_sums(text: str) -> list[str]:
    """Return the right equations of a text, as they are written: no source needs to hold their numbers."""
    return [equation.text for line in text.splitlines() for equation in equations(line) if equation.right]


@lru_cache(maxsize=256)
def _found(sentence: str) -> tuple[Equation, ...]:
    # Cached, because the audit asks for a statement's sums several times.
    plain = _PERCENT.sub("%", without_calendar(sentence))
    sides = plain.replace("≈", "=").split("=")
    found = (_equation(left, right) for left, right in pairwise(sides))
    return tuple(equation for equation in found if equation)


def _equation(left: str, right: str) -> Equation | None:
    said = _NUMBER.search(right)
    before = _CURRENCY.sub("", right[: said.start()]).rstrip() if said else ""
    if said is None or _LETTER.search(before):
        return None
    factor, length = scale_in(right[said.end() :])
    unit = unit_after(right[said.end() + length :]) or unit_before(right[: said.start()])
    shown = {-reading if before.endswith(_MINUS) else reading for reading in readings(said[0])}
    tokens = _sum_at_the_end(left)
    is_share = unit == "%"
    worth = [*_results(tokens, is_share=is_share), *_results(_without_dash(tokens), is_share=is_share)]
    if not shown or not worth:
        return None
    # In "2 × 3 + 4 = 6 + 4 = 10" the second side is a sum too.
    goes_on = _sum_at_the_beginning(right)
    whole = set(_results(goes_on, is_share=is_share))
    fits = {value for value in worth if any(_is_about(value, one, factor, is_share=is_share) for one in shown)}
    results = fits | ({one * factor for one in shown} if fits - whole else set[Decimal]())
    fits |= {value for value in worth if value in whole}
    if fits & whole:
        results |= fits | {amount for token in goes_on if token[0].isdigit() for amount in readings(token)}
    is_ratio = unit in ("", "%") and any(SIGNS.get(token) == "/" for token in tokens)
    return Equation(
        f"{left[-60:].strip()} = {right[: said.end() + length].strip()}{' %' if is_share else ''}",
        bool(fits),
        frozenset(form for one in results for form in (one, abs(one))),
        frozenset(share for value in fits for share in _as_percent(value)) if is_ratio else frozenset(),
        tuple(readings(token) for token in tokens if token[0].isdigit()),
    )


def _is_about(value: Decimal, shown: Decimal, factor: int, *, is_share: bool) -> bool:
    """Tell whether the shown number is the result, rounded or cut at its last digit. 0.208 may be shown as 20.8 %."""
    decimals = int(shown.as_tuple().exponent)
    step = Decimal(1).scaleb(decimals) if decimals < 0 or factor > 1 else Decimal("0.5")
    forms = (value, value * 100) if is_share else (value,)
    return any(abs(one - shown * factor) <= step * factor for one in forms)


def _as_percent(value: Decimal) -> tuple[Decimal, ...]:
    more = (value - 1) * 100
    return (value * 100, more, abs(more)) if abs(value) < _LARGEST_RATIO else ()


def _sum_at_the_end(left: str) -> list[str]:
    tokens = _tokens(left)
    # In "at 8 %: 0.08 × 45" the sum begins behind the sign.
    while tokens and (tokens[0] == "%" or not _is_sum(tokens)):
        tokens = tokens[1:]
    return tokens


def _without_dash(tokens: list[str]) -> list[str]:
    # In "per day – 55 − 12 = 43" the first sign is a dash.
    return tokens[1:] if tokens and SIGNS.get(tokens[0]) == "-" else []


def _sum_at_the_beginning(right: str) -> list[str]:
    tokens = _tokens(right)
    while tokens and not _is_sum(tokens):
        tokens = tokens[:-1]
    return tokens


def _tokens(text: str) -> list[str]:
    # A list item's dash is no minus.
    found = _TOKEN.finditer(_BULLET.sub("", text))
    return [match[0] for match in found if match[0] == "x" or not match.has("word")]


def _is_sum(tokens: list[str]) -> bool:
    numbers = sum(token[0].isdigit() for token in tokens)
    tree = _parsed(["1" if token[0].isdigit() else token for token in tokens])
    return numbers > 1 and tree is not None and not any(isinstance(node, ast.Call) for node in ast.walk(tree))


def _results(tokens: list[str], *, is_share: bool) -> Iterator[Decimal]:
    """Yield what a sum may be worth. Percentages alone, or with a percentage as the result, are added as they stand."""
    choices = [[str(one) for one in readings(token)] or [token] if token[0].isdigit() else [token] for token in tokens]
    alone = tokens.count("%") == sum(token[0].isdigit() for token in tokens)
    percents = ("/100", "") if "%" in tokens and (is_share or alone) else ("/100",)
    # The limit counts combinations, not results: a division by zero has no result.
    tried = ((chosen, percent) for chosen in product(*choices) for percent in percents)
    for chosen, percent in islice(tried, MOST_READINGS):
        written = with_surcharges([*map(Token, chosen)])
        tree = _parsed([percent if token.text == "%" else token.text for token in written])
        if tree is not None and (result := _computed(tree)) is not None:
            yield result


def _parsed(tokens: list[str]) -> ast.expr | None:
    # Spaces separate two numbers without an operator, so that parsing fails.
    source = " ".join(SIGNS.get(part, "" if part == "%" else _plain(part)) for part in tokens)
    try:
        return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _plain(number: str) -> str:
    if not number.startswith("0"):
        return number
    bare = number.lstrip("0")
    return bare if bare[:1].isdecimal() else f"0{bare}"


def _computed(tree: ast.expr) -> Decimal | None:
    match tree:
        case ast.Constant(value=int() | float() as number):
            return Decimal(str(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _computed(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATIONS:
            one, other = _computed(left), _computed(right)
            if one is None or other is None:
                return None
            try:
                return _OPERATIONS[type(sign)](one, other)
            except (DivisionByZero, InvalidOperation):
                return None
        case _:
            return None
