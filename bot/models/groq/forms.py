"""How a server is asked to fill in a form: by a strict schema if it knows that, else as JSON (pure)."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from langchain_core.messages import BaseMessage, HumanMessage

Schema: TypeAlias = dict[str, Any]

_AS_JSON: Final = "Fill in the form as one JSON object of this schema, and write nothing else:\n"
_REFUSALS: Final = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""What servers say to a kind of request that they do not know."""


@dataclass
class Forms:
    """What is known of a server."""

    may_do_without_schema: bool = False
    """Groq knows schemas: what it refuses is wrong."""
    knows_schema: bool = True

    def does_without(self, status: int) -> bool:
        """Tell whether a call that was refused with this status is made again without a schema."""
        return self.knows_schema and self.may_do_without_schema and status in _REFUSALS

    def was_answered_without(self, refusal: int) -> None:
        """Remember that the server knows no schemas, unless it may only have failed for a moment."""
        self.knows_schema = self.knows_schema and refusal == HTTPStatus.INTERNAL_SERVER_ERROR

    def ignores_schema(self) -> None:
        """Send schemas in words from now on, if the server is one that may do without."""
        self.knows_schema = self.knows_schema and not self.may_do_without_schema


def strict(name: str, schema: Schema) -> Schema:
    """Return the response format that binds a model to a schema."""
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


AS_OBJECT: Final[Schema] = {"type": "json_object"}
"""The response format of any JSON object."""


def with_schema(messages: list[BaseMessage], schema: Schema) -> list[BaseMessage]:
    """Return the messages with the schema that the server cannot be bound to."""
    return [*messages, HumanMessage(_AS_JSON + json.dumps(schema))]


def object_in(text: str) -> str:
    """Return the JSON object of a text, without a fence or words around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
