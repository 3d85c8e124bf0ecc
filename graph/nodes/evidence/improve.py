"""Improve the evidence: search more widely for what the writer missed, or two drafts disagreed about."""

from langgraph.runtime import Runtime

from graph.answer.draft import in_order
from graph.answer.evidence import sources_of, weighed
from graph.answer.selection import MOST, selected
from graph.context import Context
from graph.documents.copies import collapse
from graph.events import SourcesFound, TextWritten
from graph.nodes.steps import begun
from graph.nodes.writing import emitter
from graph.passages import Passage
from graph.search import WIDER, best_grades, find, holding
from graph.state import State, TurnState, Update, queries_of, understood, without_keys
from graph.sufficiency import UNSAID
from graph.text.grounding import citations

KEPT_UNCITED = 3
"""Passages that stay for the next draft if the last one cited none."""


async def improve(state: State, runtime: Runtime[Context]) -> Update:
    """Add new passages. Without any, show the draft as it is, or admit if there is none.

    What two drafts disagreed about is written again from whatever there is.
    """
    turn, emit = state["turn"], emitter(runtime)
    missing, times = turn.get("sufficiency", UNSAID)["missing"], turn.get("improvements", 0) + 1
    emit(begun(state, "improve"))
    disagreements = turn.get("disagreements", [])
    new = await _unread(turn, [missing, *disagreements], runtime.context)
    improved: TurnState = {**turn, "improvements": times}
    if new:
        passages = [*_worth_keeping(turn), *new]
        # The numbers in an earlier draft mean other passages.
        held = holding(without_keys(improved, "best"), [*turn["found"], *new], runtime.context)
        return {"turn": {**held, "passages": selected(passages), "draft": ""}}
    if not turn["draft"]:
        return {"turn": {**improved, "outcome": "admitted"}}
    if disagreements:
        return {"turn": improved}
    text, sources = in_order(turn["draft"], sources_of(turn["passages"], turn["question"]))
    emit(SourcesFound(sources=tuple(sources)))
    emit(TextWritten(text=text))
    return {"turn": {**improved, "shown": True}}


async def _unread(turn: TurnState, missing: list[str], context: Context) -> list[Passage]:
    """Return the new passages of a wider search, the most relevant first."""
    queries = [*filter(None, missing), *queries_of(understood(turn))]
    found = await find(context, queries, candidates=WIDER, only=understood(turn).get("only"))
    known = {passage["id"] for passage in turn["found"]}
    new = [passage for passage in collapse([*turn["found"], *found]) if passage["id"] not in known]
    relevances = await best_grades(context.grader, queries[:1], new)
    return weighed(new, relevances)[:MOST]


def _worth_keeping(turn: TurnState) -> list[Passage]:
    cited = set(citations(turn["draft"]))
    kept = [passage for number, passage in enumerate(turn["passages"], start=1) if number in cited]
    return kept or turn["passages"][:KEPT_UNCITED]
