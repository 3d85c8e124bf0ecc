"""Human review in the graph: an unsure draft waits for a reviewer, whose decision ends the turn."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import UnknownInterruptError

from graph.builder import compiled_graph
from graph.context import Context, ModelError, Verdict
from graph.events import AnswerCompleted, AnswerEvent, DraftWithdrawn, ReviewRequested, StepStarted, TextWritten
from graph.run import Run
from graph.text.wording import CAVEAT, UNREVIEWED
from graph.turn import ReviewDecision, Turn
from tests.support.fakes import Graded, Validated, Written, context

POOR = Verdict(faithful=0.3, responsive=0.8, issues=["The number is not in the document."])
DRAFT = "It may be 25 days [1]."
APPROVED = ReviewDecision(kind="approved", text="", by="U0BEN")


def turn(question: str = "How many vacation days?", key: str = "1.0") -> Turn:
    return Turn(question=question, asker="U0ADA", addressed=True, key=key)


def reviewed(**given: Any) -> Context:
    """Return a context with unsure drafts and a reviewer."""
    poor = {"writers": (Written([[DRAFT]]),), "validator": Validated([POOR]), "has_reviewer": True, "review_below": 0.7}
    return context(**{**poor, **given})


async def events(stream: AsyncIterator[AnswerEvent]) -> list[AnswerEvent]:
    return [event async for event in stream]


async def asked(run: Run, **given: Any) -> ReviewRequested:
    """Start a turn, and return the requested review."""
    ending = (await events(run.start(turn(**given))))[-1]
    assert isinstance(ending, ReviewRequested)
    return ending


async def answer(stream: AsyncIterator[AnswerEvent]) -> AnswerCompleted:
    """Return the answer of a run."""
    ending = (await events(stream))[-1]
    assert isinstance(ending, AnswerCompleted)
    return ending


@pytest.fixture
def thread() -> Callable[[Context], Run]:
    """Return a function that makes runs of the same thread, as after a restart."""
    saver = InMemorySaver()
    return lambda given: Run(compiled_graph(), saver, thread_id="T0:C0:1", context=given)


async def test_a_draft_that_falls_short_twice_waits_for_a_person(thread: Callable[[Context], Run]) -> None:
    writer = Written([[DRAFT]], judges=True)
    said = await events(thread(reviewed(writers=(writer,))).start(turn()))

    assert 2 == len(writer.briefs)
    assert isinstance(said[-1], ReviewRequested)
    packet = said[-1].packet
    assert DRAFT == packet["draft"]
    assert "The number is not in the document." in packet["issues"]
    assert {"faithful": 0.3, "responsive": 0.8} == packet["scores"]
    assert ["Everybody has 25 days of vacation."] == [source["text"] for source in packet["sources"]]


async def test_where_a_person_may_have_to_look_first_only_steps_are_shown(thread: Callable[[Context], Run]) -> None:
    said = await events(thread(reviewed()).start(turn()))

    assert not [event for event in said if isinstance(event, TextWritten)]
    assert [event for event in said if isinstance(event, StepStarted)]


async def test_a_good_draft_is_shown_at_once_and_whole(thread: Callable[[Context], Run]) -> None:
    said = await events(thread(reviewed(writers=(Written(),), validator=Validated())).start(turn()))

    assert not [event for event in said if isinstance(event, TextWritten | DraftWithdrawn)]
    assert isinstance(said[-1], AnswerCompleted)
    assert "It is 25 days [1]." == said[-1].text


async def test_without_a_reviewer_the_draft_is_shown_with_the_caveat(thread: Callable[[Context], Run]) -> None:
    ending = await answer(thread(reviewed(has_reviewer=False, review_below=0.0)).start(turn()))

    assert CAVEAT in ending.notes
    assert ending.packet is None


async def test_a_draft_above_the_threshold_is_shown_though_it_falls_short(thread: Callable[[Context], Run]) -> None:
    ending = await answer(thread(reviewed(review_below=0.2)).start(turn()))

    assert CAVEAT in ending.notes


async def test_without_a_validator_the_audit_decides(thread: Callable[[Context], Run]) -> None:
    made_up = Written([["It is 99 days [1]."]])
    given = reviewed(writers=(made_up,), validator=Validated([ModelError()]), review_below=0.9)

    assert await asked(thread(given))


async def test_an_approved_draft_is_the_answer_without_the_caveat(thread: Callable[[Context], Run]) -> None:
    review = await asked(thread(reviewed()))

    ending = await answer(thread(reviewed()).resume_review(review.interrupt_id, APPROVED))

    assert (DRAFT, "U0BEN", ()) == (ending.text, ending.reviewer, ending.notes)
    assert ["Document 1"] == [source["title"] for source in ending.sources]
    assert ending.packet is None


async def test_an_edited_draft_keeps_a_persons_links_and_calls_nobody(thread: Callable[[Context], Run]) -> None:
    review = await asked(thread(reviewed()))
    text = "It is 25 days [1][7], see https://hr.example/leave. <!channel> <@U0CLEO> knows."

    decision = ReviewDecision(kind="edited", text=text, by="U0BEN")
    ending = await answer(thread(reviewed()).resume_review(review.interrupt_id, decision))

    assert "It is 25 days [1], see https://hr.example/leave.  someone knows." == ending.text
    assert ("https://hr.example/leave",) == ending.links
    assert [1] == [source["number"] for source in ending.sources]


async def test_a_rejected_draft_is_not_shown_but_the_reason_is(thread: Callable[[Context], Run]) -> None:
    review = await asked(thread(reviewed()))

    decision = ReviewDecision(kind="rejected", text="Ask payroll.", by="U0BEN")
    ending = await answer(thread(reviewed()).resume_review(review.interrupt_id, decision))

    assert "rejected" == ending.outcome
    assert "Ask payroll." in ending.text
    assert "99" not in ending.text
    assert () == ending.sources


async def test_what_nobody_looked_at_is_shown_with_the_caveat(thread: Callable[[Context], Run]) -> None:
    review = await asked(thread(reviewed()))

    ending = await answer(
        thread(reviewed()).resume_review(review.interrupt_id, ReviewDecision(kind="expired", text="", by=""))
    )

    assert DRAFT == ending.text
    assert {CAVEAT, UNREVIEWED} <= set(ending.notes)
    assert ending.packet is None


async def test_a_newer_question_ends_the_wait_and_the_ruling_still_ends_the_turn(
    thread: Callable[[Context], Run],
) -> None:
    review = await asked(thread(reviewed()))
    await answer(thread(context()).start(turn("And in Porto?", key="2.0")))

    assert not await thread(reviewed()).waits_for(review.interrupt_id)
    with pytest.raises(UnknownInterruptError):
        await events(thread(reviewed()).resume_review(review.interrupt_id, APPROVED))
    ending = await answer(thread(reviewed()).conclude_review(review.packet, APPROVED))

    assert (DRAFT, "U0BEN", ()) == (ending.text, ending.reviewer, ending.notes)
    assert ["Document 1"] == [source["title"] for source in ending.sources]


@pytest.mark.parametrize("kind", ["approved", "edited", "rejected", "expired"])
async def test_a_decision_says_the_same_whether_its_run_waited_or_not(
    thread: Callable[[Context], Run], kind: Any
) -> None:
    decision = ReviewDecision(kind=kind, text="It is 25 days [1].", by="U0BEN")
    review = await asked(thread(reviewed()))

    resumed = await answer(thread(reviewed()).resume_review(review.interrupt_id, decision))
    concluded = await answer(thread(reviewed()).conclude_review(review.packet, decision))

    assert resumed == concluded


@pytest.mark.parametrize(
    ("kind", "notes"), [("approved", ("It quotes.",)), ("edited", ()), ("rejected", ()), ("expired", ("It quotes.",))]
)
async def test_a_persons_own_words_carry_no_note_of_the_writers(
    thread: Callable[[Context], Run], kind: Any, notes: tuple[str, ...]
) -> None:
    given = reviewed(writers=(Written([[DRAFT]], note="It quotes."),))
    review = await asked(thread(given))
    decision = ReviewDecision(kind=kind, text="Ask Marta.", by="U0BEN")

    resumed = await answer(thread(given).resume_review(review.interrupt_id, decision))
    concluded = await answer(thread(given).conclude_review(review.packet, decision))

    for ending in (resumed, concluded):
        assert notes == tuple(note for note in ending.notes if note not in (CAVEAT, UNREVIEWED))


async def test_an_answer_can_be_reviewed_after_it_was_shown_and_memory_keeps_the_decision(
    thread: Callable[[Context], Run],
) -> None:
    given = replace(context(), has_reviewer=True)
    shown = await answer(thread(given).start(turn(key="1.0")))
    await answer(thread(given).start(turn("And in Porto?", key="2.0")))
    assert shown.packet

    decision = ReviewDecision(kind="edited", text="It is 30 days.", by="U0BEN")
    ending = await answer(thread(given).conclude_review(shown.packet, decision))

    assert ("It is 30 days.", "U0BEN") == (ending.text, ending.reviewer)
    state = await thread(given)._graph.aget_state(thread(given)._config)
    remembered = [(one["question"], one["answer"]) for one in state.values["memory"]["exchanges"]]
    assert [("How many vacation days?", "It is 30 days."), ("And in Porto?", "It is 25 days [1].")] == remembered


async def test_an_admission_that_is_approved_keeps_the_nearest_documents(thread: Callable[[Context], Run]) -> None:
    given = replace(context(grader=Graded(0.1)), has_reviewer=True)
    shown = await answer(thread(given).start(turn()))
    assert shown.packet
    assert "Ask a human" in shown.text

    ending = await answer(thread(given).conclude_review(shown.packet, APPROVED))

    assert ("admitted", shown.sources) == (ending.outcome, ending.sources)


async def test_without_a_reviewer_nobody_is_promised(thread: Callable[[Context], Run]) -> None:
    shown = await answer(thread(context(grader=Graded(0.1))).start(turn()))

    assert "Ask a human" not in shown.text
