"""Assume the reading that the asker chose the last time that the same readings competed."""

from langgraph.runtime import Runtime

from graph.asking.clarification import ambiguity_of, options_of, question_for
from graph.context import Context
from graph.events import ReadingRecalled
from graph.state import Choosing, State, Update


async def assume(state: State, runtime: Runtime[Context]) -> Update:
    """Choose for the asker what they would; nothing, where they are to be asked."""
    turn = state["turn"]
    asked = question_for(turn)
    ambiguity = ambiguity_of(asked)
    label = await runtime.context.habits.recall(turn["asker"], ambiguity) if ambiguity else None
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
    choice = Choosing(kind="option", value=chosen["id"], label=chosen["label"], recalled=True)
    # As if they had been asked, who then are to be answered.
    return {"turn": {**turn, "choice": choice, "addressed": True}}
