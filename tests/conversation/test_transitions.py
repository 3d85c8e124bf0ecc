"""Every transition of a question, in any order: thousands of examples."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from bot.conversation import transitions
from bot.conversation.items import ATTEMPTS, MOST_ALLOWED, Item
from bot.conversation.message_kinds import PartialAnswer
from graph.turn import Turn
from tests.conversation.test_decisions import EXAMPLES, TURNS, item

NOW = datetime(2030, 1, 1, tzinfo=UTC)
ERROR = ValueError("What does Ada mean?")
OTHER = Turn(question="And now?", asker="U0ADA", addressed=True)
WORDS = PartialAnswer(text="It is 25.")
Transition = Callable[[Item], Item | None]


def begun(one: Item) -> Item | None:
    """Begin a run, as a claim does."""
    return replace(one, attempts=one.attempts + 1, partial=None) if one.status in transitions.UNFINISHED else None


REPEATABLE: dict[str, Transition] = {
    "finished": partial(transitions.finished, now=NOW),
    "asked": partial(transitions.asked, now=NOW),
    "failed": partial(transitions.failed, now=NOW),
    "stopped": partial(transitions.ended, status="stopped", now=NOW),
    "dropped": partial(transitions.ended, status="dropped", now=NOW),
    "removed": partial(transitions.removed, changed_at="5", now=NOW),
    "withdrawn": partial(transitions.withdrawn, now=NOW),
    "replaced": partial(transitions.replaced, now=NOW),
    "joined": partial(transitions.joined, to=7, now=NOW),
    "released": transitions.released,
    "broken off": partial(transitions.broken_off, error=ERROR, now=NOW),
    "untold": partial(transitions.untold, now=NOW),
    "with a partial answer": partial(transitions.with_partial, partial=WORDS),
    "retried": transitions.retried,
    "run again": partial(transitions.run_again, now=NOW),
    "redone": partial(transitions.redone, turn=OTHER, changed_at="6", now=NOW),
    "shown again": partial(transitions.shown_again, now=NOW),
    "said to us": transitions.said_to_us,
    "without words": transitions.without_words,
}
COUNTED: dict[str, Transition] = {"begun": begun, "given back": transitions.given_back}
ALL = REPEATABLE | COUNTED
LIVES = st.lists(st.sampled_from([*ALL]), max_size=12)


def lived(turn: Turn, names: Sequence[str]) -> Item:
    """Return a question after some transitions. A refused transition leaves it unchanged."""
    one = item(turn, "U0ADA", 1)
    for name in names:
        one = ALL[name](one) or one
    return one


@EXAMPLES
@given(turn=TURNS, names=LIVES, name=st.sampled_from([*REPEATABLE]))
def test_a_transition_that_is_taken_twice_comes_to_the_same(turn: Turn, names: list[str], name: str) -> None:
    once = REPEATABLE[name](lived(turn, names))
    twice = REPEATABLE[name](once) if once else None

    assert twice is None or twice == once


@EXAMPLES
@given(turn=TURNS, names=LIVES)
def test_every_state_has_an_exit(turn: Turn, names: list[str]) -> None:
    one = lived(turn, names)

    exits = [name for name in ("finished", "retried", "redone") if (after := ALL[name](one)) and after != one]

    assert exits
    assert one.status not in transitions.UNFINISHED or "finished" in exits
    assert one.status not in ("failed", "stopped", "dropped") or "retried" in exits


@EXAMPLES
@given(turn=TURNS, names=LIVES)
def test_a_question_is_ended_by_one_run_only(turn: Turn, names: list[str]) -> None:
    ended = transitions.finished(lived(turn, names), now=NOW) or lived(turn, names)

    if ended.status not in transitions.UNFINISHED:
        assert transitions.finished(ended, now=NOW) is None
        assert transitions.asked(ended, now=NOW) is None


@EXAMPLES
@given(turn=TURNS, names=LIVES)
def test_what_runs_again_has_run_and_attempts_are_bounded(turn: Turn, names: list[str]) -> None:
    one = lived(turn, names)

    assert one.attempts or not one.runs_again
    assert ATTEMPTS <= one.attempts_allowed <= max(MOST_ALLOWED, one.attempts + ATTEMPTS)


@EXAMPLES
@given(turn=TURNS, names=LIVES)
def test_a_removed_question_keeps_no_word(turn: Turn, names: list[str]) -> None:
    gone = transitions.removed(lived(turn, names), changed_at="9", now=NOW)

    assert ("", None) == (gone.turn.question, gone.partial)
    assert "reason" not in (gone.last_error or {})


@EXAMPLES
@given(turn=TURNS, names=LIVES, late=st.sampled_from(["broken off", "with a partial answer"]))
def test_a_run_that_ends_after_its_question_leaves_no_word(turn: Turn, names: list[str], late: str) -> None:
    assert ALL[late](transitions.removed(lived(turn, names), changed_at="9", now=NOW)) is None
    assert ALL[late](transitions.ended(lived(turn, names), status="dropped", now=NOW)) is None


@EXAMPLES
@given(turn=TURNS, names=LIVES, name=st.sampled_from([*ALL]))
def test_only_what_a_transition_changes_is_written(turn: Turn, names: list[str], name: str) -> None:
    before = lived(turn, names)
    after = ALL[name](before) or before

    assert after == replace(before, **before.changes_to(after))
    assert not {"id", "workspace", "thread_id", "reference", "address"} & before.changes_to(after).keys()


def test_with_the_same_words_a_partial_answer_stays_and_with_others_it_goes() -> None:
    said = lived(Turn(question="Who?", asker="U0ADA", addressed=True), ["begun", "with a partial answer", "stopped"])
    kept, gone = transitions.retried(said), transitions.redone(said, turn=OTHER, changed_at="9", now=NOW)

    assert kept
    assert (asdict(WORDS), None) == (kept.partial, gone.partial)
    assert OTHER == gone.turn


@EXAMPLES
@given(turn=TURNS, names=st.lists(st.sampled_from(["broken off", "retried", "redone", "run again", "said to us"])))
def test_what_never_ran_takes_nothing_over(turn: Turn, names: list[str]) -> None:
    assert (0, ATTEMPTS, False) == ((one := lived(turn, names)).attempts, one.attempts_allowed, one.runs_again)
