"""Assume the reading that the asker chose last time, or that is their own office or team."""

from langgraph.runtime import Runtime

from graph.asking.clarification import Ambiguity, Asked, Offered, ambiguity_of, options_of, question_for
from graph.asking.profiles import Own, own_reading
from graph.context import Context
from graph.events import ReadingRecalled
from graph.memory import standalone
from graph.state import ChoiceState, State, TurnState, Update


async def assume(state: State, runtime: Runtime[Context]) -> Update:
    """Choose what the asker chose before, or else what is their own; change nothing if they must be asked."""
    turn = state["turn"]
    asked = question_for(turn)
    ambiguity, preferences = ambiguity_of(asked), runtime.context.preferences
    label = await preferences.recall(turn["asker"], ambiguity) if preferences and ambiguity else None
    own = _own(turn, ambiguity) if label is None and ambiguity else None
    chosen = _option(asked, own.label if own else label)
    if chosen is None:
        return {"turn": turn}
    runtime.stream_writer(
        ReadingRecalled(
            question=asked["question"],
            options=options_of(asked),
            attribute=asked.get("attribute", ""),
            chosen=chosen["id"],
        )
    )
    choice = ChoiceState(kind="option", value=chosen["id"], label=chosen["label"], recalled=True)
    if own:
        choice["own"] = own.unit
    # As after a question back, the person must get an answer.
    return {"turn": {**turn, "choice": choice, "addressed": True}}


def _own(turn: TurnState, ambiguity: Ambiguity) -> Own | None:
    """Return the reading that the asker's profile decides; `None` if the question mentions somebody else."""
    profile = turn.get("profile")
    if profile is None or turn["mentions_others"]:
        return None
    return own_reading(f"{turn['question']}\n{standalone(turn)}", ambiguity, profile)


def _option(asked: Asked, label: str | None) -> Offered | None:
    return next((option for option in asked["options"] if option["label"] == label), None)
