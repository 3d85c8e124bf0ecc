"""A calculator over exact decimals, without `eval` (pure)."""

import ast
import operator
from collections.abc import Callable
from decimal import Context, Decimal, DecimalException, Inexact, localcontext
from typing import Any, cast

from simpleeval import InvalidExpression, SimpleEval

from graph import patterns
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
_NUMBER = patterns.compile(r"\d+(?:\.\d+)?|\.\d+")
_SUM = patterns.compile(r"[\w\s.,()+*/-]+")
"""What a sum is made of; the result is shown with it."""
_NAME = patterns.compile(r"[A-Za-z_]\w*")
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "*"})
_SHOWN = (("**", "^"), ("*", "×"), ("/", "÷"), (" - ", " − "))


def calculated(expression: str) -> str:
    """Return the expression with its result, such as `3 × 145 = 435`. Raises `ToolError` if it is no sum."""
    if not expression.strip() or len(expression) > LONGEST:
        raise ToolError("The expression is empty or too long.")
    plain = expression.replace("^", "**").replace("%", " / 100").translate(_SIGNS)
    with localcontext(Context(prec=PRECISION)) as context:
        result = _worth(plain)
        # Numbers are read exactly, so only a rounded operation raises this flag.
        is_exact = not context.flags[Inexact]
    written = _written(result, is_exact=is_exact)
    shown = plain
    for sign, other in _SHOWN:
        shown = shown.replace(sign, other)
    return f"{' '.join(shown.split())} {'=' if is_exact else '≈'} {written}"


def _worth(plain: str) -> Decimal:
    numbers: dict[str, Decimal] = {}

    def named(found: patterns.Match) -> str:
        # As a literal of Python, 0.1 would be a binary fraction.
        numbers[f"n{len(numbers)}"] = Decimal(found[0])
        return f"n{len(numbers) - 1}"

    if not _SUM.fullmatch(plain):
        raise ToolError("The expression holds other signs.")
    if {found[0] for found in _NAME.finditer(plain)} - _FUNCTIONS.keys():
        raise ToolError("The expression holds words.")
    try:
        evaluator = _EVALUATOR(operators=_OPERATORS, functions=_FUNCTIONS, names=numbers)
        result = evaluator.eval(_NUMBER.sub(named, plain))
    except (InvalidExpression, DecimalException, SyntaxError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ToolError("The expression cannot be computed.") from error
    except (TypeError, ValueError, KeyError) as error:
        raise ToolError("The expression is no sum.") from error
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
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": Decimal.sqrt, "abs": abs, "min": min, "max": max}
