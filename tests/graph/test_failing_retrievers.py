"""A retriever that fails costs only its own results, and the run's record counts it."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.events import AnswerCompleted
from graph.passages import DocumentFilter, Passage
from graph.run import Run
from graph.text.wording import BY_WORDS, UNSEARCHED
from graph.tools import ToolCall
from graph.turn import Profile
from graph.verified import Candidate
from tests.graph.test_run import events, turn
from tests.graph.test_tools import SUM, Used
from tests.support.fakes import (
    FoundPassages,
    NoObserver,
    NoVerifiedAnswers,
    Understood,
    Written,
    context,
    passage,
    understanding,
)

LEAVE = passage(1, "Everybody has 25 days of vacation.")


@dataclass
class Failing(FoundPassages):
    """A retriever whose first searches fail."""

    times: int = 1

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        self.queries.append(query)
        if len(self.queries) <= self.times:
            raise ConnectionError
        return [LEAVE]


class FailingAnswers(NoVerifiedAnswers):
    """Verified answers that cannot be read."""

    async def candidates(self, question: str) -> list[Candidate]:
        raise ConnectionError


class FailingProfiles:
    """Profiles that cannot be read."""

    async def of(self, person: str) -> Profile | None:
        raise ConnectionError


@dataclass
class Counting(NoObserver):
    """An observer that counts failures."""

    failures: Counter[str] = field(default_factory=Counter[str])

    def note_failure(self, retriever: str, error: BaseException) -> None:
        assert isinstance(error, ConnectionError)
        self.failures[retriever] += 1


def planned(*tools: ToolCall) -> Understood:
    return Understood(lambda case: understanding(case["question"], tools=[*tools]))


async def answered(**given: object) -> tuple[AnswerCompleted, Counter[str]]:
    observer = Counting()
    run = Run(compiled_graph(), InMemorySaver(), thread_id="t", context=context(observer=observer, **given))
    (*_, last) = await events(run.start(turn()))
    assert isinstance(last, AnswerCompleted)
    return last, observer.failures


async def test_a_first_search_that_fails_is_made_again_when_documents_are_needed() -> None:
    answer, failures = await answered(retriever=Failing())

    assert ("answered", ()) == (answer.outcome, answer.notes)
    assert {"documents": 1} == failures


async def test_what_is_out_of_scope_without_a_search_is_searched_for() -> None:
    declines = Understood(lambda case: understanding(case["question"], route="out_of_scope"))

    answer, _ = await answered(retriever=Failing(), understander=declines)

    assert "It is 25 days [1]." == answer.text


async def test_a_tool_answers_without_documents_and_the_answer_says_so() -> None:
    writer = Written([["EVIDENCE: full\nIt is 435 [1]."]], judges=True)

    given = {"understander": planned(SUM), "tools": Used(), "writers": (writer,)}

    answer, failures = await answered(retriever=Failing(times=9), **given)

    assert ("It is 435 [1].", (UNSEARCHED,)) == (answer.text, answer.notes)
    assert {"documents": 2} == failures


async def test_if_the_tool_has_no_result_documents_are_searched_once_more() -> None:
    answer, _ = await answered(retriever=Failing(times=2), understander=planned(SUM), tools=Used(""))

    assert ("It is 25 days [1].", ()) == (answer.text, answer.notes)


async def test_if_nothing_works_the_run_fails_and_nothing_is_called_missing() -> None:
    with pytest.raises(ConnectionError):
        await answered(retriever=Failing(times=9), understander=planned(SUM), tools=Used(""))


async def test_verified_answers_that_cannot_be_read_cost_only_themselves() -> None:
    answer, failures = await answered(verified=FailingAnswers())

    assert "answered" == answer.outcome
    assert {"verified": 1} == failures


async def test_a_profile_that_cannot_be_read_costs_only_itself() -> None:
    answer, failures = await answered(profiles=FailingProfiles())

    assert "answered" == answer.outcome
    assert {"profiles": 1} == failures


async def test_an_answer_that_words_alone_found_says_so_and_is_not_whole() -> None:
    answer, _ = await answered(retriever=FoundPassages([LEAVE], by_words=True))

    assert (BY_WORDS,) == answer.notes
    assert not answer.is_whole
