"""Clarify: pause the run until a person has chosen."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.asking.clarification import question_for
from graph.asking.suggestions import begun_again
from graph.context import Context
from graph.nodes.readers import resumed
from graph.routing import calls_left
from graph.state import ChoiceState, State, Update, is_suggesting


async def clarify(state: State, runtime: Runtime[Context]) -> Update:
    """Ask back. On resume the node runs again from its top, so the interrupt must come first."""
    choice: ChoiceState = interrupt(question_for(state["turn"]))
    turn = await resumed(state, runtime.context)
    if is_suggesting(turn) and choice["kind"] != "just_answer":
        turn = begun_again(turn, has_calls=calls_left(turn) > 0)
    return {"turn": {**turn, "choice": choice}}
