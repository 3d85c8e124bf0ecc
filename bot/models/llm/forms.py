"""Requests for a filled-in form: with a strict schema if the server knows schemas, else as JSON (pure)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

Schema: TypeAlias = dict[str, Any]

_AS_JSON: Final = "Fill in the form as one JSON object of this shape, and write nothing else:\n"
_AGAIN: Final = "That is not the form. Fill it in again as one JSON object of that shape, and write nothing else."
_LONGEST_REPEATED: Final = 2000
"""Characters of an unreadable answer that the model sees again."""
_REPEATED: Final = 40
"""Characters that no sensible text repeats three times."""
_REFUSALS: Final = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""HTTP statuses for a kind of request that the server does not know."""


@dataclass
class Forms:
    """What a server has shown to support."""

    may_do_without_schema: bool = False
    """False for Groq, which knows schemas: a request that Groq refuses is wrong."""
    knows_schema: bool = True
    binds_objects: bool = False
    """Whether to send the schema with a request for JSON, as llama.cpp's servers take it; others ignore it."""

    def does_without(self, status: int) -> bool:
        """Tell whether to repeat a call that was refused with this status, without a schema."""
        return self.knows_schema and self.may_do_without_schema and status in _REFUSALS

    def was_answered_without(self, refusal: int) -> None:
        """Record that the server knows no schemas. Status 500 may be a passing failure and counts as none."""
        self.knows_schema = self.knows_schema and refusal == HTTPStatus.INTERNAL_SERVER_ERROR

    def does_without_binding(self, status: int) -> bool:
        """Tell whether to repeat a request for JSON that was refused with this status, without the schema."""
        refuses = self.binds_objects and status in _REFUSALS
        self.binds_objects = self.binds_objects and (not refuses or status == HTTPStatus.INTERNAL_SERVER_ERROR)
        return refuses

    def was_unreadable(self, text: str, *, is_cut: bool) -> None:
        """Send the schema as words from now on if the server accepted a schema and ignored it."""
        # A server that uses the schema returns unreadable text only if it was cut, because a small model may repeat
        # itself up to its token limit.
        was_bound = is_cut and text.lstrip()[:1] in ("", "{")
        self.knows_schema = self.knows_schema and (was_bound or not self.may_do_without_schema)


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


def strict(name: str, schema: Schema) -> Schema:
    """Return the arguments that bind a model to a schema."""
    format_ = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
    return {"response_format": format_}


def bound_object(as_object: Schema, schema: Schema) -> Schema:
    """Return the arguments that ask for a JSON object and give its schema beside."""
    return {"response_format": {**as_object["response_format"], "schema": schema}}


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
