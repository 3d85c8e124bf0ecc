"""Suggest: ask which of the nearest documents was meant, before the run admits that nothing answers."""

from langgraph.runtime import Runtime

from graph.answer.evidence import UNSURE, close_together, may_hold
from graph.asking.clarification import joined
from graph.asking.suggestions import parallel_readings, suggested, suggesting
from graph.context import Context
from graph.events import DraftWithdrawn
from graph.memory import standalone
from graph.passages import Facet, Passage
from graph.search import weighed_for
from graph.state import State, TurnState, Update
from graph.sufficiency import UNSAID
from graph.tools import is_result


async def suggest(state: State, runtime: Runtime[Context]) -> Update:
    """Offer the nearest documents if several come near, nobody reviews, and the person was not asked before."""
    turn, context = state["turn"], runtime.context
    has_reviewer = context.has_reviewer and not turn.get("restricted")
    if has_reviewer or turn["choice"] or turn["mode"] == "stateless":
        return {"turn": turn}
    # A model that read the passages in vain knows better than their places.
    options = parallel_readings(turn, UNSURE) if turn.get("quoting") else []
    if not options:
        near = _near(turn, context.close)
        options = await _leading_on(suggested(standalone(turn), near), near, turn, context)
    asking = suggesting(turn, options)
    if asking is not turn and turn.get("shown"):
        runtime.stream_writer(DraftWithdrawn(reason="No draft stands."))
    return {"turn": asking}


def _near(turn: TurnState, close: float) -> list[Passage]:
    """Return the passages to offer; none if one is clearly ahead, or if they know a name of the question not."""
    were_read = turn.get("sufficiency", UNSAID)["level"] == "none"
    # A tool's result is no document: after a click, it would not be found again.
    documents = [passage for passage in turn.get("nearest") or turn["passages"] if not is_result(passage)]
    near = close_together(documents, are_quoted=bool(turn.get("quoting")), were_read=were_read, close=close)
    return near if may_hold(standalone(turn), near) else []


async def _leading_on(options: list[Facet], near: list[Passage], turn: TurnState, context: Context) -> list[Facet]:
    """Return the options whose passages still bear on the question with the option in it."""
    kept: list[Facet] = []
    for option in options:
        behind = [passage for passage in near if passage["id"] in option["passages"]]
        asked = joined(standalone(turn), option["label"])
        if may_hold(asked, await weighed_for(context, [asked], behind)):
            kept.append(option)
    return kept
