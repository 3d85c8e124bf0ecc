"""Pure decisions about typed text, clicks, edits and deletions: thousands of examples."""

import os
from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.conversation.address import PersonId, Ts
from bot.conversation.asks.ask import USUAL, AskRules, MayAnswer
from bot.conversation.asks.clarifications import read_typed, refusal
from bot.conversation.contents import ChangeContent, TurnContent
from bot.conversation.inputs import Click
from bot.conversation.items import Attempt, Item
from bot.conversation.transitions import matters
from graph.turn import Choice, ChoiceKind, Turn
from tests.conversation.test_clarifications import OPEN
from tests.conversation.test_intake import message

EXAMPLES = settings(
    max_examples=int(os.environ.get("DECISIONS", "300")), database=None, derandomize="DECISIONS" not in os.environ
)
PEOPLE = st.sampled_from(("U0ADA", "U0BEN"))
MAY_ANSWER = st.sampled_from(("anyone", "asker"))
STATUSES = ("offered", "open", "decided", "superseded", "expired")
PIECES = (
    "1", "2", "3.", "Porto", "porto", "Hamburg", "the Hamburg one", "not", "neither", "the second", "either", "hmm",
    "what?", "How many days", "do I have?", "never mind", "<@U0BEN>", ":thumbsup:", "ja", "keine Ahnung", ",", "!",
    "\n", "",
)  # fmt: skip
WORDS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
TURNS = st.builds(
    Turn,
    question=WORDS,
    asker=PEOPLE,
    addressed=st.booleans(),
    mentions_others=st.booleans(),
    unread=st.lists(st.just("plan.pdf"), max_size=2).map(tuple),
)


def item(turn: Turn, person: str, number: int) -> Item:
    """Return a message's item."""
    address = message("", ts=f"100.{number:06}", root="100.000001", person=person).address
    return Item(
        id=number,
        workspace="one",
        thread_id=address.thread_id,
        address=address,
        position=Decimal(number),
        content=TurnContent(turn=turn),
        reference="ABCDEFGH",
    )


@EXAMPLES
@given(turn=TURNS, person=PEOPLE, may_answer=MAY_ANSWER)
def test_what_is_typed_is_an_answer_or_a_question_or_neither(turn: Turn, person: str, may_answer: MayAnswer) -> None:
    typed = read_typed(turn, PersonId(person), OPEN, AskRules(may_answer=may_answer))

    if not isinstance(typed, Choice):
        return
    assert turn.addressed or not turn.mentions_others
    assert may_answer == "anyone" or person == OPEN.asker
    if typed.kind == "option":
        assert (typed.value, typed.label) in OPEN.options
    else:
        assert person == OPEN.asker or turn.addressed


@EXAMPLES
@given(
    status=st.sampled_from(STATUSES),
    person=PEOPLE,
    may_answer=MAY_ANSWER,
    kind=st.sampled_from(("option", "text", "just_answer")),
    value=st.sampled_from(("a", "b", "c", "")),
)
def test_a_click_counts_only_on_an_open_question_by_who_may_and_for_what_is_offered(
    status: str, person: str, may_answer: MayAnswer, kind: ChoiceKind, value: str
) -> None:
    asked = replace(OPEN, status=status)
    click = Click(
        event_key="k",
        token="t",
        choice=Choice(kind=kind, value=value),
        thread_id=OPEN.thread_id,
        person=PersonId(person),
        clicked_at=Ts("1.0"),
    )

    refused = refusal(asked, click, replace(USUAL, may_answer=may_answer), now=OPEN.due_at)

    counts = status == "open" and (may_answer == "anyone" or person == asked.asker)
    is_offered = kind != "option" or value in dict(asked.options)
    assert (refused is None) == (counts and is_offered)


@EXAMPLES
@given(turns=st.lists(st.tuples(TURNS, PEOPLE), min_size=1, max_size=8))
def test_a_burst_is_what_one_person_said_in_one_way_without_a_gap(turns: list[tuple[Turn, str]]) -> None:
    first, *behind = [item(turn, person, number) for number, (turn, person) in enumerate(turns)]

    others = first.burst(behind)
    whole = first.with_parts(others)

    assert others == behind[: len(others)]
    assert {first.address.person} == {one.address.person for one in [first, *others]}
    assert {first.turn.addressed} == {one.turn.addressed for one in [first, *others]}
    following = behind[len(others) :][:1]
    assert all(
        one.address.person != first.address.person or one.turn.addressed != first.turn.addressed for one in following
    )
    assert "\n".join(one.turn.question for one in [first, *others]) == whole.turn.question
    assert len(whole.turn.unread) == sum(len(one.turn.unread) for one in [first, *others])


@EXAMPLES
@given(
    before=TURNS,
    after=TURNS,
    is_removed=st.booleans(),
    removes=st.booleans(),
    changed_at=st.one_of(st.none(), st.integers(1, 5)),
    at=st.integers(1, 5),
)
def test_a_change_matters_where_it_is_the_last_and_changes_something(
    *, before: Turn, after: Turn, is_removed: bool, removes: bool, changed_at: int | None, at: int
) -> None:
    said = item(before, "U0ADA", 1)
    change = ChangeContent(target=1, changed_at=str(at), turn=None if removes else after)
    known = Decimal(changed_at) if changed_at else None

    result = matters(change, replace(said, status="removed" if is_removed else "finished", changed_at=known))

    is_last = changed_at is None or changed_at < at
    assert result == (is_last and (not is_removed if removes else after != before))


@EXAMPLES
@given(number=st.integers(1, 1000), left=st.integers(-3, 2))
def test_a_run_is_tried_again_soon_while_attempts_are_left_and_never_beyond(number: int, left: int) -> None:
    pause = Attempt(number=number, allowed=number + left).pause_before_retry

    assert (pause is None) == (left <= 0)
    assert pause is None or 0 < pause.total_seconds() <= 2
