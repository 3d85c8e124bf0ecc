"""Admit: say that no document surely answers, and show what comes nearest."""

from langgraph.runtime import Runtime

from graph.answer.evidence import may_hold, sources_of
from graph.asking.clarification import is_from_suggestions, without_suggestion
from graph.context import Context
from graph.memory import language_asked, standalone
from graph.nodes.writing import quoted
from graph.passages import Passage, Source
from graph.state import State, TurnState, Update
from graph.text.grounding import citations
from graph.text.wording import NOTHING_TO_READ, nearest_found, nothing_found, spoken

NEAREST = 3
"""Documents that are shown if no document answers."""
QUOTED_IF_NOTHING = 3
"""Passages that are quoted if they hardly hold the answer: more would be a wall of text."""


async def admit(state: State, runtime: Runtime[Context]) -> Update:
    """Say that no document surely answers the question, and show what comes nearest."""
    turn = state["turn"]
    has_reviewer = runtime.context.has_reviewer_for(turn)
    language = language_asked(state)
    question = without_suggestion(standalone(turn), turn["choice"])
    near = turn.get("nearest", [])
    # After a question back, the answer must not say that nothing was found.
    may_answer = may_hold(question, near) or is_from_suggestions(turn["choice"])
    if not may_answer:
        near = _of_many_documents(near)[:QUOTED_IF_NOTHING]
    said = await quoted(question, near, runtime.context)
    if said:
        answer = nearest_found(said, may_answer=may_answer, has_reviewer=has_reviewer, language=language)
        cited = citations(said)
        sources = [one for one in sources_of(near, turn["question"]) if one["number"] in cited]
        return {"turn": _admitted(turn, answer, sources)}
    shown = _of_each(turn["found"])[:NEAREST]
    if not shown and not (await runtime.context.retriever.topics()).names:
        return {"turn": _admitted(turn, spoken(NOTHING_TO_READ, language), [])}
    answer = nothing_found(nearest=bool(shown), has_reviewer=has_reviewer, language=language)
    return {"turn": _admitted(turn, answer, sources_of(shown, turn["question"]))}


def _admitted(turn: TurnState, answer: str, sources: list[Source]) -> TurnState:
    return {**turn, "outcome": "admitted", "sources": sources, "answer": answer}


def _of_many_documents(passages: list[Passage]) -> list[Passage]:
    """Return the best passage of each document, then the others."""
    first = _of_each(passages)
    return [*first, *(passage for passage in passages if passage not in first)]


def _of_each(passages: list[Passage]) -> list[Passage]:
    best = {passage["document_id"]: passage for passage in reversed(passages)}
    return [passage for passage in passages if best[passage["document_id"]] is passage]
