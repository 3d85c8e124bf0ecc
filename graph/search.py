"""One search as the nodes use it: every query at once, then one reranking pass over all that was found."""

import asyncio

from graph.answer.evidence import graded, is_enough
from graph.context import Context
from graph.passages import Passage

CANDIDATES = 20
"""Fused passages that are reranked; each of text and meaning gives more, so that what both find is not cut off."""
KEPT = 10
LONGEST_QUERY = 2000
"""Characters; whoever pastes a log means its beginning."""


async def find(context: Context, queries: list[str]) -> list[Passage]:
    """Return the best passages for the queries, the first of which is the question to rank by."""
    queries = [query[:LONGEST_QUERY] for query in queries]
    answers = await asyncio.gather(*(context.retriever.search(query, limit=CANDIDATES) for query in queries))
    candidates = {passage["id"]: passage for answer in answers for passage in answer}
    return await context.reranker.rerank(queries[0], list(candidates.values()), keep=KEPT)


async def evidence_for(context: Context, question: str, passages: list[Passage]) -> list[Passage]:
    """Return the passages that bear on a question, graded; none if together they are not enough."""
    kept = graded(passages, await context.grader.grade(question[:LONGEST_QUERY], passages))
    return kept if is_enough(kept) else []
