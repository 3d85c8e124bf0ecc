"""The form in which the model describes a message, and the checks of the filled-in form.

The form is the same for every message, so that a provider can cache it. The model proposes, and the code checks: only
open routes and offered interpretations count, nobody is asked twice, a stand-alone question stays as it was, and no
text brings a link or a mention. Doubt leads to an answer, or to silence if nobody addressed the bot.
"""

from decimal import Decimal
from typing import Final, get_args

from pydantic import BaseModel, Field

import prompts
from bot.models.llm.forms import Schema, schema_of
from bot.models.orders import addresses_an_assistant
from graph import patterns
from graph.answer.audit import invents
from graph.answer.guard import Guard
from graph.asking.approvals import has_the_chosen, question_of_value
from graph.asking.clarification import joined
from graph.asking.document_filters import filter_of
from graph.asking.facets import MOST_OFFERED, named_reading, offerable
from graph.asking.place_questions import planned
from graph.context import Case
from graph.memory import said_in
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, DocumentFilter, Facet
from graph.places import PlaceQuestion
from graph.state import PlannedClarification, Route, Understanding
from graph.text.invisible import visible
from graph.text.names import same_name
from graph.text.values import values
from graph.text.words import content_words, language_of, stems
from graph.tools import MOST_CALLS, Offer, PlannedChange, ToolCall

_TO_A_STOP = patterns.compile(r".*?[.!?]\s|.+", patterns.DOT_ALL)
_SURE = 0.6
_TOOLS = frozenset({"calculator", "dates"})
_PLACES = "places"
"""A call that is a question for places of the directory."""
_DOCUMENTS = "documents"
"""A call that says which documents the question is for."""
_PROPOSED: Final = tuple(route for route in get_args(Route) if route != "look_up_place")
"""The routes that a model may propose. Code takes the other one if the call of `places` holds."""
_TOOL_ANSWERS: set[Route] = {"converse", "out_of_scope"}
"""Routes that a model picks for a question that only a tool answers."""
_LONGEST_ARGUMENT = 300
_OPERAND = patterns.compile(r"\d+(?:\.\d+)?")
_FACTORS = frozenset(map(Decimal, (1, 2, 4, 5, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 3600)))
"""Factors between units. A calculation may use them although nobody wrote them."""
_MEANT = patterns.compile(
    r"\b(?:i|you|your|assum\w*|mean\w*|ich|du|dich|sie|ihr|gemeint|presum\w*|suponh\w*|entend\w*|refer\w*)\b",
    patterns.IGNORE_CASE,
)
"""Words of a sentence about what somebody meant."""
_MEANT_IN = ("en", "de", "pt")
"""The languages of these words."""
_WITH_REPLY: set[Route] = {"converse", "out_of_scope", "answer_from_conversation"}
_MOST_QUERIES = 3
_LONGEST_SHOWN = 1200
"""The most characters of a text without a source; a longer text is no small talk."""
_MOST_SUBQUESTIONS = 4


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


def understanding_of(reading: FilledForm, case: Case) -> Understanding:
    """Return the understanding that passes all checks."""
    understanding = _understanding_of(reading, case)
    candidates = case["candidates"]
    if 0 < reading.same_as <= len(candidates):
        understanding["same_as"] = candidates[reading.same_as - 1]["id"]
    return understanding


def _understanding_of(reading: FilledForm, case: Case) -> Understanding:
    # A small model may write 102384, which is no probability.
    confidence = reading.confidence if 0 <= reading.confidence <= 1 else 0.0
    change = _change(reading.tools, case)
    clarification = _value_question(reading, change, case) if change else _clarification(reading, case)
    route = _route(reading.route, confidence, case, clarification)
    tools = [] if change else _calls(reading.tools, case)
    if (tools or change) and route in _TOOL_ANSWERS:
        route = "retrieve"
    understanding: Understanding = {
        "route": route,
        "confidence": confidence,
        "reason": reading.reason,
        "standalone": _standalone(reading, case),
        "subquestions": _said(reading.subquestions, _MOST_SUBQUESTIONS),
        "queries": _said(reading.queries, _MOST_QUERIES),
        "tools": tools if route in ("retrieve", "clarify") else [],
        "clarification": clarification if route == "clarify" else None,
        "reply": _vouched(reading.reply, _said_in(case)) if route in _WITH_REPLY else "",
        "assumption": _assumption(reading.assumption, case),
    }
    if change and route in ("retrieve", "clarify"):
        understanding["change"] = change
    if (only := _only(reading.tools, case)) and route in ("retrieve", "clarify"):
        understanding["only"] = only
    place = _place(reading.tools, case) if route != "stay_silent" else None
    return {**understanding, "place": place} if place else understanding


def _place(proposed: list[Use], case: Case) -> PlaceQuestion | None:
    """Return the planned question for places, if the directory has such a kind and somebody said where."""
    said = stems(" ".join(_said_in(case)))
    for use in proposed:
        given = _arguments(use)
        near = given.get("near", "")
        if use.tool.strip() == _PLACES and stems(near) <= said:
            return planned(given.get("what", ""), near, given.get("open", ""), case["kinds"], case["today"])
    return None


def _only(proposed: list[Use], case: Case) -> DocumentFilter | None:
    """Return which documents the question is for, if somebody said so."""
    asked = (filter_of(_arguments(use), _said_in(case)) for use in proposed if use.tool.strip() == _DOCUMENTS)
    return next(filter(None, asked), None)


def _change(proposed: list[Use], case: Case) -> PlannedChange | None:
    """Return the first call that writes. It has what was chosen for it, and nothing that its asker could not see."""
    offers = {offer["name"]: offer for offer in case["tools"] if offer["writes"]}
    for use in proposed:
        if offer := offers.get(use.tool.strip()):
            arguments = {name: visible(value) for name, value in _arguments(use).items()}
            change = PlannedChange(tool=offer["name"], title=offer["title"], arguments=arguments)
            chosen = has_the_chosen(change, case.get("choice"), choices=offer.get("choices", []))
            if chosen and _leaks_nothing(change, offer, case):
                return change
    return None


def _value_question(reading: FilledForm, change: PlannedChange, case: Case) -> PlannedClarification | None:
    """Return the question what a planned change is to be called with, as the model proposes it.

    An option's name stands in the conversation, the documents or the tool's own choices.
    """
    question = _shown(reading.clarification.question)
    if not (case["may_ask"] and question) or _asks_what_was_asked(question, reading, case):
        return None
    choices = next(one.get("choices", []) for one in case["tools"] if one["name"] == change["tool"])
    held = [*_said_in(case), *_labels(case), *(f"{one['title']}\n{one['text']}" for one in case["passages"])]
    labels = [label.strip() for label in map(_shown, reading.clarification.options)]
    return question_of_value(question, labels, choices=choices, held=held)


def _calls(proposed: list[Use], case: Case) -> list[ToolCall]:
    """Return the first calls that only read, and whose arguments somebody said."""
    offers = {offer["name"]: offer for offer in case["tools"] if not offer["writes"]}
    calls = [
        ToolCall(tool=use.tool.strip(), arguments=_arguments(use))
        for use in proposed
        if use.tool.strip() in _TOOLS | offers.keys()
    ]
    if not calls:
        return []
    texts = [passage["text"] for passage in case["passages"]]
    said = [*_said_in(case), *texts]
    known = {amount for text in said for one in values(text, language_of(text)).numbers for amount in one.amounts}
    kept = [
        call
        for call in calls
        if (_leaks_nothing(call, offers[call["tool"]], case) if call["tool"] in offers else _is_said(call, known))
    ]
    return kept[:MOST_CALLS]


def _leaks_nothing(call: ToolCall, offer: Offer, case: Case) -> bool:
    """Tell whether a call sends no word to another server that only documents or a profile hold.

    A document may ask for that.
    """
    sent = stems(" ".join(call["arguments"].values()))
    said = content_words(" ".join([*_said_in(case), *_labels_chosen(case), offer["arguments"], offer["says"]]))
    texts = [f"{one['title']} {one['text']}" for one in case["passages"]]
    held = content_words(" ".join([*texts, *_of_the_profile(case)]))
    return not sent & (set(held) - set(said))


def _of_the_profile(case: Case) -> list[str]:
    profile = case.get("profile")
    return [profile["title"], profile["zone"], *profile["units"].values()] if profile else []


def _labels_chosen(case: Case) -> list[str]:
    choice = case.get("choice")
    return [choice["label"], choice["value"]] if choice else []


def _arguments(use: Use) -> dict[str, str]:
    longest = _LONGEST_ARGUMENT if use.tool.strip() in _TOOLS else None
    return {one.name.strip(): one.value.strip()[:longest] for one in use.arguments}


def _is_said(call: ToolCall, known: set[Decimal]) -> bool:
    expression = call["arguments"].get("expression", "")
    used = {Decimal(found[0]) for found in _OPERAND.finditer(expression)}
    return all(one in known or one in _FACTORS or 100 * one in known for one in used)


def _said(texts: list[str], most: int) -> list[str]:
    return [text.strip() for text in texts if text.strip()][:most]


def _route(proposed: Route, confidence: float, case: Case, clarification: PlannedClarification | None) -> Route:
    if confidence < _SURE:
        return "retrieve" if case["addressed"] else "stay_silent"
    if proposed == "clarify" and clarification is None:
        return "retrieve"
    return proposed if proposed in routes_for(case) else "retrieve"


def _clarification(reading: FilledForm, case: Case) -> PlannedClarification | None:
    if not may_clarify(case):
        return None
    question = _shown(reading.clarification.question)
    if _asks_what_was_asked(question, reading, case):
        return None
    offered = offers(case)
    options = [_option(label, offered, case) for label in reading.clarification.options]
    meant = {facet["id"]: facet for facet in _with_unshown([one for one in options if one], offered, case)}
    # A part of the readings is no choice: with too many, the question is answered, as by rules.
    if not question or not FEWEST_OPTIONS <= len(meant) <= MOST_OPTIONS:
        return None
    known = {facet["id"] for facet in case["facets"]}
    named = [facet for id_, facet in meant.items() if id_ not in known]
    return {"question": question, "options": list(meant), "named": named}


def _with_unshown(meant: list[Facet], offered: list[Facet], case: Case) -> list[Facet]:
    """Add the readings for which the prompt had no room, if the model chose all of their attribute that it saw."""
    chosen = {facet["id"] for facet in meant}
    left = {facet["attribute"] for facet in offered if facet["id"] not in chosen}
    all_of = {facet["attribute"] for facet in meant if facet in offered} - left
    return [*meant, *(facet for facet in _offerable(case, most=None) if facet["attribute"] in all_of)]


def _asks_what_was_asked(question: str, reading: FilledForm, case: Case) -> bool:
    """Tell whether a question back repeats what the person asked, or a search for it, as a small model does."""
    asked = [case["question"], reading.standalone, *reading.subquestions, *reading.queries]
    said = content_words(question)
    # "Which one?" has no such words, nor has "And that?", which it does not repeat.
    is_same = bool(said) and said in [content_words(one) for one in asked]
    return is_same or not Guard([], asked).clean(question)


def _option(label: str, offered: list[Facet], case: Case) -> Facet | None:
    """Return the offered interpretation with this label, or one that the label names in words of the passages."""
    shown = _shown(label).strip()
    meant = (facet for facet in offered if same_name(facet["label"]) == same_name(shown))
    return next(meant, None) or named_reading(shown, case["question"], case["passages"])


def _standalone(reading: FilledForm, case: Case) -> str:
    question, rewritten = case["question"], reading.standalone.strip()
    if not _said_before(case) or rewritten in {"", question.strip()}:
        return _with_choice(question, case)
    return _with_choice(rewritten, case)


def _said_before(case: Case) -> bool:
    memory = case["memory"]
    return bool(memory["exchanges"] or memory["overheard"] or case.get("choice"))


def _with_choice(question: str, case: Case) -> str:
    choice = case.get("choice")
    # A model may leave out the person's addition to a question, so code adds it.
    return joined(question, choice["label"]) if choice and choice["kind"] == "option" else question


def _shown(text: str) -> str:
    # This text has no source, so nothing can vouch for a link or a mention in it.
    guard = Guard([], prompts.load("understand").sentences)
    cleaned = "".join(guard.clean(sentence) for sentence in _TO_A_STOP.findall(text)).strip()
    return cleaned if len(cleaned) <= _LONGEST_SHOWN else ""


def _vouched(text: str, known: list[str]) -> str:
    """Return a text that people may see; empty if it contains a number that nobody wrote."""
    shown = _shown(text)
    return "" if invents(shown, known, language_of(shown)) else shown


def _assumption(text: str, case: Case) -> str:
    """Return the reading that the model takes; empty if it states anything else, which no source vouches for."""
    said = _vouched(text, [*_said_in(case), *_labels(case)])
    return said if _MEANT.search(said) or language_of(said, default="") not in _MEANT_IN else ""


def _said_in(case: Case) -> list[str]:
    return [case["question"], case["today"], *said_in(case["memory"])]


def _labels(case: Case) -> list[str]:
    return [facet["label"] for facet in case["facets"]]


def may_clarify(case: Case) -> bool:
    """Tell whether there is somebody to ask, and what may be meant in several ways: passages, or a call that writes."""
    return case["may_ask"] and (bool(case["passages"]) or any(offer["writes"] for offer in case["tools"]))


def offers(case: Case) -> list[Facet]:
    """Return the interpretations that the model is shown, without labels that give orders to a machine."""
    return _offerable(case, most=MOST_OFFERED)


def _offerable(case: Case, *, most: int | None) -> list[Facet]:
    offered = offerable(case["question"], case["facets"], case["passages"], most=most)
    return [facet for facet in offered if not addresses_an_assistant(facet["label"], "")]
