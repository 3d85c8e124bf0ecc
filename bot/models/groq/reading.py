"""The form in which the model says how it reads a message, and what code makes of it.

The model proposes; what can be checked is checked here: that only offered readings are offered, that nobody is asked
twice, that a question which stood alone is left as it was, that no text brings a link or a mention, and that doubt
leads to an answer, or, where nobody spoke to the bot, to silence.
"""

from typing import Any, get_args

from pydantic import BaseModel

from graph.answer.guard import Guard
from graph.context import Case
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS
from graph.state import Clarification, Route, Understanding

_SURE = 0.6
_WITH_REPLY: set[Route] = {"converse", "out_of_scope", "answer_from_conversation"}
_TEXT = {"type": "string"}


class Asking(BaseModel):
    """A clarifying question as the model proposes it."""

    question: str
    options: list[str]


class Reading(BaseModel):
    """The filled-in form."""

    route: Route
    confidence: float
    reason: str
    self_contained: bool
    standalone: str
    subquestions: list[str]
    clarification: Asking | None = None
    assumption: str
    reply: str


def form_for(case: Case) -> dict[str, Any]:
    """Return the strict JSON schema of a `Reading` that offers only the routes and options that `case` allows."""
    asking = {"clarification": {"anyOf": [_asking(_offers(case)), {"type": "null"}]}} if may_clarify(case) else {}
    return _strict(
        route={"type": "string", "enum": routes_for(case)},
        confidence={"type": "number"},
        reason=_TEXT,
        self_contained={"type": "boolean"},
        standalone=_TEXT,
        subquestions={"type": "array", "items": _TEXT},
        **asking,
        assumption=_TEXT,
        reply=_TEXT,
    )


def routes_for(case: Case) -> list[Route]:
    """Return the routes that are open: silence only to the unaddressed, asking only where there is a choice."""
    closed: set[Route] = set()
    if case["addressed"]:
        closed.add("stay_silent")
    if not may_clarify(case):
        closed.add("clarify")
    if not case["memory"]["exchanges"]:
        closed.add("answer_from_conversation")
    return [route for route in get_args(Route) if route not in closed]


def understanding_of(reading: Reading, case: Case) -> Understanding:
    """Return what holds of `reading` after all checks."""
    confidence = min(max(reading.confidence, 0.0), 1.0)
    clarification = _clarification(reading, case)
    route = _route(reading.route, confidence, case, clarification)
    return {
        "route": route,
        "confidence": confidence,
        "reason": reading.reason,
        "standalone": _standalone(reading, case),
        "subquestions": [question for question in reading.subquestions if question.strip()],
        "clarification": clarification if route == "clarify" else None,
        "reply": _shown(reading.reply) if route in _WITH_REPLY else "",
        "assumption": "" if route == "clarify" else _shown(reading.assumption),
    }


def _route(proposed: Route, confidence: float, case: Case, clarification: Clarification | None) -> Route:
    if confidence < _SURE:
        return "retrieve" if case["addressed"] else "stay_silent"
    if proposed == "clarify" and clarification is None:
        return "retrieve"
    return proposed if proposed in routes_for(case) else "retrieve"


def _clarification(reading: Reading, case: Case) -> Clarification | None:
    if reading.clarification is None:
        return None
    question, offered = _shown(reading.clarification.question), _offers(case)
    options = [option for option in dict.fromkeys(reading.clarification.options) if option in offered]
    if not question or len(options) < FEWEST_OPTIONS:
        return None
    return {"question": question, "options": options[:MOST_OPTIONS]}


def _standalone(reading: Reading, case: Case) -> str:
    question, rewritten = case["question"], reading.standalone.strip()
    if _stood_alone(reading, case) or rewritten in {"", question.strip()}:
        return _with_choice(question, case)
    return rewritten


def _stood_alone(reading: Reading, case: Case) -> bool:
    memory = case["memory"]
    said_before = memory["exchanges"] or memory["overheard"] or case.get("choice")
    return reading.self_contained or not said_before


def _with_choice(question: str, case: Case) -> str:
    choice = case.get("choice")
    # The model may call a question self-contained that a person had to make clear; what they said must not get lost.
    return f"{question} ({choice['label']})" if choice and choice["kind"] != "just_answer" else question


def _shown(text: str) -> str:
    # People see this text without a source, so no link or mention in it can be backed by one.
    return Guard([]).clean(text).strip()


def may_clarify(case: Case) -> bool:
    """Tell whether there is somebody to ask, and something to choose from."""
    return case["may_ask"] and len(_offers(case)) >= FEWEST_OPTIONS


def _offers(case: Case) -> list[str]:
    return [facet["id"] for facet in case["facets"]]


def _asking(offers: list[str]) -> dict[str, Any]:
    return _strict(question=_TEXT, options={"type": "array", "items": {"type": "string", "enum": offers}})


def _strict(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
