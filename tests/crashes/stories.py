"""Stories of a question during which the process is killed, each with the expected outcome."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.crashes.boundaries import Boundary
from tests.crashes.models import AT_LENGTH, ENDLESSLY, LONG, UNSURE
from tests.crashes.runner import Runner, kind_of
from tests.journeys.changes.test_changes import edit
from tests.journeys.harness import ADA, DENY, SUPPORT, is_open_card, labels_of, text_of
from tests.journeys.reviewing import CHIARA, PEOPLE, cards
from tests.support.flagged import FLAGGED

CLEAR, AMBIGUOUS, ORDER = "What is the limit for c1?", "Where do I find w2 a2?", "Please create t1?"
REVIEWED = {"review_channel": PEOPLE}
REMEMBERING = {"remember_choices_days": 180}
DUE = {"cadence": {"deadlines_seconds": 0.5}}
FLAG_NEWS = {"cadence": {"flag_news_seconds": 0.5}}


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The expected state of a thread at the end."""

    root: str
    shown: Sequence[str]
    remembered: Sequence[str]
    holding: str = ""
    """A text in its last message."""
    reviewed: Sequence[str] = ()
    """How the cards of its reviews ended."""
    told: Sequence[str] = ()
    """The direct messages in which people are told of documents, each once."""
    faults: Sequence[str] = ()
    """What the story itself has found broken."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """The steps of a story, and the settings and the cadence of the bot."""

    live: Callable[[Runner], Awaitable[Expected]]
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parts: int = 1
    """The number of messages of its answers."""
    alike_until: Boundary | None = None
    """The boundary until which each state equals one of a clear question."""
    meets: frozenset[Boundary] = frozenset()
    """Boundaries that it must meet: no commit of it may pass for another one."""

    @property
    def name(self) -> str:
        return self.live.__name__.replace("_", " ")


async def a_clear_question(at: Runner) -> Expected:
    at.begin()
    root = await at.harness.ask(CLEAR)
    await at.answers(root)
    return Expected(root=root, shown=["answer"], remembered=["c1"])


async def a_question_that_is_answered_at_length(at: Runner) -> Expected:
    at.begin()
    root = await at.harness.ask(f"{AT_LENGTH}, what is the limit for c1?")
    await at.answers(root, 2)
    return Expected(root=root, shown=["answer", "answer"], remembered=["c1"], holding=LONG[-200:].strip())


async def a_question_that_is_asked_back_and_clicked(at: Runner) -> Expected:
    at.begin()
    root = await at.harness.ask(AMBIGUOUS)
    await at.click(root, "Pine")
    await at.answers(root)
    return Expected(root=root, shown=["answered card", "answer"], remembered=["a2"])


async def a_question_that_is_asked_back_and_answered_by_typing(at: Runner) -> Expected:
    root = await at.harness.ask(AMBIGUOUS)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.harness.say("1", root)
    await at.answers(root)
    return Expected(root=root, shown=["answered card", "answer"], remembered=["a2"])


async def a_choice_that_is_assumed_and_changed(at: Runner) -> Expected:
    if not await at.rows("SELECT FROM preferences"):
        root = await at.harness.ask(AMBIGUOUS)
        await at.click(root, "Pine")
        await at.answers(root)
        await at.settled()
    await at.execute("UPDATE preferences SET label = 'Pine'")
    at.begin()
    root = await at.harness.ask(AMBIGUOUS)
    await at.answers(root, holding="Assumed Pine")
    await at.insist(partial(at.press, root, "Desk"), lambda: at.says(root, "Revised: *Desk* instead of *Pine*"))
    return Expected(root=root, shown=["answer"], remembered=["a2"], holding="Revised: *Desk* instead of *Pine*")


async def a_question_that_is_edited(at: Runner) -> Expected:
    root = await at.harness.ask(CLEAR)
    await at.answers(root)
    await at.settled()
    at.begin()
    await edit(at.harness, root, "What is the limit for c3?")
    await at.answers(root, holding="c3")
    return Expected(root=root, shown=["answer"], remembered=["c3"])


async def a_question_that_is_deleted(at: Runner) -> Expected:
    root = await at.harness.ask(CLEAR)
    await at.answers(root)
    await at.settled()
    at.begin()
    await at.harness.playground.person(ADA).delete(SUPPORT, root)
    await at.harness.playground.until(lambda: not at.harness.said(root), 90)
    return Expected(root=root, shown=[], remembered=[])


async def a_question_whose_answer_is_stopped(at: Runner) -> Expected:
    root = await at.harness.ask(f"{ENDLESSLY}, what is the limit for c1?")
    await at.seen(root, lambda one: "26 days" in text_of(one))
    at.begin()
    await at.harness.playground.person(ADA).stop(SUPPORT, root)
    await at.seen(root, lambda one: "Stopped" in text_of(one))
    # The partial answer of a killed run is lost if the next run has begun to show its steps and is stopped before it
    # writes.
    return Expected(root=root, shown=["stopped answer"], remembered=["c1"])


async def a_burst_behind_an_answer_that_is_stopped(at: Runner) -> Expected:
    root = await at.harness.ask(f"{ENDLESSLY}, what is the limit for c1?")
    await at.seen(root, lambda one: "26 days" in text_of(one))
    at.begin()
    for tag in ("c2", "c3"):
        await at.harness.say(f"And what is it for {tag}?", root)
    await at.waiting(3)
    await at.harness.playground.person(ADA).stop(SUPPORT, root)
    await at.answers(root, holding="The answer to c2")
    return Expected(
        root=root, shown=["stopped answer", "answer"], remembered=["c1", "c2", "c3"], holding="The answer to c2 and c3"
    )


async def a_question_that_is_stopped_by_a_reaction_while_its_card_waits(at: Runner) -> Expected:
    root = await at.harness.ask(AMBIGUOUS)
    card = await at.card(root)
    await at.settled()
    at.begin()
    await at.harness.playground.person(ADA).react(SUPPORT, card["ts"], "octagonal_sign")
    await at.seen(root, lambda one: "Stopped" in text_of(one))
    return Expected(root=root, shown=["stopped card"], remembered=["a2"])


async def a_question_of_which_its_asker_is_reminded(at: Runner) -> Expected:
    root = await at.harness.ask(AMBIGUOUS)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.execute("UPDATE asks SET remind_at = now() WHERE status = 'open'")
    await at.seen(root, lambda one: kind_of(one) == "reminder")
    await at.click(root, "Desk")
    await at.answers(root)
    return Expected(root=root, shown=["answered card", "reminder", "answer"], remembered=["a2"])


async def a_question_that_nobody_answers(at: Runner) -> Expected:
    root = await at.harness.ask(AMBIGUOUS)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.execute("UPDATE asks SET due_at = now() WHERE status = 'open'")
    await at.answers(root)
    return Expected(root=root, shown=["expired card", "answer"], remembered=["a2"])


async def a_draft_that_a_colleague_approves(at: Runner) -> Expected:
    at.begin()
    root = await at.harness.ask(f"{UNSURE}, what is the limit for c1?")
    await at.insist(partial(at.decide, "Approve"), lambda: at.says(root, "Reviewed by"))
    return Expected(
        root=root, shown=["answer"], remembered=["c1"], holding=f"Reviewed by <@{CHIARA}>", reviewed=["Approved by"]
    )


async def an_answer_that_a_colleague_is_asked_about_and_writes_anew(at: Runner) -> Expected:
    root = await at.harness.ask(CLEAR)
    await at.answers(root)
    await at.settled()
    at.begin()
    await at.insist(partial(at.press, root, "Ask a human"), lambda: at.says(root, "A colleague was asked"))
    await at.insist(partial(at.rewrite, "It is 27 days [1]."), lambda: at.says(root, "27 days"))
    return Expected(
        root=root, shown=["answer"], remembered=["c1"], holding=f"Reviewed by <@{CHIARA}>", reviewed=["Edited by"]
    )


async def a_draft_that_nobody_looks_at(at: Runner) -> Expected:
    root = await at.harness.ask(f"{UNSURE}, what is the limit for c1?")
    await at.harness.playground.until(
        lambda: "Approve" in labels_of(cards(at.harness)[-1]) if cards(at.harness) else False, 90
    )
    await at.settled()
    at.begin()
    await at.execute("UPDATE asks SET due_at = now() WHERE status = 'open'")
    await at.answers(root)
    return Expected(root=root, shown=["answer"], remembered=["c1"], holding="in time", reviewed=["Nobody decided"])


async def a_change_that_its_asker_approves(at: Runner) -> Expected:
    before = at.created()
    at.begin()
    root = await at.harness.ask(ORDER)
    await at.card(root)
    await at.insist(partial(at.approve, root), lambda: not any(map(is_open_card, at.harness.said(root))))
    await at.answers(root, holding="t1")
    calls = at.created() - before
    # Killed between the two commits around a call, nobody knows whether it arrived.
    may_be = (1,) if at.says(root, "as you approved") else (0, 1)
    faults = [] if calls in may_be else [f"called {calls} times"]
    shown = ["answered card", "answer"]
    return Expected(root=root, shown=shown, remembered=["t1"], holding="called", faults=faults)


async def a_change_that_its_asker_refuses(at: Runner) -> Expected:
    before = at.created()
    root = await at.harness.ask(ORDER)
    await at.card(root)
    await at.settled()
    # Until the card is there, each state equals one of the change that is approved.
    at.begin()
    await at.click(root, DENY)
    await at.answers(root, holding="did not approve")
    faults = ["called without an approval"] * (at.created() - before)
    return Expected(root=root, shown=["answered card", "answer"], remembered=["t1"], faults=faults)


async def a_change_that_nobody_approves(at: Runner) -> Expected:
    before = at.created()
    root = await at.harness.ask(ORDER)
    await at.card(root)
    await at.settled()
    at.begin()
    await at.execute("UPDATE asks SET due_at = now() WHERE status = 'open'")
    await at.answers(root, holding="Nobody approved it in time")
    faults = ["called without an approval"] * (at.created() - before)
    return Expected(root=root, shown=["expired card", "answer"], remembered=["t1"], faults=faults)


async def a_document_that_is_flagged_and_then_replaced(at: Runner) -> Expected:
    root = await at.harness.ask(CLEAR)
    await at.answers(root)
    await at.settled()
    await at.execute(FLAGGED, workspace="default", owner=CHIARA)
    at.begin()
    await at.noted("SELECT FROM flags WHERE told_to IS NULL")
    await at.execute("DELETE FROM documents")
    await at.noted("SELECT FROM reports")
    await at.execute("DELETE FROM sources")
    return Expected(root=root, shown=["answer"], remembered=["c1"], told=["D0CHIARA", "D0BEN"])


STORIES = (
    Story(live=a_clear_question),
    Story(live=a_question_that_is_answered_at_length, parts=2, alike_until=Boundary.STREAM_OPENED),
    Story(
        live=a_question_that_is_asked_back_and_clicked,
        alike_until=Boundary.ASKED,
        meets=frozenset({Boundary.DECIDED}),
    ),
    Story(live=a_question_that_is_asked_back_and_answered_by_typing, meets=frozenset({Boundary.QUESTION_MET})),
    Story(live=a_choice_that_is_assumed_and_changed, given=REMEMBERING, alike_until=Boundary.READING_ASSUMED),
    Story(live=a_question_that_is_edited),
    Story(live=a_question_that_is_deleted),
    Story(live=a_question_whose_answer_is_stopped),
    Story(live=a_burst_behind_an_answer_that_is_stopped, parts=2),
    Story(live=a_question_that_is_stopped_by_a_reaction_while_its_card_waits),
    Story(live=a_question_of_which_its_asker_is_reminded, given=DUE),
    Story(live=a_question_that_nobody_answers, given=DUE),
    Story(live=a_draft_that_a_colleague_approves, given=REVIEWED, alike_until=Boundary.STREAM_GROWN),
    Story(
        live=an_answer_that_a_colleague_is_asked_about_and_writes_anew,
        given=REVIEWED,
        meets=frozenset({Boundary.REVIEW_WANTED, Boundary.REVIEW_PLACED, Boundary.DECIDED}),
    ),
    Story(live=a_draft_that_nobody_looks_at, given=REVIEWED | DUE),
    Story(live=a_change_that_its_asker_approves, alike_until=Boundary.ASKED),
    Story(live=a_change_that_its_asker_refuses),
    Story(live=a_change_that_nobody_approves, given=DUE),
    Story(live=a_document_that_is_flagged_and_then_replaced, given=FLAG_NEWS),
)
