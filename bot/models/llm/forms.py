"""Requests for a filled-in form: with a strict schema if the server knows schemas, else as JSON (pure)."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, Literal, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

Schema: TypeAlias = dict[str, Any]

_AS_JSON: Final = "Fill in the form as one JSON object of this shape, and write nothing else:\n"
_AGAIN: Final = "That is not the form. Fill it in again as one JSON object of that shape, and write nothing else."
_LONGEST_REPEATED: Final = 2000
"""Characters of an unreadable answer that the model sees again."""
_REPEATED: Final = 40
"""Characters that no sensible text repeats three times."""
REFUSALS: Final = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""HTTP statuses for a kind of request that the server does not know."""

Way: TypeAlias = Literal["schema", "object and schema", "object"]
"""What binds a model that fills in a form: the schema, JSON with the schema beside it, or JSON alone."""


class Forms:
    """The ways to ask a server for a form, the best first, without those that it has shown not to know."""

    def __init__(self, *, may_do_without_schema: bool = False, binds_objects: bool = False) -> None:
        """Groq may not do without a schema: it knows schemas, so a request that it refuses is wrong.

        llama.cpp's servers bind objects: they take the schema beside a request for JSON. Others ignore it there.
        """
        others: tuple[Way, ...] = ("object and schema", "object") if binds_objects else ("object",)
        self.ways: tuple[Way, ...] = ("schema", *others) if may_do_without_schema else ("schema",)

    @property
    def knows_schema(self) -> bool:
        """Whether the server is asked by a schema."""
        return "schema" in self.ways

    def were_refused(self, refusals: Mapping[Way, int]) -> None:
        """Leave out ways that were refused with these statuses before another one was answered.

        Status 500 may be a passing failure and counts as no refusal.
        """
        passing = HTTPStatus.INTERNAL_SERVER_ERROR
        self.ways = tuple(way for way in self.ways if refusals.get(way, passing) == passing)

    def was_unreadable(self, text: str, *, is_cut: bool) -> None:
        """Send the schema as words from now on if the server accepted a schema and ignored it."""
        # A server that uses the schema returns unreadable text only if it was cut, because a small model may repeat
        # itself up to its token limit.
        was_bound = is_cut and text.lstrip()[:1] in ("", "{")
        if not was_bound and len(self.ways) > 1:
            self.ways = tuple(way for way in self.ways if way != "schema")


def schema_of(form: type[BaseModel], *, without: str = "") -> Schema:
    """Return the strict JSON schema of a form: types and fields, all required. One field may be left out."""
    whole = form.model_json_schema()
    whole["properties"].pop(without, None)
    return _closed(whole, whole.get("$defs", {}))


def _closed(schema: Schema, known: Schema) -> Schema:
    match schema:
        case {"$ref": str(name)}:
            return _closed(known[name.rpartition("/")[2]], known)
        case {"properties": fields}:
            closed = {name: _closed(field, known) for name, field in fields.items()}
            return {"type": "object", "properties": closed, "required": [*closed], "additionalProperties": False}
        case {"items": items}:
            return {"type": "array", "items": _closed(items, known)}
        case _:
            return {name: value for name, value in schema.items() if name in ("type", "enum")}


def arguments_for(way: Way, name: str, schema: Schema, as_object: Schema) -> Schema:
    """Return the arguments that ask for a form in one way. `as_object` are those for any JSON object."""
    match way:
        case "schema":
            format_ = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
            return {"response_format": format_}
        case "object and schema":
            return {"response_format": {**as_object["response_format"], "schema": schema}}
        case "object":
            return as_object


def with_schema(messages: Sequence[BaseMessage], schema: Schema) -> list[BaseMessage]:
    """Return the messages with the shape of the schema in words, for a server without schemas."""
    *rest, last = messages
    # Some servers refuse two messages in a row from one side.
    return [*rest, HumanMessage(f"{last.text}\n\n{_AS_JSON}{json.dumps(_shape(schema))}")]


def _shape(schema: Schema) -> Any:
    """Return an empty object of the schema.

    A small model that sees the schema itself fills in the schema, and one that sees examples copies them: "text" became
    a search.
    """
    match schema:
        case {"type": "object"}:
            return {name: _shape(one) for name, one in schema["properties"].items()}
        case {"type": "array"}:
            return [_shape(schema["items"])]
        case {"enum": _}:
            return " | ".join(schema["enum"])
        case {"type": "number" | "integer"}:
            return 0
        case _:
            return ""


def again(messages: Sequence[BaseMessage], said: str) -> list[BaseMessage]:
    """Return the messages with the model's unreadable answer. Without it the model would write the same again."""
    return [*messages, AIMessage(said[:_LONGEST_REPEATED]), HumanMessage(_AGAIN)] if said.strip() else [*messages]


def repeats_itself(text: str) -> bool:
    """Tell whether the end of a text occurred twice before. With a higher limit such a text would only go on."""
    end = text[-_REPEATED:]
    return len(end) == _REPEATED and text.count(end) > 2  # noqa: PLR2004 - the third time is once too often


def object_in(text: str) -> str:
    """Return the JSON object in a text, without a fence or words around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
