"""Events fold into what a person sees."""

from bot.slack.blocks.view import Step, View, fold
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    SilenceKept,
    SourcesFound,
    StepStarted,
    TextWritten,
)
from graph.passages import Source

SOURCE = Source(number=1, title="Leave", heading="", url="https://docs.example", dated=None, passage_id=7)


def seen(*events: AnswerEvent) -> View:
    view = View()
    for event in events:
        view = fold(view, event)
    return view


def test_the_first_steps_only_move_the_status() -> None:
    view = seen(StepStarted(step="search", title="Searching"), StepStarted(step="understand", title="Reading"))

    assert (view.status, view.worth_a_message) == ("Reading", False)


def test_before_the_first_step_the_status_is_in_the_language_of_the_question() -> None:
    assert ["is thinking", "denkt nach"] == [View().status, View(language="de").status]


def test_a_step_of_a_run_that_may_end_in_silence_is_not_worth_a_message() -> None:
    tentative = StepStarted(step="grade", title="Reading", is_tentative=True)

    assert [False, True] == [
        seen(tentative).worth_a_message,
        seen(tentative, StepStarted(step="write", title="Writing", status="is writing")).worth_a_message,
    ]


def test_a_later_step_a_source_or_text_is_worth_a_message() -> None:
    for event in (
        StepStarted(step="write", title="Writing"),
        SourcesFound(sources=(SOURCE,)),
        TextWritten(text="Twelve weeks."),
    ):
        assert seen(event).worth_a_message


def test_a_step_seen_twice_is_one_step() -> None:
    search, write = StepStarted(step="search", title="Searching"), StepStarted(step="write", title="Writing")
    step = Step(name="search", title="Searching")

    assert (Step(name="write", title="Writing"), step) == seen(search, write, search).steps


def test_text_adds_up_until_the_draft_is_withdrawn() -> None:
    view = seen(
        TextWritten(text="Ten."), TextWritten(text=" Or so."), DraftWithdrawn(reason="no"), TextWritten(text="12")
    )

    assert view.text == "12"


def test_a_run_has_one_ending() -> None:
    for ending in (
        SilenceKept(reason="people talk"),
        AnswerCompleted(outcome="answered", text="Twelve."),
        ClarificationRequested(interrupt_id="i", question="Which?", options=()),
    ):
        assert ending == seen(ending).ending


def test_text_may_link_to_what_was_found_or_cited() -> None:
    cited = Source(number=2, title="Plan", heading="", url="https://plan.example", dated=None, passage_id=8)
    view = seen(SourcesFound(sources=(SOURCE,)), AnswerCompleted(outcome="answered", text="", sources=(cited,)))

    assert {"https://docs.example", "https://plan.example"} == view.links
