"""What is answered from the conversation, and with which sources, and what is no small talk."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.context import Context
from graph.events import AnswerCompleted
from graph.nodes.dialogue.converse import cited_again
from graph.passages import Source
from graph.run import Run
from graph.state import Exchange
from graph.turn import Turn
from tests.support.fakes import FoundPassages, Graded, Understood, Written, context, passage, understanding

LEAVE = passage(7, "Everybody has 25 days of vacation.", title="Leave")


def source(number: int, id_: int) -> Source:
    return Source(number=number, title=f"Document {id_}", heading="", url=None, dated=None, passage_id=id_)


def exchange(answer: str, *cited: Source) -> Exchange:
    return Exchange(
        asker="U0ADA", question="?", standalone="?", answer=answer, sources=[], passages=[], cited=list(cited), key=""
    )


EARLIER = [
    exchange("In Porto it is 25 days [1]. Ask by March [2].", source(1, 11), source(2, 12)),
    exchange("In Berlin it is 30 days [1].", source(1, 21)),
]


def test_each_statement_cites_what_the_one_that_it_repeats_cites() -> None:
    text, sources = cited_again("It is 30 days in Berlin. In Porto it is 25 days.", EARLIER)

    assert "It is 30 days in Berlin [1]. In Porto it is 25 days [2]." == text
    assert [(1, 21), (2, 11)] == [(one["number"], one["passage_id"]) for one in sources]


def test_in_other_words_it_rests_on_the_last_answer_with_sources() -> None:
    said = [*EARLIER, exchange("You are welcome!")]

    text, sources = cited_again("Em Berlim são 30 dias.", said)

    assert "Em Berlim são 30 dias [1]." == text
    assert [21] == [one["passage_id"] for one in sources]


def test_without_sources_before_nothing_is_cited() -> None:
    assert ("It is 25 days.", []) == cited_again("It is 25 days [1].", [exchange("It is 25 days.")])
    assert ("", []) == cited_again("", EARLIER)


class Thread:
    """A thread in which a question is answered, and then answered again from the conversation."""

    def __init__(self) -> None:
        self.saver = InMemorySaver()
        self.documents = FoundPassages([LEAVE])

    async def ask(self, question: str, **given: Any) -> AnswerCompleted:
        asked: Context = context(retriever=self.documents, **given)
        run = Run(compiled_graph(), self.saver, thread_id="T0:C0:1", context=asked)
        *_, last = [one async for one in run.start(Turn(question=question, asker="U0ADA", addressed=True))]
        assert isinstance(last, AnswerCompleted)
        return last

    async def ask_twice(self) -> AnswerCompleted:
        await self.ask("How many vacation days?", writers=(Written([["Everybody has 25 days [1]."]]),))
        return await self.ask("In short?", understander=Understood(repeats))


def repeats(case: Any) -> Any:
    return understanding(case["question"], route="answer_from_conversation", reply="25 days.")


async def test_an_answer_from_the_conversation_shows_the_sources_of_the_earlier_one() -> None:
    answer = await Thread().ask_twice()

    assert ("conversed", "25 days [1].") == (answer.outcome, answer.text)
    assert [(1, "Leave", 7)] == [(one["number"], one["title"], one["passage_id"]) for one in answer.sources]


async def test_a_third_answer_still_has_them() -> None:
    thread = Thread()
    await thread.ask_twice()

    again = await thread.ask("Again?", understander=Understood(repeats))

    assert [7] == [one["passage_id"] for one in again.sources]


async def test_a_source_that_the_asker_may_not_read_any_more_is_not_shown() -> None:
    thread = Thread()
    await thread.ask("How many vacation days?", writers=(Written([["Everybody has 25 days [1]."]]),))
    thread.documents.gone = {7}

    answer = await thread.ask("In short?", understander=Understood(repeats))

    assert () == answer.sources
    assert "[1]" not in answer.text


MODEL = ["EVIDENCE: full\nEverybody has 25 days [1]."]


@pytest.mark.parametrize(
    ("route", "relevance", "outcome"),
    [
        ("converse", 0.9, "answered"),
        ("converse", 0.7, "conversed"),
        ("out_of_scope", 0.6, "answered"),
        ("out_of_scope", 0.5, "declined"),
        ("answer_from_conversation", 0.9, "conversed"),
    ],
)
async def test_what_a_passage_is_highly_relevant_to_is_searched_for_and_not_small_talk(
    route: str, relevance: float, outcome: str
) -> None:
    given = {"writers": (Written([MODEL], judges=True),), "grader": Graded(relevance)}

    answer = await Thread().ask("days", understander=Understood(takes_for(route)), **given)

    assert outcome == answer.outcome
    assert ("It is nothing." == answer.text) is (outcome != "answered")


async def test_without_a_model_the_rules_decide_what_is_small_talk() -> None:
    answer = await Thread().ask("days", understander=Understood(takes_for("converse")), grader=Graded(0.9))

    assert "conversed" == answer.outcome


def takes_for(route: str) -> Any:
    return lambda case: understanding(case["question"], route=route, reply="It is nothing.")


async def test_a_name_from_the_thread_is_no_invented_one() -> None:
    thread = Thread()
    known, unknown = (
        Written([["EVIDENCE: full\nEverybody has 25 days, also the people of Zora [1]."]], judges=True)
        for _ in range(2)
    )

    await thread.ask("How many vacation days?", writers=(unknown,))
    await thread.ask("How many do the people of Zora have?")
    await thread.ask("And in all?", writers=(known,))

    assert (2, 1) == (len(unknown.briefs), len(known.briefs))
