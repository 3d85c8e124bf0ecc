"""The understanding that follows from a filled-in form: the model proposes, and the code checks.

Only open routes and offered interpretations count, nobody is asked twice, a stand-alone question stays as it was, and
no text brings a link or a mention. Doubt leads to an answer, or to silence if nobody addressed the bot.
"""

import prompts
from bot.models.llm.understanding.form import FilledForm, may_clarify, routes_for
from bot.models.llm.understanding.planned_calls import (
    planned_change,
    planned_filter,
    planned_place,
    planned_reads,
    said_so_far,
)
from bot.models.orders import addresses_an_assistant
from graph import patterns
from graph.answer.audit import invents
from graph.answer.guard import Guard
from graph.asking.approvals import question_of_value
from graph.asking.clarification import joined
from graph.asking.facets import MOST_OFFERED, named_reading, offerable
from graph.context import Case
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Facet
from graph.state import PlannedClarification, Route, Understanding
from graph.text.names import same_name
from graph.text.words import content_words, language_of
from graph.tools import PlannedChange

_TO_A_STOP = patterns.compile(r".*?[.!?]\s|.+", patterns.DOT_ALL)
_SURE = 0.6
_TOOL_ANSWERS: set[Route] = {"converse", "out_of_scope"}
"""Routes that a model picks for a question that only a tool answers."""
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
    change = planned_change(reading.tools, case)
    clarification = _value_question(reading, change, case) if change else _clarification(reading, case)
    route = _route(reading.route, confidence, case, clarification)
    tools = [] if change else planned_reads(reading.tools, case)
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
        "reply": _vouched(reading.reply, said_so_far(case)) if route in _WITH_REPLY else "",
        "assumption": _assumption(reading.assumption, case),
    }
    if change and route in ("retrieve", "clarify"):
        understanding["change"] = change
    if (only := planned_filter(reading.tools, case)) and route in ("retrieve", "clarify"):
        understanding["only"] = only
    place = planned_place(reading.tools, case) if route != "stay_silent" else None
    return {**understanding, "place": place} if place else understanding


def _value_question(reading: FilledForm, change: PlannedChange, case: Case) -> PlannedClarification | None:
    """Return the question what a planned change is to be called with, as the model proposes it.

    An option's name stands in the conversation, the documents or the tool's own choices.
    """
    question = _shown(reading.clarification.question)
    if not (case["may_ask"] and question) or _asks_what_was_asked(question, reading, case):
        return None
    choices = next(one.get("choices", []) for one in case["tools"] if one["name"] == change["tool"])
    held = [*said_so_far(case), *_labels(case), *(f"{one['title']}\n{one['text']}" for one in case["passages"])]
    labels = [label.strip() for label in map(_shown, reading.clarification.options)]
    return question_of_value(question, labels, choices=choices, held=held)


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
    said = _vouched(text, [*said_so_far(case), *_labels(case)])
    return said if _MEANT.search(said) or language_of(said, default="") not in _MEANT_IN else ""


def _labels(case: Case) -> list[str]:
    return [facet["label"] for facet in case["facets"]]


def offers(case: Case) -> list[Facet]:
    """Return the interpretations that the model is shown, without labels that give orders to a machine."""
    return _offerable(case, most=MOST_OFFERED)


def _offerable(case: Case, *, most: int | None) -> list[Facet]:
    offered = offerable(case["question"], case["facets"], case["passages"], most=most)
    return [facet for facet in offered if not addresses_an_assistant(facet["label"], "")]
