"""The calls of tools that a model plans, as far as they pass the checks.

Their arguments must be said by somebody, and no other server gets a word that only documents or a profile hold.
"""

from decimal import Decimal

from bot.models.llm.understanding.form import Use
from graph import patterns
from graph.asking.approvals import has_the_chosen
from graph.asking.document_filters import filter_of
from graph.asking.place_questions import planned
from graph.context import Case
from graph.memory import said_in
from graph.passages import DocumentFilter
from graph.places import PlaceQuestion
from graph.text.invisible import visible
from graph.text.values import values
from graph.text.words import content_words, language_of, stems
from graph.tools import MOST_CALLS, Offer, PlannedChange, ToolCall

_TOOLS = frozenset({"calculator", "dates"})
"""Those of the prompt that compute."""
_PLACES = "places"
"""A call that is a question for places of the directory."""
_DOCUMENTS = "documents"
"""A call that says which documents the question is for."""
_LONGEST_ARGUMENT = 300
"""Characters of an argument of these."""
_OPERAND = patterns.compile(r"\d+(?:\.\d+)?")
_FACTORS = frozenset(map(Decimal, (1, 2, 4, 5, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 3600)))
"""Factors between units. A calculation may use them although nobody wrote them."""


def planned_place(proposed: list[Use], case: Case) -> PlaceQuestion | None:
    """Return the planned question for places, if the directory has such a kind and somebody said where."""
    said = stems(" ".join(said_so_far(case)))
    for use in proposed:
        given = _arguments(use)
        near = given.get("near", "")
        if use.tool.strip() == _PLACES and stems(near) <= said:
            return planned(given.get("what", ""), near, given.get("open", ""), case["kinds"], case["today"])
    return None


def planned_filter(proposed: list[Use], case: Case) -> DocumentFilter | None:
    """Return which documents the question is for, if somebody said so."""
    asked = (filter_of(_arguments(use), said_so_far(case)) for use in proposed if use.tool.strip() == _DOCUMENTS)
    return next(filter(None, asked), None)


def planned_change(proposed: list[Use], case: Case) -> PlannedChange | None:
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


def planned_reads(proposed: list[Use], case: Case) -> list[ToolCall]:
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
    said = [*said_so_far(case), *texts]
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
    said = content_words(" ".join([*said_so_far(case), *_labels_chosen(case), offer["arguments"], offer["says"]]))
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


def said_so_far(case: Case) -> list[str]:
    """Return the message, the date, and all that people and the bot have said before."""
    return [case["question"], case["today"], *said_in(case["memory"])]
