"""A run asks the web only if no document answers, once in a turn, and never mixes it with documents."""

from dataclasses import dataclass, field

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.context import ModelError, Verdict
from graph.events import AnswerCompleted, AnswerEvent, StepStarted
from graph.nodes.evidence.search_web import LONGEST_QUERY, sent_of
from graph.passages import DocumentFilter, Passage
from graph.run import Run
from graph.state import Exchange, Memory, State, new_turn
from graph.text.wording import FROM_WEB
from graph.tools import ToolError, ToolResult
from graph.turn import Turn
from tests.graph.test_presets import Usual
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Graded, Validated, Written, context, passage, turn_input, understanding

QUESTION = "How long does a passport take?"
PAGE = ToolResult(title="Web: gov.example, read today", heading="Passports", text="A passport takes three weeks.")
DOCUMENT = passage(1, "Everybody has 25 days of vacation.")
NONE = "EVIDENCE: none"
ANSWER = "EVIDENCE: full\nIt takes three weeks [1]."


UNSURE = Verdict(faithful=0.6, responsive=0.6, issues=[])
BARELY = Verdict(faithful=0.5, responsive=0.5, issues=[])


@dataclass
class FoundOnWeb:
    """A web that says the same for every query, or fails without pages."""

    pages: list[ToolResult] = field(default_factory=lambda: [PAGE])
    queries: list[str] = field(default_factory=list[str])

    async def search(self, query: str) -> list[ToolResult]:
        self.queries.append(query)
        if not self.pages:
            raise ToolError
        return self.pages


async def asked(web: FoundOnWeb | None, *drafts: str, **given: object) -> tuple[AnswerCompleted, list[AnswerEvent]]:
    writer = Written([[draft] for draft in drafts], judges=True)
    given = {"writers": (writer,), "retriever": FoundPassages([DOCUMENT]), **given}
    run = Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=context(web=web, **given))
    said = await events(run.start(Turn(question=QUESTION, asker="U0ADA", addressed=True)))
    assert isinstance(said[-1], AnswerCompleted)
    return said[-1], said


async def test_if_no_document_answers_the_web_does_and_the_answer_says_so() -> None:
    web = FoundOnWeb()

    answer, said = await asked(web, NONE, ANSWER)

    assert "It takes three weeks [1]." == answer.text
    assert [("Web: gov.example, read today", "Passports")] == [
        (one.get("title"), one.get("heading")) for one in answer.sources
    ]
    assert FROM_WEB in answer.notes
    assert not answer.is_whole
    assert [QUESTION] == web.queries
    assert "Searching the web" in [event.title for event in said if isinstance(event, StepStarted)]


async def test_a_draft_from_documents_never_takes_the_place_of_one_from_the_web() -> None:
    unsure, draft = Validated([UNSURE, BARELY]), "EVIDENCE: full\nIt is 25 days [1]."

    answer, _ = await asked(
        FoundOnWeb(),
        draft,
        draft,
        NONE,
        ANSWER,
        ANSWER,
        validator=unsure,
        presets=Usual("thorough"),
    )

    assert "It takes three weeks [1]." == answer.text
    assert ["Web: gov.example, read today"] == [one["title"] for one in answer.sources]


async def test_if_a_document_answers_the_web_is_not_asked() -> None:
    web = FoundOnWeb()

    answer, _ = await asked(web, "EVIDENCE: full\nIt is 25 days [1].")

    assert [] == web.queries
    assert FROM_WEB not in answer.notes


async def test_if_documents_answer_a_part_the_web_is_not_asked_for_the_rest() -> None:
    web = FoundOnWeb()

    await asked(web, "EVIDENCE: part: the rest\nIt is 25 days [1].")

    assert [] == web.queries


async def test_no_draft_sees_passages_of_the_web_and_of_documents_together() -> None:
    writer = Written([[NONE], [NONE], ["EVIDENCE: part: the price\nIt takes three weeks [1]."]], judges=True)

    await asked(FoundOnWeb(), retriever=LateGrowing(), writers=(writer,), presets=Usual("thorough"))

    origins = [{bool(one.get("web")) for one in brief["passages"]} for brief in writer.briefs]
    assert {True} in origins
    assert all(len(one) == 1 for one in origins)


class LateGrowing(FoundPassages):
    """A retriever that finds another document only in its third search."""

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        self.queries.append(query)
        return [passage(1 + len(self.queries) // 3, "It is 25 days.")]


@pytest.mark.parametrize("pages", [[], [{**PAGE, "text": "Buy one now!"}]], ids=["fails", "useless"])
async def test_a_web_that_does_not_help_is_asked_once_and_the_run_admits_it(pages: list[ToolResult]) -> None:
    web = FoundOnWeb(pages)

    answer, _ = await asked(web, NONE, NONE, NONE)

    assert ("admitted", 1) == (answer.outcome, len(web.queries))
    assert ["Document 1"] == [one["title"] for one in answer.sources]
    assert FROM_WEB not in answer.notes


async def test_a_result_that_has_nothing_to_do_with_the_question_is_dropped() -> None:
    writer = Written([[NONE]], judges=True)

    answer, _ = await asked(FoundOnWeb(), writers=(writer,), grader=Graded(0.001))

    assert 1 == len({tuple(one["id"] for one in brief["passages"]) for brief in writer.briefs})
    assert "admitted" == answer.outcome


async def test_without_a_call_left_the_web_is_not_asked() -> None:
    web = FoundOnWeb()
    failing, silent = Written([[ModelError()]], judges=True), Written([[NONE]], judges=True)

    answer, _ = await asked(web, writers=(silent, failing), presets=Usual("quick"))

    assert ("admitted", []) == (answer.outcome, web.queries)


async def test_without_a_model_sure_pages_are_quoted_without_the_writers_note() -> None:
    web = FoundOnWeb()
    quoting = Written([["A passport takes three weeks [1]."]], note="Quoted from your documents.")

    answer, _ = await asked(web, writers=(quoting,), retriever=FoundPassages())

    assert ("A passport takes three weeks [1].", (FROM_WEB,)) == (answer.text, answer.notes)


async def test_without_a_model_unsure_pages_are_no_answer() -> None:
    answer, _ = await asked(FoundOnWeb(), writers=(Written(),), retriever=FoundPassages(), grader=Graded(0.2))

    assert "admitted" == answer.outcome


def state_of(question: str, standalone: str, *, answer: str = "") -> State:
    turn = new_turn(turn_input(question, asker="ada"))
    exchange = Exchange(
        asker="ada",
        question="Who rents the Porto office?",
        standalone="Who rents the Porto office?",
        answer=answer,
        sources=[],
        passages=[],
        key="",
    )
    memory = Memory(exchanges=[exchange], overheard=[], people=[])
    secret = passage(1, "The landlord is Zanzibar Estates. The key is under the mat.")
    return State(
        turn={**turn, "found": [secret], "understanding": understanding(question, standalone=standalone)},
        memory=memory,
    )


@pytest.mark.parametrize(
    ("standalone", "answer", "sent"),
    [
        (
            "How long is the rent contract of the Porto office?",
            "",
            "How long is the rent contract of the Porto office?",
        ),
        ("How long does Zanzibar Estates rent the Porto office?", "", "And how long?"),
        ("How long does Acme rent the Porto office?", "Acme rents it.", "And how long?"),
    ],
    ids=["what people said", "a word of a document", "a word of an answer"],
)
def test_no_word_that_only_documents_or_answers_hold_is_sent(standalone: str, answer: str, sent: str) -> None:
    assert sent == sent_of(state_of("And how long?", standalone, answer=answer))


def test_of_a_question_without_end_the_beginning_is_sent() -> None:
    asked_at_length = "How long does a passport take? " + "Please be exact. " * 60

    assert asked_at_length[:LONGEST_QUERY] == sent_of(state_of(asked_at_length, asked_at_length))


def test_no_key_is_sent() -> None:
    question = "Why does ghp_abcdefghijklmnopqrstuvwxyz0123456789 not work?"

    assert "abcdefghij" not in sent_of(state_of(question, question))
