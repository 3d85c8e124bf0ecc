"""One search as the nodes use it: each query searched and ranked on its own, then the best documents of all."""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from graph.answer.evidence import weighed
from graph.context import Context, Grader
from graph.memory import evidence_of, is_restricted
from graph.passages import Passage
from graph.state import State, TurnState

CANDIDATES = 40
"""Fused passages that are reranked; each of text and meaning gives more, so that what both find is not cut off."""
WIDER = 60
"""Fused passages where the first search left something open."""
DOCUMENTS = 10
"""Documents that are kept, each with its best passage."""
FURTHER = 6
"""Passages that are kept beside these, so that a document that answers in several places has them together."""
LONGEST_QUERY = 2000
"""Characters; whoever pastes a log means its beginning."""


async def with_memory_as_readable(state: State, context: Context) -> TurnState:
    """Return the turn with what it must not use of the thread's memory: who asks now may not read what it rests on."""
    remembered = evidence_of(state)
    there = await context.retriever.still_there(remembered) if remembered else set[int]()
    return _with_unreadable(state, there)


async def as_it_is_now(state: State, context: Context) -> TurnState:
    """Forget what went, changed, or is not for who chose; a person was asked meanwhile, which may take a day."""
    found = [passage["id"] for passage in state["turn"]["found"]]
    there = await context.retriever.still_there([*evidence_of(state), *found])
    turn = _with_unreadable(state, there)
    kept = [passage for passage in turn["found"] if passage["id"] in there]
    return turn if len(kept) == len(turn["found"]) else {**turn, "found": kept, "searched": ""}


def _with_unreadable(state: State, there: set[int]) -> TurnState:
    """Return the turn with the ids that its memory rests on and that are not among those that may be read."""
    turn: TurnState = {**state["turn"], "unreadable": [id_ for id_ in evidence_of(state) if id_ not in there]}
    if is_restricted(state):
        turn["restricted"] = True
    return turn


async def find(context: Context, queries: list[str], *, candidates: int = CANDIDATES) -> list[Passage]:
    """Return the best passages for the queries, in turns the best that is left of each."""
    rankings = await asyncio.gather(*(_ranked(context, query[:LONGEST_QUERY], candidates) for query in queries))
    return best_of_documents(in_turns(rankings))


async def weighed_for(context: Context, queries: Sequence[str], passages: list[Passage]) -> list[Passage]:
    """Return the passages with how relevant they are for a writer that only quotes, most relevant first."""
    return weighed(passages, await best_grades(context.strict or context.grader, queries, passages))


async def best_grades(grader: Grader, queries: Sequence[str], passages: list[Passage]) -> list[float]:
    """Return each passage's best grade for any of the queries: a part of a question counts by itself."""
    every = await asyncio.gather(*(grader.grade(query[:LONGEST_QUERY], passages) for query in queries))
    return [max(grades) for grades in zip(*every, strict=True)]


async def _ranked(context: Context, query: str, candidates: int) -> list[Passage]:
    found = await context.retriever.search(query, limit=candidates)
    return await context.reranker.rerank(query, found, keep=candidates)


def in_turns(rankings: Iterable[list[Passage]]) -> list[Passage]:
    """Return the passages of all rankings, each once: the first of each, then the second of each, and so on."""
    dealt = (passage for row in zip_longest(*rankings) for passage in row if passage is not None)
    return list({passage["id"]: passage for passage in dealt}.values())


def best_of_documents(ranked: list[Passage]) -> list[Passage]:
    """Return the best passage of each of the best documents and the best few others of these, in their order.

    Of ten passages, nine may be of one long document, which then hides nine others.
    """
    first = {passage["document_id"]: passage["id"] for passage in reversed(ranked)}
    documents = list(dict.fromkeys(passage["document_id"] for passage in ranked))[:DOCUMENTS]
    leading = {first[document] for document in documents}
    others = [passage["id"] for passage in ranked if passage["document_id"] in documents]
    further = [id_ for id_ in others if id_ not in leading][:FURTHER]
    return [passage for passage in ranked if passage["id"] in leading or passage["id"] in further]
