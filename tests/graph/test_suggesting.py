"""If nothing answers, the person is asked once which of several folders they meant; otherwise the run admits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer.evidence import relevance_of
from graph.asking.suggestions import begun_again
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
from graph.state import PlannedClarification, Quoting, TurnInput, TurnState, Understanding, new_turn
from graph.turn import Choice, Reply, Turn
from tests.graph.test_run import DESK, PINE, Desk, asks_between_desk_and_pine, events
from tests.support.fakes import (
    FoundPassages,
    Quoted,
    Understood,
    Validated,
    Written,
    context,
    passage,
    turn_input,
    understanding,
)

QUESTION = "I left my door pass on the tram. What now?"
PORTO, HAMBURG = (
    passage(id_, f"A new badge costs {euros} EUR.", title="Access", path=f"offices/{office}/access.md")
    for id_, office, euros in ((1, "porto", 10), (2, "hamburg", 25))
)
PARKING = passage(3, "A space costs 40 EUR.", title="Parking")
FOUND = (PORTO, PARKING, HAMBURG)
NONE = "EVIDENCE: none"


@dataclass
class ByTitle:
    """A grader that grades passages by their titles and headings, all others with nothing; it may know the choice."""

    grades: dict[str, float]
    chosen: dict[str, float] = field(default_factory=dict[str, float])
    """Grades by title for a question that names Porto."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [self._grade(question, " ".join([one["title"], *one["heading_path"]])) for one in passages]

    def _grade(self, question: str, title: str) -> float:
        if title in self.chosen and "Porto" in question:
            return self.chosen[title]
        return self.grades.get(title, 0.0)


NEAR = ByTitle({"Access": 0.02, "Parking": 0.02})
Thread = Callable[[Context], Run]


def near(*found: Passage, **given: Any) -> Context:
    """Return a context without a model, in which pages of two offices were found, with low grades."""
    retriever = FoundPassages(found or FOUND)
    return context(**{"retriever": retriever, "grader": NEAR, "quoter": Quoted("It is so [1]."), **given})


def modelled(*drafts: str, **given: Any) -> Context:
    """Return a context with a model that writes these drafts."""
    writer = Written([[draft] for draft in drafts], judges=True)
    return near(**{"writers": (writer, Written([["It is so [1]."]])), **given})


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


async def test_one_page_of_two_folders_is_asked_about_however_low_its_grade(thread: Thread) -> None:
    asked = await asked_of(thread(near()))

    assert "I found no sure answer. Which of these is it about?" == asked.question
    assert ["Porto", "Hamburg"] == [option.label for option in asked.options]


@pytest.mark.parametrize(
    ("question", "context"),
    [
        ("I left my door pass in Porto. What now?", near()),
        ("I left my door pass in Madrid. What now?", near()),
        ("What do all offices do about a lost door pass?", near()),
        (QUESTION, near(PORTO, PARKING, passage(7, "Else."), passage(8, "Else."), HAMBURG)),
        (QUESTION, near(grader=ByTitle({"Access": 0.001, "Parking": 0.02}))),
        ("Note: I left my door pass on the tram.", near()),
    ],
)
async def test_nobody_is_asked_which_folder_if_it_is_named_or_all_are_wanted_or_none_or_it_was_hardly_found(
    thread: Thread, question: str, context: Context
) -> None:
    assert "admitted" == completed(await said_to(thread(context), question)).outcome


async def test_what_only_the_sure_grader_takes_for_an_answer_is_answered(thread: Thread) -> None:
    given = near(PORTO, PARKING, sure=ByTitle({"Access": 0.9}), writers=(writer := Written([["10 EUR [1]."]]),))

    assert "answered" == completed(await said_to(thread(given))).outcome
    assert [PORTO["id"]] == [one["id"] for one in writer.briefs[0]["passages"]]


async def test_the_sure_grader_gets_the_grades_in_the_order_of_the_search(thread: Thread) -> None:
    given = near(PARKING, PORTO, grader=ByTitle({"Access": 0.3, "Parking": 0.02}), sure=(sure := Seen()))
    await said_to(thread(given))

    assert [(PARKING["id"], 0.02), (PORTO["id"], 0.3)] == sure.passages


@dataclass
class Seen:
    """A grader that notes what it is given."""

    passages: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        self.passages = [(one["id"], relevance_of(one)) for one in passages]
        return [0.0 for _ in passages]


async def test_but_not_if_it_may_be_that_of_one_folder_only(thread: Thread) -> None:
    await asked_of(thread(near(sure=ByTitle({"Access": 0.9}))))


async def test_nor_if_no_passage_is_near(thread: Thread) -> None:
    given = near(grader=ByTitle({}), sure=ByTitle({"Access": 0.9}))

    assert "admitted" == completed(await said_to(thread(given))).outcome


JOINED = "I left my door pass on the tram. What now (Porto)?"


async def test_the_chosen_folder_is_searched_alone_and_answers(thread: Thread) -> None:
    loss = passage(7, "10 EUR.", document_id=1, title="Access", path=PORTO["path"], heading_path=["Loss"])
    other = passage(8, "10 EUR.", title="Travel")
    grades = {**NEAR.grades, "Access Loss": 0.9, "Travel": 0.9}
    given = near(
        retriever=FoundPassages(FOUND, by_query={JOINED: [*FOUND, loss, other]}),
        grader=ByTitle(grades),
        writers=(writer := Written([["10 EUR [1]."]]),),
    )
    asked = await asked_of(thread(given))

    answer = completed(await chosen(thread(given), asked, "Porto"))

    assert ("answered", "10 EUR [1].") == (answer.outcome, answer.text)
    assert [7] == [one["id"] for one in writer.briefs[0]["passages"]]
    assert JOINED == writer.briefs[0]["question"]


async def test_a_folders_name_in_the_question_does_not_make_it_sure(thread: Thread) -> None:
    grader = ByTitle(NEAR.grades, chosen={"Access": 0.9})
    asked = await asked_of(thread(near(grader=grader)))

    assert "admitted" == completed(await chosen(thread(near(grader=grader)), asked, "Porto")).outcome


async def test_if_the_chosen_folder_does_not_answer_its_nearest_sentences_are_shown(thread: Thread) -> None:
    given = near(quoter=(quoter := Quoted("It is so [1].")))
    asked = await asked_of(thread(given))

    answer = completed(await chosen(thread(given), asked, "Porto"))

    assert "admitted" == answer.outcome
    assert [1] == [one["id"] for one in quoter.passages]
    assert answer.text.startswith("I am not sure.")


@pytest.mark.parametrize(("given", "turn"), [({"has_reviewer": True}, {}), ({}, {"mode": "stateless"})])
async def test_a_reviewer_and_a_single_pass_leave_nothing_to_ask(
    thread: Thread, given: dict[str, Any], turn: dict[str, Any]
) -> None:
    assert "admitted" == completed(await said_to(thread(near(**given)), **turn)).outcome


async def test_a_reviewer_who_may_not_see_the_turn_is_none(thread: Thread) -> None:
    assert await asked_of(thread(near({**PORTO, "restricted": True}, PARKING, HAMBURG, has_reviewer=True)))


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

    assert [3, 2] == [one["id"] for one in quoter.passages]


async def test_own_words_are_understood_again_and_nothing_is_asked_twice(thread: Thread) -> None:
    given = near(understander=(understander := Understood()))
    asked = await asked_of(thread(given))

    choice = Choice(kind="text", value="my badge", label="my badge")
    answer = completed(await events(thread(given).resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))))

    assert "admitted" == answer.outcome
    assert [True, False] == [case["may_ask"] for case in understander.cases]


@pytest.mark.parametrize(("typed", "outcome"), [("the badge", "answered"), ("Lisbon", "admitted")])
async def test_only_passages_that_speak_of_what_was_typed_instead_of_an_option_answer_surely(
    thread: Thread, typed: str, outcome: str
) -> None:
    joined = Understood(lambda _case: understanding(f"What now ({typed})?"))
    asked = await asked_of(thread(near()))

    given = near(understander=joined, grader=ByTitle({"Access": 0.9}), writers=(Written([["10 EUR [1]."]]),))
    choice = Choice(kind="text", value=typed, label=typed)
    answer = completed(await events(thread(given).resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))))

    assert outcome == answer.outcome


async def test_a_sure_answer_of_one_folder_says_so_if_anothers_same_page_was_found_first_too(thread: Thread) -> None:
    garage: Passage = {**HAMBURG, "title": "Access to the garage"}
    given = near(PORTO, garage, grader=ByTitle({"Access": 0.9, "Access to the garage": 0.1}))

    assert "I assumed you mean Porto." in completed(await said_to(thread(given))).notes
    named = completed(await said_to(thread(given), "I left my door pass in Porto. What now?"))
    assert "I assumed you mean Porto." not in named.notes


async def test_who_was_asked_back_about_readings_is_not_asked_about_folders(thread: Thread) -> None:
    given = near(
        retriever=FoundPassages([DESK, PINE]),
        understander=Understood(asks_between_desk_and_pine),
        grader=ByTitle({"Reset": 0.1}),
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


async def test_a_model_that_read_the_passages_in_vain_admits_at_once(thread: Thread) -> None:
    assert "admitted" == completed(await said_to(thread(modelled(NONE)))).outcome


async def test_a_draft_that_does_not_hold_is_withdrawn_before_the_question(thread: Thread) -> None:
    false = "EVIDENCE: full\nA bicycle courier brings the pass at noon [1]."
    refuted = Verdict(faithful=0.0, responsive=1.0, issues=["It is not so."])
    given = modelled(false, validator=Validated([refuted]))

    said = await said_to(thread(given))

    assert isinstance(said[-1], ClarificationRequested)
    shown = [type(event) for event in said if isinstance(event, TextWritten | DraftWithdrawn)]
    assert DraftWithdrawn is shown[-1]
    answer = completed(await chosen(thread(given), said[-1], "Porto"))
    assert "admitted" == answer.outcome


async def test_a_run_that_begins_with_the_choice_answers_for_the_folder_alone(thread: Thread) -> None:
    quoter = Quoted("It is so [1].")
    asked = await asked_of(thread(near()))
    option = next(option for option in asked.options if option.label == "Hamburg")

    given = near(quoter=quoter, understander=Understood(joined_by_code))
    start = Turn(question=QUESTION, asker="U0ADA", addressed=True)
    choice = Choice(kind="option", value=option.id, label=option.label)
    answer = completed(await events(thread(given).start(start, choice)))

    assert "admitted" == answer.outcome
    assert [2] == [one["id"] for one in quoter.passages]


def joined_by_code(case: Case) -> Understanding:
    assert "choice" in case
    return understanding(f"{case['question']} ({case['choice']['label']})")


PAYROLL = passage(
    9,
    "| | Porto | Hamburg |\n|---|---|---|\n| Salary, each month | the 23rd | the 27th |",
    title="Payroll",
    path="people/payroll.md",
)
MONEY = "When does my money land each month?"


def paid(**given: Any) -> Context:
    """Return a context in which a table was found first, for offices that other documents know."""
    grader = ByTitle({"Payroll": 0.02, "Access": 0.02})
    return near(PAYROLL, PARKING, PORTO, HAMBURG, **{"grader": grader, **given})


async def test_the_cases_of_a_table_that_was_found_first_are_asked_about(thread: Thread) -> None:
    asked = await asked_of(thread(paid()), MONEY)

    assert ["Porto", "Hamburg"] == [option.label for option in asked.options]
    assert "" == asked.attribute


async def test_but_not_if_it_is_not_near(thread: Thread) -> None:
    assert "admitted" == completed(await said_to(thread(paid(grader=ByTitle({"Parking": 0.02}))), MONEY)).outcome


async def test_of_the_table_only_the_chosen_case_is_quoted(thread: Thread) -> None:
    given = paid(quoter=(quoter := Quoted("It is so [1].")))
    asked = await asked_of(thread(given), MONEY)

    answer = completed(await chosen(thread(given), asked, "Hamburg"))

    assert "admitted" == answer.outcome
    first, *others = quoter.passages
    assert "||Hamburg|\n|---|---|\n|Salary,eachmonth|the27th|" == first["text"].replace(" ", "")
    # The table may be the wrong one, so other documents stay; but not what is for another office only.
    assert {PARKING["id"], HAMBURG["id"]} == {one["id"] for one in others}


async def test_a_run_that_begins_with_a_case_quotes_it_alone(thread: Thread) -> None:
    asked = await asked_of(thread(paid()), MONEY)
    option = next(option for option in asked.options if option.label == "Porto")

    given = paid(quoter=(quoter := Quoted("It is so [1].")), understander=Understood(joined_by_code))
    start = Turn(question=MONEY, asker="U0ADA", addressed=True)
    choice = Choice(kind="option", value=option.id, label=option.label)
    await events(thread(given).start(start, choice))

    assert "Hamburg" not in quoter.passages[0]["text"]
    assert "23rd" in quoter.passages[0]["text"]


@dataclass
class Alone:
    """A grader that is sure of any passage of the title that it reads without rivals."""

    title: str

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        rivals = {one["title"] for one in passages} - {self.title}
        return [0.02 if rivals or one["title"] != self.title else 0.9 for one in passages]


async def test_a_chosen_folder_has_the_grades_that_it_has_among_all_that_was_found(thread: Thread) -> None:
    asked = await asked_of(thread(near(grader=(grader := Alone("Access")), sure=grader)))

    assert "admitted" == completed(await chosen(thread(near(grader=grader, sure=grader)), asked, "Porto")).outcome


async def test_a_chosen_folder_is_quoted_though_others_that_the_choice_found_are_nearer(thread: Thread) -> None:
    other = passage(8, "10 EUR.", title="Travel")
    given = near(
        retriever=FoundPassages(FOUND, by_query={JOINED: [other, *FOUND]}),
        grader=(grader := ByTitle({"Access": 0.02})),
        quoter=(quoter := Quoted("It is so [1].")),
    )
    asked = await asked_of(thread(given))
    grader.grades |= {"Access": 0.001, "Travel": 0.1}

    answer = completed(await chosen(thread(given), asked, "Porto"))

    assert answer.text.startswith("I am not sure.")
    assert [PORTO["id"]] == [one["id"] for one in quoter.passages]


@pytest.mark.parametrize("grade", [0.02, 0.9])
async def test_a_chosen_case_is_never_sure_because_its_table_was_not(thread: Thread, grade: float) -> None:
    asked = await asked_of(thread(paid()), MONEY)
    sure = ByTitle({"Payroll": grade})

    answer = completed(await chosen(thread(paid(grader=sure, sure=sure)), asked, "Hamburg"))

    assert "admitted" == answer.outcome
    assert answer.text.startswith("I am not sure.")


ROUTERS = passage(
    11,
    "| Property | R2 | R3 |\n|---|---|---|\n| Connected devices | up to 60 | up to 150 |",
    title="Routers",
    path="routers.md",
)


def asks_between_cases(case: Case) -> Understanding:
    cases = [facet["id"] for facet in case["facets"] if facet["attribute"] == "case"]
    if "choice" in case:
        return joined_by_code(case)
    asked = PlannedClarification(question="Do you mean R2 or R3?", options=cases)
    return {**understanding(case["question"]), "route": "clarify", "clarification": asked}


async def test_a_chosen_case_of_a_reading_is_all_that_is_read_of_its_table(thread: Thread) -> None:
    writer = Written([["Up to 60 [1]."]])
    given = near(
        ROUTERS,
        PARKING,
        grader=ByTitle({"Routers": 0.1, "Parking": 0.1}),
        understander=Understood(asks_between_cases),
        writers=(writer,),
    )
    asked = await asked_of(thread(given), "How many connected devices?")

    answer = completed(await chosen(thread(given), asked, "R2"))

    assert "answered" == answer.outcome
    read = writer.briefs[0]["passages"]
    assert [ROUTERS["id"]] == [one["id"] for one in read]
    assert "150" not in read[0]["text"]


OF_A_PASS = frozenset(
    "passages drafts draft issues confidence outcome answer sources notes nearest scores best quoting sufficiency"
    " improvements rewrites shown doubts refuted needs_review verified"
    " disagreements".split()
)
"""What the first pass leaves behind."""
KEPT = frozenset(
    "found restricted unreadable searched facets understanding choice results began calls packet decision candidates"
    " approval profile"
    " reused near confirming may_search_web by_words unsearched".split()
)


def test_a_second_pass_begins_like_a_first_one_but_its_calls_still_count() -> None:
    known = turn_input(QUESTION)
    fresh = new_turn(known)
    ended: Any = {**fresh, **dict.fromkeys(OF_A_PASS, "left"), "calls": 3, "searched": QUESTION, "preset": "balanced"}

    again = begun_again(ended, has_calls=True)

    assert {**fresh, "calls": 3, "searched": QUESTION, "preset": "balanced"} == again
    assert set(TurnState.__annotations__) - set(TurnInput.__annotations__) == OF_A_PASS | KEPT


@pytest.mark.parametrize(("before", "after"), [(None, "unproved"), ("failed", "failed"), ("unproved", "unproved")])
def test_without_calls_left_documents_are_quoted_and_it_says_why(before: Quoting | None, after: Quoting) -> None:
    known = turn_input(QUESTION)
    ended = new_turn(known)
    if before:
        ended["quoting"] = before

    assert after == begun_again(ended, has_calls=False).get("quoting")


async def test_a_section_that_a_question_names_may_be_for_one_folder_only(thread: Thread) -> None:
    asks = "Can I get a new badge?"
    porto = passage(1, PORTO["text"], title="Access", path=PORTO["path"], heading_path=[asks])
    hamburg = passage(2, HAMBURG["text"], title="Access", path=HAMBURG["path"], heading_path=["A new badge"])
    grades = ByTitle({f"Access {asks}": 0.02, "Access A new badge": 0.02})
    run = thread(near(porto, PARKING, hamburg, grader=grades))

    asked = await asked_of(run, asks)

    assert {"Porto", "Hamburg"} == {option.label for option in asked.options}
