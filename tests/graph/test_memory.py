"""In memory, a repeated question replaces its old exchange, and a deleted one disappears."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.context import Case
from graph.events import AnswerCompleted, ClarificationRequested
from graph.memory import CUT, HEAD_CHARACTERS, OVERHEARD, TAIL_CHARACTERS, with_its_ends, without_evidence
from graph.run import Run
from graph.state import Understanding
from graph.turn import Choice, Remark, Turn
from tests.graph.test_run import DESK, PINE, asks_between_desk_and_pine, events
from tests.support.fakes import FoundPassages, Understood, Written, context, understanding


@pytest.fixture
def understood() -> Understood:
    return Understood()


@pytest.fixture
def run(understood: Understood) -> Run:
    return Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=context(understander=understood))


def turn(question: str, key: str, **given: Any) -> Turn:
    return Turn(**{"question": question, "asker": "U0ADA", "addressed": True, "key": key, **given})


def asked_before(understood: Understood) -> list[str]:
    """Return the questions that the last turn knew."""
    return [exchange["question"] for exchange in understood.cases[-1]["memory"]["exchanges"]]


def overheard_before(understood: Understood) -> list[str]:
    """Return the remarks that the last turn knew."""
    return [remark["text"] for remark in understood.cases[-1]["memory"]["overheard"]]


def lunch(key: str, text: str = "") -> Turn:
    """Return a message to somebody else."""
    return turn(text or f"Ben, lunch {key}?", key, addressed=False, mentions_others=True)


async def test_a_question_asked_again_knows_only_what_came_before_it(run: Run, understood: Understood) -> None:
    for key in ("1", "2", "3"):
        await events(run.start(turn(f"question {key}", key)))

    await events(run.start(turn("question 2, edited", "2")))

    assert ["question 1"] == asked_before(understood)


async def test_a_question_asked_again_takes_its_own_place(run: Run, understood: Understood) -> None:
    for key in ("1", "2", "3"):
        await events(run.start(turn(f"question {key}", key)))
    await events(run.start(turn("question 2, edited", "2")))

    await events(run.start(turn("and then?", "4")))

    assert ["question 1", "question 2, edited", "question 3"] == asked_before(understood)


async def test_questions_without_a_key_are_all_remembered(run: Run, understood: Understood) -> None:
    for number in range(3):
        await events(run.start(turn(f"question {number}", "")))

    assert ["question 0", "question 1"] == asked_before(understood)


async def test_a_question_that_turns_into_a_remark_leaves_only_the_remark(run: Run, understood: Understood) -> None:
    def decide(case: Case) -> Understanding:
        return understanding(case["question"], route="retrieve" if case["addressed"] else "stay_silent")

    understood.decide = decide
    await events(run.start(turn("question 1", "1")))
    await events(run.start(turn("question 2", "2")))
    await events(run.start(turn("never mind", "1", addressed=False)))

    await events(run.start(turn("and then?", "3")))

    assert ["question 2"] == asked_before(understood)
    assert "never mind" in str(understood.cases[-1]["memory"]["overheard"])


async def test_what_is_forgotten_is_gone_and_the_rest_stays(run: Run, understood: Understood) -> None:
    for key in ("1", "2", "3"):
        await events(run.start(turn(f"question {key}", key)))

    await run.forget("2")
    await events(run.start(turn("and then?", "4")))

    assert ["question 1", "question 3"] == asked_before(understood)


async def test_what_was_only_overheard_is_forgotten_too(run: Run, understood: Understood) -> None:
    for key in ("1", "2", "3"):
        await events(run.start(lunch(key)))

    await run.forget("2")
    await events(run.start(turn("and then?", "4")))

    assert ["Ben, lunch 1?", "Ben, lunch 3?"] == overheard_before(understood)


async def test_what_was_overheard_and_is_said_anew_stands_once_in_its_own_place(
    run: Run, understood: Understood
) -> None:
    for key in ("1", "2"):
        await events(run.start(lunch(key)))
    await events(run.start(lunch("1", "Ben, dinner?")))

    await events(run.start(turn("and then?", "3")))

    assert ["Ben, dinner?", "Ben, lunch 2?"] == overheard_before(understood)


async def test_a_remark_that_turns_into_a_question_is_no_remark_any_more(run: Run, understood: Understood) -> None:
    await events(run.start(lunch("1")))

    await events(run.start(turn("question 1", "1")))
    await events(run.start(turn("and then?", "2")))

    assert ["question 1"] == asked_before(understood)
    assert [] == overheard_before(understood)


async def test_what_was_read_from_the_thread_and_also_came_by_itself_is_remembered_once_as_it_was_read_last(
    run: Run, understood: Understood
) -> None:
    await events(run.start(lunch("1")))
    read = (Remark(person="U0ADA", text="Ben, dinner?", key="1"), Remark(person="U0BEN", text="Yes.", key="2"))

    await events(run.start(turn("question 3", "3", earlier=read)))
    await run.forget("2")
    await events(run.start(turn("and then?", "4")))

    assert ["Ben, dinner?"] == overheard_before(understood)


async def test_of_more_than_can_be_kept_the_oldest_remarks_go(run: Run, understood: Understood) -> None:
    for number in range(OVERHEARD + 2):
        await events(run.start(lunch(f"{number:02}")))

    await events(run.start(turn("and then?", "99")))

    assert [f"Ben, lunch {number:02}?" for number in range(2, OVERHEARD + 2)] == overheard_before(understood)


async def test_to_forget_in_a_thread_of_which_nothing_is_known_does_nothing(run: Run) -> None:
    await run.forget("1")

    assert not await run.waits_for("any")


async def test_a_question_that_waits_while_another_is_forgotten_starts_afresh_with_its_choice() -> None:
    found = FoundPassages([DESK, PINE])
    given = context(understander=Understood(asks_between_desk_and_pine), retriever=found)
    saver = InMemorySaver()
    run: Callable[[], Run] = lambda: Run(compiled_graph(), saver, thread_id="T0:C0:1", context=given)  # noqa: E731
    await events(run().start(turn("How long is leave?", "1"), Choice(kind="just_answer")))
    asked = (await events(run().start(turn("How do I reset it?", "2"))))[-1]
    assert isinstance(asked, ClarificationRequested)

    await run().forget("1")

    assert not await run().waits_for(asked.interrupt_id)


async def test_a_question_that_is_answered_late_takes_its_place_in_the_thread(run: Run, understood: Understood) -> None:
    for key in ("1", "3"):
        await events(run.start(turn(f"question {key}", key)))
    await events(run.start(turn("question 2, which came late", "2")))

    await events(run.start(turn("and then?", "4")))

    assert ["question 1", "question 2, which came late", "question 3"] == asked_before(understood)


POINTS = [f"Point {number} says what has to be done about matter {number} [1]." for number in range(40)]


async def test_of_a_long_answer_the_beginning_and_the_end_are_remembered_in_whole_sentences(
    understood: Understood,
) -> None:
    given = context(understander=understood, writers=(Written([["\n".join(POINTS)]]),))
    run = Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=given)
    await events(run.start(turn("What is to be done?", "1")))

    await events(run.start(turn("the last point", "2")))

    (exchange,) = understood.cases[-1]["memory"]["exchanges"]
    head, tail = (part.strip().split("\n") for part in exchange["answer"].split(CUT))
    assert POINTS[: len(head)] == head
    assert POINTS[-len(tail) :] == tail
    assert len(exchange["answer"]) <= HEAD_CHARACTERS + TAIL_CHARACTERS + len(f"\n\n{CUT}\n\n")


@pytest.mark.parametrize(
    ("answer", "ends", "begins"),
    [
        ("word " * 400, "word", "word"),
        ("a" * 2000, "a" * HEAD_CHARACTERS, "a" * TAIL_CHARACTERS),
        ("```\n" + "run this\n" * 300 + "```", "run this\n```", "```\nrun this"),
        ("~~~ sh\n" + "run this\n" * 300 + "~~~", "run this\n~~~", "~~~\nrun this"),
        ("```\n" + "run this\n" * 100 + "```\n" + "word " * 400, "run this\n```", "word"),
        ("Run:\n```\n" + "run this\n" * 300, "run this\n```", "```\nrun this"),
        ("```make``` does it.\n" + "word " * 400, "word", "word"),
    ],
)
def test_what_has_no_sentences_is_cut_at_a_word_and_code_stays_code(answer: str, ends: str, begins: str) -> None:
    head, tail = with_its_ends(answer).split(f"\n\n{CUT}\n\n")

    assert head.endswith(ends)
    assert tail.startswith(begins)


@pytest.mark.parametrize("answer", ["", "It is 25 days [1].", "a" * (HEAD_CHARACTERS + TAIL_CHARACTERS)])
def test_a_short_answer_is_remembered_as_it_is(answer: str) -> None:
    assert answer == with_its_ends(answer)


async def test_the_sources_of_an_answer_are_remembered_and_forgotten_with_it(run: Run, understood: Understood) -> None:
    await events(run.start(turn("How many days?", "1")))
    await events(run.start(turn("as a list", "2")))
    memory = understood.cases[-1]["memory"]

    (exchange,) = memory["exchanges"]
    assert ["Document 1"] == [source["title"] for source in exchange.get("cited", [])]
    (withheld,) = without_evidence(memory, exchange["passages"])["exchanges"]
    assert "cited" not in withheld


async def test_what_is_said_from_the_conversation_shows_the_sources_that_it_cites(
    run: Run, understood: Understood
) -> None:
    def decide(case: Case) -> Understanding:
        said = case["memory"]["exchanges"]
        cites = said[-1].get("cited", []) if said else []
        told = {"route": "answer_from_conversation", "reply": "- 25 days [1].", "cites": cites} if cites else {}
        return understanding(case["question"], **told)

    understood.decide = decide
    await events(run.start(turn("How many days?", "1")))

    told = (await events(run.start(turn("as a list", "2"))))[-1]

    assert isinstance(told, AnswerCompleted)
    assert ("- 25 days [1].", ["Document 1"]) == (told.text, [source["title"] for source in told.sources])
