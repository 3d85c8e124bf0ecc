"""The approval of a change: what is asked before it, what its asker is asked, and what the answer says of it (pure)."""

import hashlib
import json
from collections.abc import Sequence
from typing import Final, Literal, cast

from graph.asking.clarification import Asked, Offered
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Facet, Source, facet_without_passages
from graph.state import ChoiceState, PlannedClarification, TurnState
from graph.text.names import same_name
from graph.text.wording import CALL_OUTCOMES, MAY_I, spoken
from graph.text.words import holds, language_of, words
from graph.tools import CallOutcome, PlannedChange

ALLOW: Final = "allow"
DENY: Final = "deny"
_ARGUMENT: Final = "argument:"
"""How the id of an option begins that stands for a value with which a planned change may be called."""
_LONGEST_VALUE: Final = 75
"""Characters on a button."""
Unmade = Literal["denied", "expired"]


def approval_of(change: PlannedChange, turn: TurnState) -> Asked:
    """Return the question whether the change may be made. It names the tool only, because others read along."""
    return Asked(
        question=spoken(MAY_I, language_of(turn["question"]), tool=change["title"]),
        options=[Offered(id=ALLOW, label="Approve"), Offered(id=DENY, label="Do not")],
        change=change,
        asker=turn["asker"],
    )


def question_of_value(
    question: str, values: Sequence[str], *, choices: Sequence[str], held: Sequence[str]
) -> PlannedClarification:
    """Return the question back about a value with which a planned change is to be called.

    Its options are those `values` that are choices of the tool, or that one of the texts `held` has word for word. A
    choice needs two of them; with fewer, people answer in their own words.
    """
    known = {
        same_name(value): value
        for value in values
        if words(value)
        and len(value) <= _LONGEST_VALUE
        and (value in choices or any(holds(text, value) for text in held))
    }
    named = [_option(value) for value in known.values()][:MOST_OPTIONS] if len(known) >= FEWEST_OPTIONS else []
    return {"question": question, "options": [one["id"] for one in named], "named": named, "of_change": True}


def _option(value: str) -> Facet:
    id_ = _ARGUMENT + hashlib.blake2s(value.encode(), digest_size=4).hexdigest()
    return facet_without_passages(id_, "argument", value)


def has_the_chosen(change: PlannedChange, choice: ChoiceState | None, *, choices: Sequence[str]) -> bool:
    """Tell whether a planned change is called with the value that a person chose for it, if they chose one.

    An argument must be a value of the tool's `choices`: a title with the word "low" is no priority. Other values may
    stand within an argument: "vacation in Porto".
    """
    if choice is None or not choice["value"].startswith(_ARGUMENT):
        return True
    label, arguments = choice["label"], change["arguments"].values()
    if any(_plain(_item(value)) == _plain(label) for value in arguments):
        return True
    return label not in choices and any(holds(value, label) for value in arguments if not value.startswith("["))


def _item(value: str) -> str:
    """Return the item of a list of one; any other argument as it is."""
    try:
        read: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    items = cast("list[object]", read) if isinstance(read, list) else []
    return str(items[0]) if len(items) == 1 else value


def _plain(value: str) -> str:
    return " ".join(value.casefold().split())


def is_allowed(choice: ChoiceState) -> bool:
    """Tell whether the asker approved the change."""
    return choice["kind"] == "option" and choice["value"] == ALLOW


def unmade(choice: ChoiceState) -> Unmade:
    """Return why a change was not even begun."""
    return "expired" if choice["kind"] == "just_answer" else "denied"


def said_of(outcome: CallOutcome | Unmade, change: PlannedChange, question: str) -> str:
    """Return the outcome of a change, in the language of its question."""
    state = outcome if isinstance(outcome, str) else outcome["state"]
    return spoken(CALL_OUTCOMES[state], language_of(question), tool=change["title"])


def reported(turn: TurnState, change: PlannedChange, outcome: CallOutcome | Unmade) -> TurnState:
    """Return the turn with its answer, made by code: a model could say that it did what it did not do."""
    said = said_of(outcome, change, turn["question"])
    result = None if isinstance(outcome, str) else outcome.get("result")
    lines = [f"> {line}" for line in result["text"].strip().splitlines()] if result else []
    answer = "\n".join([f"{said} [1]", "", *lines]).strip() if result else said
    source = Source(number=1, title=change["title"], heading="", url=None, dated=None, passage_id=-1)
    return {
        **turn,
        "outcome": "conversed",
        "answer": answer,
        "sources": [source] if result else [],
        "found": [],
        "passages": [],
        "addressed": True,
    }
