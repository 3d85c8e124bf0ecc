"""Of several questions in one message, each is answered as if it were asked alone, or named as open."""

from dataclasses import dataclass

from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.context import Context
from graph.events import AnswerCompleted
from graph.passages import Passage
from graph.run import Run
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Understood, Written, context, passage, understanding

HOTEL, SUPPORT = "What is the limit for a hotel?", "Who leads Support?"
MESSAGE = f"{HOTEL} {SUPPORT}"
FOUND = [passage(1, "A hotel costs at most 145 EUR."), passage(2, "Camila leads Support.")]


class ByWords:
    """A reranker and a grader: what shares a word with the question comes first, and is relevant."""

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        return sorted(passages, key=lambda one: not _shares(question, one))[:keep]

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [0.9 if _shares(question, one) else 0.01 for one in passages]


def _shares(question: str, found: Passage) -> bool:
    return any(word in question and word in found["text"] for word in ("hotel", "Support"))


@dataclass
class FirstOnly:
    """A grader that is sure of the first passage, because no other one is before it."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [0.1 if place else passage.get("relevance", 0.0) for place, passage in enumerate(passages)]


def quoting(text: str) -> tuple[Context, Written]:
    """Return a context without a model in which each of two questions has a passage of its own."""
    parts = Understood(lambda case: understanding(case["question"], subquestions=[HOTEL, SUPPORT]))
    given = context(
        understander=parts,
        retriever=FoundPassages(FOUND),
        reranker=ByWords(),
        grader=ByWords(),
        sure=FirstOnly(),
        writers=((writer := Written([[text]])),),
    )
    return given, writer


async def answered(given: Context) -> AnswerCompleted:
    run = Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=given)
    ended = (await events(run.start(Turn(question=MESSAGE, asker="U0ADA", addressed=True))))[-1]
    assert isinstance(ended, AnswerCompleted)
    return ended


async def test_how_surely_a_passage_answers_one_of_them_shows_without_those_of_the_others() -> None:
    given, writer = quoting("A hotel costs at most 145 EUR [1]. Camila leads Support [2].")
    ended = await answered(given)

    assert {1, 2} == {one["id"] for one in writer.briefs[0]["passages"]}
    assert () == ended.notes


async def test_one_that_no_cited_passage_answers_is_named() -> None:
    given, _ = quoting("A hotel costs at most 145 EUR [1].")

    assert (f"I found no sure answer to “{SUPPORT}”. Ask it alone to see what comes nearest.",) == (
        await answered(given)
    ).notes
