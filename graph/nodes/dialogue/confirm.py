"""Confirm: ask whether a verified answer also holds for a question that differs in one word."""

from functools import partial

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.answer.sameness import same
from graph.asking.clarification import Asked, Offered
from graph.context import Context
from graph.memory import standalone
from graph.nodes.readers import resumed
from graph.search import or_nothing
from graph.state import ChoiceState, State, TurnState, Update, without_keys
from graph.text.wording import IS_IT_THE_SAME, spoken
from graph.text.words import language_of
from graph.verified import OTHERWISE, confirming


async def confirm(state: State, runtime: Runtime[Context]) -> Update:
    """Ask back. On resume the node runs again from its top, so the interrupt must come first.

    Nobody's click decides here. If a reviewer said yes, the answer has this phrasing now; else the documents answer.
    """
    choice: ChoiceState = interrupt(_asked(state["turn"]))
    turn = without_keys(await resumed(state, runtime.context), "near")
    question = standalone(turn)
    candidates = await or_nothing(
        partial(runtime.context.verified.candidates, question), [], "verified", runtime.context
    )
    if one := same(question, candidates):
        return {"turn": {**turn, "candidates": candidates, "reused": one["id"]}}
    return {"turn": {**turn, "choice": choice} if choice["kind"] == "text" else turn}


def _asked(turn: TurnState) -> Asked:
    if "near" not in turn:
        raise LookupError("There is nothing to confirm.")
    near, language = turn["near"], language_of(turn["question"])
    yes = confirming(near["id"], standalone(turn))
    return Asked(
        question=spoken(IS_IT_THE_SAME, language, kept=near["kept"], question=near["question"], asked=near["asked"]),
        options=[Offered(id=yes, label=spoken("Yes", language)), Offered(id=OTHERWISE, label=spoken("No", language))],
    )
