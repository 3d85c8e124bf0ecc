"""What is wrong with a setting, in plain words: what to give instead, and no value, which may be a secret (pure)."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import ErrorDetails

_NO_NUMBER: Final = {
    "int_parsing": "it is no whole number",
    "int_parsing_size": "it is no whole number of a usual size",
    "int_from_float": "it is no whole number",
    "int_type": "it is no whole number",
    "float_parsing": "it is no number",
    "float_type": "it is no number",
    "finite_number": "it is no finite number",
}
_BOUNDS: Final = {
    "greater_than": ("gt", "it is too small: give more than {bound:.10g}"),
    "greater_than_equal": ("ge", "it is too small: give at least {bound:.10g}"),
    "less_than": ("lt", "it is too large: give less than {bound:.10g}"),
    "less_than_equal": ("le", "it is too large: give at most {bound:.10g}"),
    "string_too_long": ("max_length", "it is too long: give at most {bound:.10g} signs"),
}
_PLAIN: Final = {
    "bool_parsing": "it is neither true nor false: write true or false.",
    "bool_type": "it is neither true nor false: write true or false.",
    "missing": "it is missing.",
    "extra_forbidden": "there is no setting of this name.",
    "string_too_short": "it is empty: write something, or leave it out.",
    "string_type": "it is no text: put it into quotes.",
    "string_pattern_mismatch": "it holds signs that may not stand here.",
    "list_type": "it is no list: write one such as [one, another].",
}


def told(fault: ErrorDetails, *, usual: object = None, example: str = "") -> str:
    """Return what is wrong and how to write it. If the default, `usual`, is a number, it is the example."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        return fault["msg"].removeprefix("Value error, ")
    is_nested = len(fault["loc"]) > 1
    if kind in _PLAIN:
        return "there is no such field." if is_nested and kind == "extra_forbidden" else _PLAIN[kind]
    if kind == "literal_error":
        return f"there is no such choice: give {context['expected'].replace(chr(39), '')}."
    # The example is of the whole setting, and no number within it.
    such_as = "" if is_nested else f"{usual:.10g}" if isinstance(usual, int | float) else example
    if kind in _NO_NUMBER:
        return f"{_NO_NUMBER[kind]}: give one{f' such as {such_as}' if such_as else ''}."
    if kind in _BOUNDS:
        return f"{_bounded(kind, context)}{f', such as {such_as}' if such_as else ''}."
    return f"it is not written as it must be{f': write {example}' if example else ''}."


def _bounded(kind: str, context: Mapping[str, Any]) -> str:
    bound, said = _BOUNDS[kind]
    return said.format(bound=context[bound])
