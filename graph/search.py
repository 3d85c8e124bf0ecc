"""The search that nodes use: each query is searched and ranked alone, then the best documents of all are kept."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeVar

from graph.answer.evidence import weighed
from graph.context import Context, Grader
from graph.documents.copies import collapse
from graph.passages import DocumentFilter, Passage
from graph.state import TurnState, without_keys

CANDIDATES = 40
"""Fused passages to rerank. Full-text and embedding search each return more, so that common results are not cut."""
WIDER = 60
"""Fused passages of a further search."""
DOCUMENTS = 10
"""Documents to keep, each with its best passage."""
FURTHER = 6
"""Further passages of these documents for each query, because a document may answer in several places."""
LONGEST_QUERY = 2000
"""Characters. Of a pasted log, the beginning matters."""

Answered = TypeVar("Answered")


async def or_nothing(
    ask: Callable[[], Awaitable[Answered]], nothing: Answered, retriever: str, context: Context
) -> Answered:
    """Return what a retriever gives. If it fails, that costs only its own results, and the run's record counts it."""
    # Called here, and not before: a run that is stopped in between leaves no coroutine that nobody awaits.
    try:
        return await ask()
    except Exception as error:  # noqa: BLE001 — whatever it is, the others are asked.
        context.observer.note_failure(retriever, error)
        return nothing


async def find(
    context: Context, queries: list[str], *, candidates: int = CANDIDATES, only: DocumentFilter | None = None
) -> list[Passage]:
    """Return the best passages for the queries: the best of each, then the second best of each, and so on.

    A search that fails costs only its own passages. If all fail, this raises what the first one raised.
    """
    searches = (_ranked(context, query[:LONGEST_QUERY], candidates, only) for query in queries)
    ended = await asyncio.gather(*searches, return_exceptions=True)
    failed = [one for one in ended if isinstance(one, BaseException)]
    for error in failed:
        context.observer.note_failure("documents", error)
    if len(failed) == len(ended) and failed:
        raise failed[0]
    rankings = [one for one in ended if not isinstance(one, BaseException)]
    return best_of_documents(in_turns(rankings), further=FURTHER * len(queries))


def holding(turn: TurnState, found: list[Passage], context: Context) -> TurnState:
    """Return the turn with the found passages. What an earlier search made of it stays."""
    held: TurnState = {**without_keys(turn, "unsearched"), "found": found}
    if any(passage.get("restricted") for passage in found):
        held["restricted"] = True
    if context.retriever.by_words:
        held["by_words"] = True
    return held


async def weighed_for(context: Context, queries: Sequence[str], passages: list[Passage]) -> list[Passage]:
    """Return the passages with their relevance for quoting, most relevant first."""
    return weighed(passages, await best_grades(context.strict or context.grader, queries, passages))


async def best_grades(grader: Grader, queries: Sequence[str], passages: list[Passage]) -> list[float]:
    """Return each passage's best grade over all queries, because a passage may answer one part of a question."""
    every = await asyncio.gather(*(grader.grade(query[:LONGEST_QUERY], passages) for query in queries))
    return [max(grades) for grades in zip(*every, strict=True)]


async def _ranked(context: Context, query: str, candidates: int, only: DocumentFilter | None) -> list[Passage]:
    found = await context.retriever.search(query, limit=candidates, only=only)
    return await context.reranker.rerank(query, found, keep=candidates)


def in_turns(rankings: Iterable[list[Passage]]) -> list[Passage]:
    """Interleave the rankings: the first of each, then the second of each, each passage and its copies once."""
    dealt = (passage for row in zip_longest(*rankings) for passage in row if passage is not None)
    return collapse(list({passage["id"]: passage for passage in dealt}.values()))


def best_of_documents(ranked: list[Passage], *, further: int = FURTHER) -> list[Passage]:
    """Return the best passage of each of the best documents, and `further` ones of these documents, in order.

    Without this, one long document could fill nine of ten places.
    """
    first = {passage["document_id"]: passage["id"] for passage in reversed(ranked)}
    documents = list(dict.fromkeys(passage["document_id"] for passage in ranked))[:DOCUMENTS]
    leading = {first[document] for document in documents}
    others = [passage["id"] for passage in ranked if passage["document_id"] in documents]
    more = [id_ for id_ in others if id_ not in leading][:further]
    return [passage for passage in ranked if passage["id"] in leading or passage["id"] in more]
