"""Assume the reading that the asker chose the last time the same readings competed."""

from langgraph.runtime import Runtime

from graph.asking.clarification import ambiguity_of, options_of, question_for
from graph.context import Context
from graph.events import ReadingRecalled
from graph.state import ChoiceState, State, Update


async def assume(state: State, runtime: Runtime[Context]) -> Update:
    """Choose what the asker chose before; change nothing if they must be asked."""
    turn = state["turn"]
    asked = question_for(turn)
    ambiguity = ambiguity_of(asked)
    label = await runtime.context.preferences.recall(turn["asker"], ambiguity) if ambiguity else None
    chosen = next((option for option in asked["options"] if option["label"] == label), None)
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
    # As after a question back, the person must get an answer.
    return {"turn": {**turn, "choice": choice, "addressed": True}}
