"""Approve: pause the run until the asker allows a change, and make it once if they do."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.asking.approvals import approval_of, is_allowed, reported, unmade
from graph.context import Context
from graph.memory import language_asked
from graph.nodes.steps import begun
from graph.state import ChoiceState, State, Update, understood
from graph.text.wording import USING, spoken
from graph.tools import CallOutcome


async def approve(state: State, runtime: Runtime[Context]) -> Update:
    """Ask, unless the turn has the decision. On resume the node runs again from its top: the call remembers itself."""
    turn, approved = state["turn"], runtime.context.approved
    change = understood(turn).get("change")
    if change is None:
        raise LookupError("There is nothing to approve.")
    choice: ChoiceState = turn.get("approval") or interrupt(approval_of(change, turn))
    if not is_allowed(choice):
        return {"turn": reported(turn, change, unmade(choice))}
    runtime.stream_writer(begun(state, "approve", spoken(USING, language_asked(state), tool=change["title"])))
    made = await approved.make(change) if approved else CallOutcome(state="withdrawn")
    return {"turn": reported(turn, change, made)}
