"""A calculator over exact decimals, with units that it converts, and without `eval` (pure)."""

import ast
import operator
from collections.abc import Callable
from decimal import Context, Decimal, DecimalException, Inexact, getcontext, localcontext
from typing import Any, cast

from simpleeval import InvalidExpression, SimpleEval

from bot.tools.units import Number, Quantity, UnlikeError
from graph import patterns
from graph.text.quantities import DEGREES, degrees_named, unit_named
from graph.text.sums.percentages import Token, with_surcharges
from graph.tools import ToolError

LONGEST = 300
"""Characters of an expression."""
PRECISION = 40
"""Digits of a result; a longer one is rounded and shown with ≈."""
SHOWN = 10
"""Decimals of a rounded result."""
LARGEST_POWER = 1000
LONGEST_SHOWN = 100
"""Characters of a result. A longer one would be cut later, to another number."""

_EVALUATOR: Any = cast("Any", SimpleEval)
"""The library is not typed."""
_NUMBER = patterns.compile(r"(?P<sign>[€$£])?\s*(?P<number>\d+(?:\.\d+)?|\.\d+)(?:\s*(?P<unit>[^\W\d_]+|[€$£]))?")
_SUM = patterns.compile(r"[\w\s.,()+*/%-]+")
"""What a sum is made of; the result is shown with it."""
_TOKEN = patterns.compile(r"(?P<text>\d+(?:\.\d+)?|\.\d+|[^\W\d_]+|\S)(?P<space>\s*)")
_PERCENT = patterns.compile(r"(?P<it>%)\s{0,9}(?:[^\s\w.(€$£]|in\s|$)")
"""A sign behind which no number comes. Otherwise it is a remainder: `10 % 3`."""
_NAME = patterns.compile(r"[A-Za-z_]\w*")
_CONVERTED = patterns.compile(r"(?P<sum>.+?)\s+in\s+(?P<unit>[^\W\d_]+)\s*")
_DEGREES = patterns.compile(
    rf"\s*(?P<amount>[-−]?\d+(?:\.\d+)?)\s*(?P<unit>{DEGREES})\s+in\s+(?P<other>{DEGREES})\s*", patterns.IGNORE_CASE
)
_OF_DEGREES = {
    ("°C", "°F"): "{} × 9 ÷ 5 + 32",
    ("°F", "°C"): "({} − 32) × 5 ÷ 9",
    ("°C", "K"): "{} + 273.15",
    ("K", "°C"): "{} − 273.15",
    ("°F", "K"): "({} − 32) × 5 ÷ 9 + 273.15",
    ("K", "°F"): "({} − 273.15) × 9 ÷ 5 + 32",
}
"""How a temperature is converted. Its scales begin at different points, so that it is no amount."""
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**"})
_SHOWN = (("%", " mod "), ("**", "^"), ("*", "×"), ("/", "÷"), (" - ", " − "))


def calculated(expression: str) -> str:
    """Return the expression with its result, such as `3 × 145 EUR = 435 EUR`, or why its units have none.

    A conversion also has its steps: `2.5 h in minutes: 2.5 × 3600 ÷ 60 = 150 minutes`. Raises `ToolError` if it is no
    sum.
    """
    if not expression.strip() or len(expression) > LONGEST:
        raise ToolError("The expression is empty or too long.")
    shown = legible(expression)
    with localcontext(Context(prec=PRECISION)):
        try:
            if conversion := _conversion(expression):
                steps, unit = conversion
                return f"{shown}: {_equation(steps)} {unit}"
            return _equation(expression)
        except UnlikeError as error:
            return f"{shown} has no result: {error}"


def _equation(expression: str) -> str:
    result = _worth(_plain(expression))
    # Numbers are read exactly, so only a rounded operation raises this flag.
    is_exact = not getcontext().flags[Inexact]
    return f"{legible(expression)} {'=' if is_exact else '≈'} {' '.join(_parts(result, is_exact=is_exact))}"


def _conversion(expression: str) -> tuple[str, str] | None:
    """Return the steps of a conversion as an expression, and the unit of its result; `None` if it is none."""
    if found := _DEGREES.fullmatch(expression):
        own, other = degrees_named(found["unit"]), degrees_named(found["other"])
        return (_OF_DEGREES[own, other].format(found["amount"]), other) if own != other else None
    found = _CONVERTED.fullmatch(expression)
    unit = unit_named(found["unit"]) if found else ""
    if found is None or not unit:
        return None
    quantity = _worth(_plain(found["sum"]))
    if not isinstance(quantity, Quantity):
        raise ToolError("Only an amount with a unit can be converted.")
    return f"{quantity.steps_to(unit)}", found["unit"]


def legible(expression: str) -> str:
    """Return an expression as people write it, in one line: `3 × 145` for `3*145`."""
    shown = _plain(expression)
    for sign, other in _SHOWN:
        shown = shown.replace(sign, other)
    return " ".join(shown.split())


def _plain(expression: str) -> str:
    """Return an expression with Python's signs."""
    tokens = [Token(found["text"], found["space"]) for found in _TOKEN.finditer(expression.translate(_SIGNS))]
    return _PERCENT.sub(" / 100", "".join(f"{text}{space}" for text, space in with_surcharges(tokens)))


def _parts(result: Number, *, is_exact: bool) -> list[str]:
    parts = result.parts() if isinstance(result, Quantity) else [(result, "")]
    return [f"{_written(amount, is_exact=is_exact)} {_after(amount, unit)}".strip() for amount, unit in parts]


def _after(amount: Decimal, unit: str) -> str:
    return unit.removesuffix("s") if unit in ("days", "weeks") and amount == 1 else unit


def _worth(plain: str) -> Number:
    numbers: dict[str, Number] = {}

    def named(found: patterns.Match) -> str:
        # As a literal of Python, 0.1 would be a binary fraction.
        amount, word = Decimal(found["number"]), found["unit"] or found["sign"] or ""
        unit = unit_named(word)
        numbers[f"n{len(numbers)}"] = Quantity.of(amount, unit) if unit else amount
        return f"n{len(numbers) - 1} {'' if unit else word}"

    said = _NUMBER.sub(named, plain)
    if not _SUM.fullmatch(said):
        raise ToolError("The expression holds other signs.")
    if {found[0] for found in _NAME.finditer(said)} - _FUNCTIONS.keys() - numbers.keys():
        raise ToolError("The expression holds words.")
    try:
        evaluator = _EVALUATOR(operators=_OPERATORS, functions=_FUNCTIONS, names=numbers)
        result = evaluator.eval(said)
    except (InvalidExpression, DecimalException, SyntaxError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ToolError("The expression cannot be computed.") from error
    except (TypeError, ValueError, KeyError) as error:
        raise ToolError("The expression is no sum.") from error
    if isinstance(result, Quantity):
        return result
    if not isinstance(result, Decimal) or not result.is_finite():
        raise ToolError("The result is no number.")
    return result


def _power(one: Decimal, other: Decimal) -> Decimal:
    if abs(other) > LARGEST_POWER:
        raise ToolError("The power is too large.")
    return one**other


def _written(result: Decimal, *, is_exact: bool) -> str:
    if abs(result.adjusted()) > LONGEST_SHOWN:
        raise ToolError("The result is too long.")
    rounded = result if is_exact else round(result, SHOWN)
    text = f"{rounded:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": Decimal.sqrt, "abs": abs, "min": min, "max": max}
