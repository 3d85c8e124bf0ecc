"""The form in which the model describes a message. It is the same for all messages, so that a provider can cache it."""

from typing import Final, get_args

from pydantic import BaseModel, Field

from bot.models.llm.forms import Schema, schema_of
from graph.context import Case
from graph.state import Route

_PROPOSED: Final = tuple(route for route in get_args(Route) if route != "look_up_place")
"""The routes that a model may propose. Code takes the other one if the call of `places` holds."""


class Asking(BaseModel):
    """A clarifying question, as the model proposes it."""

    question: str
    options: list[str]
    """Labels of offered interpretations, or of others in words of the passages."""


class Argument(BaseModel):
    """An argument of a tool."""

    name: str
    value: str


class Use(BaseModel):
    """A call of a tool, as the model proposes it."""

    tool: str
    arguments: list[Argument]


class FilledForm(BaseModel):
    """The filled-in form. Its fields are in the order in which the model must decide."""

    reason: str
    standalone: str
    subquestions: list[str]
    queries: list[str]
    route: Route = Field(json_schema_extra={"enum": [*_PROPOSED]})
    confidence: float = Field(allow_inf_nan=False)
    clarification: Asking
    assumption: str
    reply: str
    tools: list[Use] = []
    """Optional: a server that does not use the schema may leave them out."""
    same_as: int = 0
    """The number of the verified answer to the same question; asked only if there are any."""


FORM: Final = schema_of(FilledForm, without="same_as")
"""The schema of a `FilledForm`, the same for all messages for which there is no verified answer."""
FORM_WITH_VERIFIED: Final = schema_of(FilledForm)
"""The schema if there are verified answers that may be meant."""


def form_for(case: Case) -> Schema:
    """Return the schema for a message."""
    return FORM_WITH_VERIFIED if case["candidates"] else FORM


def routes_for(case: Case) -> list[Route]:
    """Return the open routes: silence only if nobody addressed the bot, asking only if there is a choice."""
    closed: set[Route] = set()
    if case["addressed"]:
        closed.add("stay_silent")
    if not may_clarify(case):
        closed.add("clarify")
    if not case["memory"]["exchanges"]:
        closed.add("answer_from_conversation")
    return [route for route in _PROPOSED if route not in closed]


def may_clarify(case: Case) -> bool:
    """Tell whether there is somebody to ask, and what may be meant in several ways: passages, or a call that writes."""
    return case["may_ask"] and (bool(case["passages"]) or any(offer["writes"] for offer in case["tools"]))
