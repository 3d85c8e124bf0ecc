"""The approval of a change: what its asker is asked, and what the answer says of it (pure)."""

from typing import Final, Literal

from graph.asking.clarification import Asked, Offered
from graph.passages import Source
from graph.state import ChoiceState, TurnState
from graph.text.wording import CALL_OUTCOMES, MAY_I, spoken
from graph.text.words import language_of
from graph.tools import CallOutcome, PlannedChange

ALLOW: Final = "allow"
DENY: Final = "deny"
Unmade = Literal["denied", "expired"]


def approval_of(change: PlannedChange, turn: TurnState) -> Asked:
    """Return the question whether the change may be made. It names the tool only, because others read along."""
    return Asked(
        question=spoken(MAY_I, language_of(turn["question"]), tool=change["title"]),
        options=[Offered(id=ALLOW, label="Approve"), Offered(id=DENY, label="Do not")],
        change=change,
        asker=turn["asker"],
    )


def is_allowed(choice: ChoiceState) -> bool:
    """Tell whether the asker approved the change."""
    return choice["kind"] == "option" and choice["value"] == ALLOW


def unmade(choice: ChoiceState) -> Unmade:
    """Return why a change was not even begun."""
    return "expired" if choice["kind"] == "just_answer" else "denied"


def said_of(outcome: CallOutcome | Unmade, change: PlannedChange, question: str) -> str:
    """Return what came of a change, in the language of its question."""
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
        **turn, "outcome": "conversed", "answer": answer, "sources": [source] if result else [], "found": [],
        "passages": [], "addressed": True,
    }  # fmt: skip
