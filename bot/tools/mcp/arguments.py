"""A model's arguments for a tool: words become the types of the tool's schema, which checks them (pure).

A schema is a stranger's: it may have any shape, refer to itself, or hold patterns that take forever. It costs its own
tool only.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final, cast

from jsonschema import validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator
from referencing import Registry

from graph import patterns
from graph.tools import ToolError

LONGEST = 2000
"""Characters of all arguments together."""
MOST_ARGUMENTS: Final = 40
"""Arguments of a call; each takes two of the 100 blocks of the modal in which people approve it."""
LARGEST_SCHEMA: Final = 50_000
"""Characters of a schema. Each question reads it, and each call checks all of it."""
_MOST_REFERENCES: Final = 1_000
"""References that a check follows: a few lines of them can lead through millions of steps, or around for ever."""


def typed(arguments: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments in the types of the schema. Raises `ToolError` if they do not fit it.

    An argument that the schema does not name is refused, even if the schema allows others.
    """
    if sum(map(len, arguments.values())) > LONGEST:
        raise ToolError("The arguments are too long.")
    try:
        return _checked(arguments, schema)
    except ToolError:
        raise
    # A schema of another shape is the server's fault, and breaks the library in many ways.
    except Exception as error:
        raise ToolError("The arguments do not fit the tool.") from error


def described(schema: Mapping[str, Any]) -> str:
    """Return the schema's arguments in a line, such as `query (string), limit (integer, optional)`.

    Raises `ToolError` if no call can be checked by the schema.
    """
    try:
        text = json.dumps(schema)
        # Python's own patterns, which the library would use for names, may take forever.
        if len(text) > LARGEST_SCHEMA or '"patternProperties"' in text:
            raise ToolError("The schema is too large, or has patterns for names.")
        required: list[str] = schema.get("required") or []
        properties = _properties(schema)
        return ", ".join(
            f"{name} ({'/'.join(sorted(_kinds(one))) or 'any'}{_choices(one)}"
            f"{'' if name in required else ', optional'})"
            for name, one in properties.items()
        )
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise ToolError("The schema has another shape.") from error


def choices(schema: Mapping[str, Any]) -> list[str]:
    """Return the values to which a described schema limits its arguments."""
    every: list[list[Any]] = [one.get("enum") or [] for one in _properties(schema).values()]
    return [str(value) for values in every for value in values]


def _checked(arguments: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = _properties(schema)
    if unknown := arguments.keys() - properties.keys():
        raise ToolError(f"There is no argument {min(unknown)}.")
    given = {name: _value(text, properties[name]) for name, text in arguments.items()}
    # With an empty registry, a reference to another document is an error and no request.
    _checker()(dict(schema), registry=Registry()).validate(given)
    return given


def _checker() -> type[Validator]:
    """Return the check of a schema, with an end: patterns take linear time, and references are counted."""
    references = count(1)

    def counted(follow: Any) -> Any:
        def referred(*given: Any) -> Iterator[ValidationError]:
            if next(references) > _MOST_REFERENCES:
                raise ToolError("The schema refers to itself too often.")
            yield from follow(*given)

        return referred

    known = Draft202012Validator.VALIDATORS
    following = {name: counted(known[name]) for name in ("$ref", "$dynamicRef")}
    return cast("Any", validators).extend(Draft202012Validator, {**following, "pattern": _matched})


def _matched(_validator: object, pattern: str, given: object, _schema: object) -> Iterator[ValidationError]:
    if isinstance(given, str) and not patterns.compile(pattern).search(given):
        yield ValidationError("The text does not match the pattern.")


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the schemas of the arguments; one that allows anything may be written as `true`."""
    named: Mapping[str, Any] = schema.get("properties") or {}
    return {name: {} if one is True else one for name, one in named.items()}


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    if "string" in _kinds(schema):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema allows; of alternatives, all but null."""
    own: Any = schema.get("type") or []
    kinds = {own} if isinstance(own, str) else {str(kind) for kind in own}
    alternatives: list[Mapping[str, Any]] = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return kinds.union(*map(_kinds, alternatives)) - {"null"}


def _choices(schema: Mapping[str, Any]) -> str:
    choices: list[Any] = schema.get("enum") or []
    return f": {' | '.join(map(str, choices))}" if choices else ""
