"""A model's arguments for a tool: words become the types of the tool's schema, which checks them (pure)."""

import json
from collections.abc import Mapping
from typing import Any, Final

from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from graph.tools import ToolError

LONGEST = 2000
"""Characters of all arguments together."""
MOST_ARGUMENTS: Final = 40
"""Arguments of a call; each takes two of the 100 blocks of the modal in which people approve it."""


def typed(arguments: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments in the types of the schema. Raises `ToolError` if they do not fit it.

    An argument that the schema does not name is refused, even if the schema allows others.
    """
    properties: Mapping[str, Any] = schema.get("properties") or {}
    if unknown := arguments.keys() - properties.keys():
        raise ToolError(f"There is no argument {min(unknown)}.")
    if sum(map(len, arguments.values())) > LONGEST:
        raise ToolError("The arguments are too long.")
    try:
        given = {name: _value(text, properties[name]) for name, text in arguments.items()}
        # With an empty registry, a reference to another document is an error and no request.
        Draft202012Validator(dict(schema), registry=Registry()).validate(given)
    except (ValidationError, SchemaError, Unresolvable, AttributeError, TypeError) as error:
        # A schema of another shape is the server's fault.
        raise ToolError("The arguments do not fit the tool.") from error
    return given


def described(schema: Mapping[str, Any]) -> str:
    """Return the schema's arguments in a line, such as `query (string), limit (integer, optional)`."""
    required: list[str] = schema.get("required") or []
    properties: Mapping[str, Any] = schema.get("properties") or {}
    return ", ".join(
        f"{name} ({'/'.join(sorted(_kinds(one))) or 'any'}{_choices(one)}{'' if name in required else ', optional'})"
        for name, one in properties.items()
    )


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
