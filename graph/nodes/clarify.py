"""Clarify: pause the run until a person has said what was meant."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.asking.clarification import question_for
from graph.context import Context
from graph.search import as_it_is_now
from graph.state import Choosing, State, Update


async def clarify(state: State, runtime: Runtime[Context]) -> Update:
    """Ask; on resume the node runs again from its top, so nothing comes before the interrupt."""
    choice: Choosing = interrupt(question_for(state["turn"]))
    began = runtime.context.clock.now().timestamp()
    turn = await as_it_is_now(state, runtime.context)
    # Whoever was asked back is to be answered, also where the question had not been said to the bot.
    return {"turn": {**turn, "choice": choice, "addressed": True, "began": began}}
