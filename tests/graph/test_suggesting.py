"""If nothing answers, the person is asked once which of the nearest documents they meant; otherwise the run admits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer.evidence import close_together
from graph.asking.suggestions import begun_again, suggested
from graph.builder import compiled_graph
from graph.context import Case, Context, Verdict
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    ReadingRecalled,
    TextWritten,
)
from graph.passages import Passage
from graph.run import Run
from graph.state import Quoting, TurnInput, TurnState, Understanding, new_turn
from graph.turn import Choice, Reply, Turn
from tests.fakes import FoundPassages, Quoted, Understood, Validated, Written, context, passage, understanding
from tests.graph.test_run import DESK, PINE, Desk, asks_between_desk_and_pine, events

QUESTION = "When does my money arrive?"
PAYROLL = passage(1, "Salaries are paid on the 25th; the money arrives a day later.", title="Payroll dates")
EXPENSES = passage(2, "Claims filed by the 5th are paid with the salary.", title="Expenses")
PARKING = passage(3, "A space costs 40 EUR.", title="Parking")
FOUND = (PAYROLL, EXPENSES, PARKING)
NONE = "EVIDENCE: none"


@dataclass
class ByTitle:
    """A grader that grades passages by their titles and headings, all others with nothing; it may know the choice."""

    grades: dict[str, float]
    chosen: dict[str, float] = field(default_factory=dict[str, float])
    """Grades by title for a question that names the title."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [self._grade(question, " ".join([one["title"], *one["heading_path"]])) for one in passages]

    def _grade(self, question: str, title: str) -> float:
        if title in self.chosen and title in question:
            return self.chosen[title]
        return self.grades.get(title, 0.0)


NEAR = ByTitle({"Payroll dates": 0.2, "Expenses": 0.15})
Thread = Callable[[Context], Run]


def near(**given: Any) -> Context:
    """Return a context without a model, in which two documents come near."""
    return context(**{"retriever": FoundPassages(FOUND), "grader": NEAR, "quoter": Quoted("It is so [1]."), **given})


def modelled(*drafts: str, **given: Any) -> Context:
    """Return a context with a model that writes these drafts, and two relevant documents."""
    writer = Written([[draft] for draft in drafts], judges=True)
    relevant = ByTitle({"Payroll dates": 0.45, "Expenses": 0.4})
    return near(**{"writers": (writer, Written([["It is so [1]."]])), "grader": relevant, **given})


@pytest.fixture
def thread() -> Thread:
    saver = InMemorySaver()
    return lambda given: Run(compiled_graph(), saver, thread_id="T0:C0:1", context=given)


async def said_to(run: Run, question: str = QUESTION, **given: Any) -> list[AnswerEvent]:
    return await events(run.start(Turn(**{"question": question, "asker": "U0ADA", "addressed": True, **given})))


async def asked_of(run: Run, question: str = QUESTION, **given: Any) -> ClarificationRequested:
    asked = (await said_to(run, question, **given))[-1]
    assert isinstance(asked, ClarificationRequested)
    return asked


async def chosen(run: Run, asked: ClarificationRequested, label: str) -> list[AnswerEvent]:
    option = next(option for option in asked.options if option.label == label)
    choice = Choice(kind="option", value=option.id, label=label)
    return await events(run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice)))


def completed(said: list[AnswerEvent]) -> AnswerCompleted:
    assert isinstance(said[-1], AnswerCompleted)
    return said[-1]


async def test_two_documents_that_come_near_are_offered(thread: Thread) -> None:
    asked = await asked_of(thread(near()))

    assert "I found no sure answer. Which of these is it about?" == asked.question
    assert {"Payroll dates", "Expenses"} == {option.label for option in asked.options}


PORTO, HAMBURG = (
    passage(id_, f"A new badge costs {euros} EUR.", title="Access", path=f"offices/{office}/access.md")
    for id_, office, euros in ((4, "porto", 10), (5, "hamburg", 25))
)
LOST = "I left my door pass on the tram. What now?"


def lost(*found: Passage, grade: float = 0.02, **given: Any) -> Context:
    """Return a context in which pages of two offices were found, far below what is offered otherwise."""
    return near(retriever=FoundPassages(found), grader=ByTitle({"Access": grade, "Parking": 0.02}), **given)


async def test_one_page_of_two_folders_is_asked_about_however_low_its_grade(thread: Thread) -> None:
    asked = await asked_of(thread(lost(PORTO, PARKING, HAMBURG)), LOST)

    assert ["Porto", "Hamburg"] == [option.label for option in asked.options]


@pytest.mark.parametrize(
    ("question", "context"),
    [
        ("I left my door pass in Porto. What now?", lost(PORTO, PARKING, HAMBURG)),
        ("I left my door pass in Madrid. What now?", lost(PORTO, PARKING, HAMBURG)),
        ("What do all offices do about a lost door pass?", lost(PORTO, PARKING, HAMBURG)),
        (LOST, lost(PORTO, PARKING, passage(7, "Else."), passage(8, "Else."), HAMBURG)),
        (LOST, lost(PORTO, PARKING, HAMBURG, grade=0.001)),
        ("Note: I left my door pass on the tram.", lost(PORTO, PARKING, HAMBURG)),
    ],
)  # fmt: skip
async def test_nobody_is_asked_which_folder_if_it_is_named_or_all_are_wanted_or_none_or_it_was_hardly_found(
    thread: Thread, question: str, context: Context
) -> None:
    assert "admitted" == completed(await said_to(thread(context), question)).outcome


async def test_what_only_the_sure_grader_takes_for_an_answer_is_answered(thread: Thread) -> None:
    given = near(sure=ByTitle({"Payroll dates": 0.9}), writers=(writer := Written([["On the 25th [1]."]]),))

    assert "answered" == completed(await said_to(thread(given))).outcome
    assert [PAYROLL["id"]] == [one["id"] for one in writer.briefs[0]["passages"]]


async def test_but_not_if_it_may_be_that_of_one_folder_only(thread: Thread) -> None:
    await asked_of(thread(lost(PORTO, PARKING, HAMBURG, sure=ByTitle({"Access": 0.9}))), LOST)


async def test_nor_if_no_passage_is_near(thread: Thread) -> None:
    given = near(grader=ByTitle({}), sure=ByTitle({"Payroll dates": 0.9}))

    assert "admitted" == completed(await said_to(thread(given))).outcome


JOINED = "When does my money arrive (Payroll dates)?"


async def test_the_chosen_document_is_searched_alone_and_answers(thread: Thread) -> None:
    arrival = passage(7, "On the 25th.", document_id=1, title="Payroll dates", heading_path=["Arrival"])
    other = passage(8, "On the 25th.", title="Travel")
    grades = {**NEAR.grades, "Payroll dates Arrival": 0.9, "Travel": 0.9}
    given = near(
        retriever=FoundPassages(FOUND, by_query={JOINED: [*FOUND, arrival, other]}),
        grader=ByTitle(grades),
        writers=(writer := Written([["On the 25th [1]."]]),),
    )
    asked = await asked_of(thread(given))

    answer = completed(await chosen(thread(given), asked, "Payroll dates"))

    assert ("answered", "On the 25th [1].") == (answer.outcome, answer.text)
    assert [7] == [one["id"] for one in writer.briefs[0]["passages"]]
    assert JOINED == writer.briefs[0]["question"]


async def test_a_documents_name_in_the_question_does_not_make_it_sure(thread: Thread) -> None:
    grader = ByTitle(NEAR.grades, chosen={"Payroll dates": 0.9})
    asked = await asked_of(thread(near(grader=grader)))

    assert "admitted" == completed(await chosen(thread(near(grader=grader)), asked, "Payroll dates")).outcome


async def test_if_the_chosen_document_does_not_answer_its_nearest_sentences_are_shown(thread: Thread) -> None:
    given = near(quoter=(quoter := Quoted("It is so [1].")))
    asked = await asked_of(thread(given))

    answer = completed(await chosen(thread(given), asked, "Payroll dates"))

    assert "admitted" == answer.outcome
    assert [1] == [one["id"] for one in quoter.passages]


@pytest.mark.parametrize(
    "grades",
    [
        {"Payroll dates": 0.2, "Expenses": 0.05},
        {"Payroll dates": 0.3, "Expenses": 0.11},
        {"Payroll dates": 0.36, "Expenses": 0.34},
        {"Payroll dates": 0.09, "Expenses": 0.09},
        {},
    ],
)
async def test_nobody_is_asked_if_one_is_clearly_ahead_or_nothing_comes_near(
    thread: Thread, grades: dict[str, float]
) -> None:
    assert "admitted" == completed(await said_to(thread(near(grader=ByTitle(grades))))).outcome


@pytest.mark.parametrize(
    ("given", "question", "turn"),
    [
        ({"has_reviewer": True}, QUESTION, {}),
        ({"close": 0.21}, QUESTION, {}),
        ({}, QUESTION, {"mode": "stateless"}),
        ({}, "When does the money from Zurich arrive at Acme?", {}),
        ({}, "Compare when all my money arrives.", {}),
    ],
)
async def test_a_reviewer_another_grader_a_single_pass_an_unknown_name_and_a_wish_for_all_leave_nothing_to_ask(
    thread: Thread, given: dict[str, Any], question: str, turn: dict[str, Any]
) -> None:
    assert "admitted" == completed(await said_to(thread(near(**given)), question, **turn)).outcome


async def test_a_reviewer_who_may_not_see_the_turn_is_none(thread: Thread) -> None:
    found: list[Passage] = [{**PAYROLL, "restricted": True}, EXPENSES]

    assert await asked_of(thread(near(has_reviewer=True, retriever=FoundPassages(found))))


async def test_a_document_that_its_own_name_leads_to_nothing_is_not_offered(thread: Thread) -> None:
    grader = ByTitle(NEAR.grades, chosen={"Expenses": 0.01})

    assert "admitted" == completed(await said_to(thread(near(grader=grader)))).outcome


async def test_just_answer_shows_what_came_near_before_without_another_search(thread: Thread) -> None:
    given = near(retriever=(found := FoundPassages(FOUND)))
    asked = await asked_of(thread(given))
    searches = len(found.queries)

    reply = Reply(interrupt_id=asked.interrupt_id, choice=Choice(kind="just_answer"))
    answer = completed(await events(thread(given).resume(reply)))

    assert "admitted" == answer.outcome
    assert "These come nearest" in answer.text
    assert searches == len(found.queries)


async def test_what_was_deleted_while_the_card_was_open_is_quoted_no_more(thread: Thread) -> None:
    quoter = Quoted("It is so [1].")
    asked = await asked_of(thread(near(quoter=quoter)))
    later = near(retriever=FoundPassages(FOUND, gone={1}), quoter=quoter)

    await events(thread(later).resume(Reply(interrupt_id=asked.interrupt_id, choice=Choice(kind="just_answer"))))

    assert [2, 3] == [one["id"] for one in quoter.passages]


async def test_own_words_are_understood_again_and_nothing_is_asked_twice(thread: Thread) -> None:
    given = near(understander=(understander := Understood()))
    asked = await asked_of(thread(given))

    choice = Choice(kind="text", value="my salary", label="my salary")
    answer = completed(await events(thread(given).resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))))

    assert "admitted" == answer.outcome
    assert [True, False] == [case["may_ask"] for case in understander.cases]


async def test_who_was_asked_back_about_readings_is_not_asked_about_documents(thread: Thread) -> None:
    products = [DESK, PINE, {**PAYROLL, "id": 11}, {**EXPENSES, "id": 12}]
    given = near(
        retriever=FoundPassages(products),
        understander=Understood(asks_between_desk_and_pine),
        grader=ByTitle({**NEAR.grades, "Reset": 0.1}),
    )
    asked = await asked_of(thread(given), "How do I reset it?")
    assert not asked.question.startswith("I found")

    choice = Choice(kind="text", value="neither", label="neither")
    said = await events(thread(given).resume(Reply(interrupt_id=asked.interrupt_id, choice=choice)))

    assert "admitted" == completed(said).outcome


async def test_no_preference_is_learnt_or_assumed(thread: Thread) -> None:
    given = near(preferences=Desk())

    said = await said_to(thread(given))

    assert isinstance(said[-1], ClarificationRequested)
    assert "" == said[-1].attribute
    assert not [event for event in said if isinstance(event, ReadingRecalled)]


async def test_a_model_that_finds_no_evidence_twice_asks_and_then_writes_from_the_chosen_document(
    thread: Thread,
) -> None:
    writer = Written([[NONE], ["EVIDENCE: full\nOn the 25th [1]."]], judges=True)
    asked = await asked_of(thread(modelled(writers=(writer,))))

    answer = completed(await chosen(thread(modelled(writers=(writer,))), asked, "Payroll dates"))

    assert ("answered", "On the 25th [1].") == (answer.outcome, answer.text)
    assert [1] == [one["id"] for one in writer.briefs[-1]["passages"]]


async def test_a_model_that_read_documents_that_only_come_near_admits_at_once(thread: Thread) -> None:
    assert "admitted" == completed(await said_to(thread(modelled(NONE, grader=NEAR)))).outcome


async def test_a_model_that_finds_no_evidence_in_the_chosen_document_admits(thread: Thread) -> None:
    given = modelled(NONE)
    asked = await asked_of(thread(given))

    assert "admitted" == completed(await chosen(thread(given), asked, "Expenses")).outcome


async def test_a_draft_that_does_not_hold_is_withdrawn_before_the_question(thread: Thread) -> None:
    false = "EVIDENCE: full\nThe money arrives at noon by bicycle courier [1]."
    refuted = Verdict(faithful=0.0, responsive=1.0, issues=["It is not so."])
    given = modelled(false, validator=Validated([refuted]), grader=NEAR)

    said = await said_to(thread(given))

    assert isinstance(said[-1], ClarificationRequested)
    shown = [type(event) for event in said if isinstance(event, TextWritten | DraftWithdrawn)]
    assert DraftWithdrawn is shown[-1]
    answer = completed(await chosen(thread(given), said[-1], "Payroll dates"))
    assert "admitted" == answer.outcome


async def test_a_run_that_begins_with_the_choice_answers_for_the_document_alone(thread: Thread) -> None:
    quoter = Quoted("It is so [1].")
    asked = await asked_of(thread(near()))
    option = next(option for option in asked.options if option.label == "Expenses")

    given = near(quoter=quoter, understander=Understood(joined_by_code))
    start = Turn(question=QUESTION, asker="U0ADA", addressed=True)
    choice = Choice(kind="option", value=option.id, label=option.label)
    answer = completed(await events(thread(given).start(start, choice)))

    assert "admitted" == answer.outcome
    assert [2] == [one["id"] for one in quoter.passages]


def joined_by_code(case: Case) -> Understanding:
    assert "choice" in case
    return understanding(f"{case['question']} ({case['choice']['label']})")


def test_documents_of_one_title_are_one_option_and_old_versions_none() -> None:
    found = [
        PAYROLL,
        passage(4, "The same.", title="Payroll dates"),
        passage(5, "Money in 2024.", title="Travel policy", path="travel-policy-2024.md", dated="2024-01-01"),
        passage(6, "Money in 2026.", title="Travel policy", path="travel-policy-2026.md", dated="2026-01-01"),
    ]

    offered = {facet["label"]: facet["passages"] for facet in suggested(QUESTION, found)}

    assert {"Payroll dates": [1, 4], "Travel policy": [6]} == {label: sorted(ids) for label, ids in offered.items()}


def test_a_relevant_passage_is_ahead_only_of_a_list_that_quotes_it() -> None:
    weighed: list[Passage] = [{**PAYROLL, "relevance": 0.6}, {**EXPENSES, "relevance": 0.4}]

    assert [] == close_together(weighed, are_quoted=True)
    assert weighed == close_together(weighed, are_quoted=False)


OF_A_PASS = frozenset(
    "passages drafts draft issues confidence outcome answer sources notes nearest scores best quoting sufficiency"
    " improvements shown doubts refuted needs_review verified".split()
)
"""What the first pass leaves behind."""
KEPT = frozenset(
    "found restricted unreadable searched facets understanding choice results began calls packet decision candidates"
    " approval"
    " reused near confirming may_search_web by_words unsearched".split()
)


def test_a_second_pass_begins_like_a_first_one_but_its_calls_still_count() -> None:
    known = TurnInput(
        question=QUESTION, asker="U0ADA", addressed=True, mentions_others=False, earlier=[], unread=[],
        mode="conversational", key="1",
    )  # fmt: skip
    fresh = new_turn(known)
    ended: Any = {**fresh, **dict.fromkeys(OF_A_PASS, "left"), "calls": 3, "searched": QUESTION, "preset": "balanced"}

    again = begun_again(ended, has_calls=True)

    assert {**fresh, "calls": 3, "searched": QUESTION, "preset": "balanced"} == again
    assert set(TurnState.__annotations__) - set(TurnInput.__annotations__) == OF_A_PASS | KEPT


@pytest.mark.parametrize(("before", "after"), [(None, "unproved"), ("failed", "failed"), ("unproved", "unproved")])
def test_without_calls_left_documents_are_quoted_and_it_says_why(before: Quoting | None, after: Quoting) -> None:
    known = TurnInput(
        question=QUESTION, asker="U0ADA", addressed=True, mentions_others=False, earlier=[], unread=[],
        mode="conversational", key="1",
    )  # fmt: skip
    ended = new_turn(known)
    if before:
        ended["quoting"] = before

    assert after == begun_again(ended, has_calls=False).get("quoting")
