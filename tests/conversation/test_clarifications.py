"""A message during an open question is an answer, a question of its own, or talk among people."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from bot.conversation.address import ChannelId, PersonId, Ts
from bot.conversation.asks.ask import USUAL, AskRules, MayAnswer
from bot.conversation.asks.clarifications import (
    Clarification,
    Typed,
    changeable,
    read_typed,
    refusal,
)
from bot.conversation.inputs import Click, ClickRefused
from graph.asking.replies import Unclear
from graph.tools import PlannedChange, fingerprint
from graph.turn import Choice, Turn

ADA, BEN = PersonId("U0ADA"), PersonId("U0BEN")
OPEN = Clarification(
    id=1,
    token="token",
    inbox_id=1,
    thread_id="T0:C0:1",
    channel=ChannelId("C0"),
    interrupt_id="i1",
    person=ADA,
    payload={
        "about": "How many vacation days do I have?",
        "question": "Do you mean Porto or Hamburg?",
        "options": [{"id": "a", "label": "Porto"}, {"id": "b", "label": "Hamburg"}],
        "attribute": "",
    },
    status="open",
    due_at=datetime(2026, 11, 22, tzinfo=UTC),
)
PORTO = Choice(kind="option", value="a", label="Porto")


def offering(asked: Clarification, *options: tuple[str, str]) -> Clarification:
    """Return a question with these options, each an id and a label."""
    return replace(asked, payload={**asked.payload, "options": [{"id": id_, "label": label} for id_, label in options]})


def typed(
    text: str,
    *,
    person: PersonId = ADA,
    addressed: bool = False,
    others: bool = False,
    may_answer: MayAnswer = "anyone",
) -> Typed:
    turn = Turn(question=text, asker=person, addressed=addressed, mentions_others=others)
    return read_typed(turn, person, OPEN, AskRules(may_answer=may_answer))


@pytest.mark.parametrize("text", ["1", "Porto", "the Porto one", "not Hamburg"])
def test_a_number_or_a_label_is_the_answer(text: str) -> None:
    assert PORTO == typed(text)


def test_anyone_may_name_an_option_unless_only_the_asker_may() -> None:
    assert PORTO == typed("Porto", person=BEN)
    assert "left" == typed("Porto", person=BEN, may_answer="asker")


def test_the_askers_own_words_are_the_answer_and_a_strangers_only_if_said_to_the_bot() -> None:
    own_words = "I am with the warehouse team"

    assert own_words == getattr(typed(own_words), "label", "")
    assert "left" == typed(own_words, person=BEN)
    assert own_words == getattr(typed(own_words, person=BEN, addressed=True), "label", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [("3", "no_such_option"), ("0", "no_such_option"), ("option 12", "no_such_option"), ("what?", "asks_what"),
     ("What do you mean?", "asks_what"), ("??", "asks_what"), ("was meinst du damit?", "asks_what"),
     ("neither", "rejects_all"), ("none of these", "rejects_all"), ("keine davon", "rejects_all"), ("yes", "agrees")],
)  # fmt: skip
def test_what_chooses_nothing_leaves_the_question_open_and_says_why(text: str, why: Unclear) -> None:
    assert why == typed(text)
    assert why == typed(text, person=BEN, addressed=True)
    assert "left" == typed(text, person=BEN)


@pytest.mark.parametrize("text", ["never mind", "stop", "ok forget it, thanks", "hat sich erledigt", "no thanks"])
def test_the_asker_may_give_up_and_others_only_to_the_bot(text: str) -> None:
    assert "given_up" == typed(text)
    assert "given_up" == typed(text, person=BEN, addressed=True)
    assert "left" == typed(text, person=BEN)
    assert "left" == typed(text, person=BEN, addressed=True, may_answer="asker")


@pytest.mark.parametrize("text", ["I'm not sure", "hmm not sure", "dunno", "idk which", "weiß ich leider nicht"])
def test_who_does_not_know_leaves_it_to_the_bot(text: str) -> None:
    assert Choice(kind="just_answer") == typed(text)


@pytest.mark.parametrize("text", [":+1:", "hmm good question"])
def test_thinking_aloud_neither_answers_nor_closes_the_question(text: str) -> None:
    assert "left" == typed(text)


@pytest.mark.parametrize("text", ["Ben can you tell?", "What do you think, Ben?"])
def test_a_question_to_a_person_by_name_leaves_the_open_one_alone(text: str) -> None:
    assert "left" == typed(text)
    assert "question" == typed("What is the limit for a hotel night?")


def test_a_new_question_of_the_asker_closes_the_open_one() -> None:
    assert "question" == typed("What is the limit for a hotel night?")


def test_what_is_said_to_somebody_else_is_left_to_the_people() -> None:
    assert "left" == typed("U0BEN do you know?", others=True)
    assert "left" == typed("What is the limit for a hotel night?", person=BEN)


def test_asking_an_open_question_again_answers_nothing() -> None:
    click = Click(
        event_key="e",
        token="token",
        choice=Choice(kind="just_answer"),
        thread_id=OPEN.thread_id,
        person=ADA,
        clicked_at=Ts("2"),
        asks_again=True,
    )
    assert ClickRefused(reason="open", question=OPEN.about) == refusal(OPEN, click, USUAL, now=OPEN.due_at)


CHANGE = PlannedChange(tool="tracker.create", title="Tracker: create", arguments={"title": "printer"})
APPROVAL = replace(
    OPEN,
    payload={
        **OPEN.payload,
        "options": [{"id": "allow", "label": "Approve"}, {"id": "deny", "label": "Do not"}],
        "change": CHANGE,
    },
)
ALLOW, DENY = Choice(kind="option", value="allow"), Choice(kind="option", value="deny")


def pressed(choice: Choice, *, person: PersonId = ADA, shown: str = "") -> str | None:
    """Return why a click on an approval's card is refused, if it is."""
    click = Click(
        event_key="e",
        token="token",
        choice=choice,
        thread_id=OPEN.thread_id,
        person=person,
        clicked_at=Ts("2"),
        fingerprint=shown,
    )
    refused = refusal(APPROVAL, click, USUAL, now=OPEN.due_at)
    return refused.reason if refused else None


def test_only_the_asker_decides_about_a_change_and_only_of_what_was_shown() -> None:
    assert pressed(ALLOW, shown=fingerprint(CHANGE)) is None
    assert pressed(DENY) is None
    assert "changed" == pressed(ALLOW)
    assert "changed" == pressed(ALLOW, shown=fingerprint({**CHANGE, "arguments": {"title": "Printer"}}))
    for choice in (ALLOW, DENY):
        assert "not_yours" == pressed(choice, person=BEN, shown=fingerprint(CHANGE))
    for choice in (Choice(kind="just_answer"), Choice(kind="text", value="yes", label="yes")):
        assert "unknown" == pressed(choice, shown=fingerprint(CHANGE))


@pytest.mark.parametrize("may_answer", get_args(MayAnswer))
def test_a_decision_about_a_change_is_final(may_answer: MayAnswer) -> None:
    rules = replace(USUAL, may_answer=may_answer, change_within=timedelta(days=1))
    decided = replace(APPROVAL, status="decided", decision={"kind": "option", "value": "deny", "label": "Do not"})
    click = Click(
        event_key="e",
        token="token",
        choice=ALLOW,
        thread_id=OPEN.thread_id,
        person=ADA,
        clicked_at=Ts("2"),
        revision=0,
        fingerprint=fingerprint(CHANGE),
    )

    assert changeable(decided, "Do not", rules) is None
    refused = refusal(decided, click, rules, now=OPEN.due_at)
    assert refused
    assert "answered" == refused.reason


@pytest.mark.parametrize("text", ["yes", "ok", "1", "Approve", "the first one", "go ahead", "no", "👍"])
def test_no_words_decide_about_a_change(text: str) -> None:
    turn = Turn(question=text, asker=ADA, addressed=False)

    assert "only_clicks" == read_typed(turn, ADA, APPROVAL, USUAL)
    assert "left" == read_typed(turn, BEN, APPROVAL, USUAL)


@pytest.mark.parametrize("text", ["Call it a broken device instead", "What is the limit for a hotel night?"])
def test_what_the_asker_says_otherwise_takes_the_place_of_a_change(text: str) -> None:
    turn = Turn(question=text, asker=ADA, addressed=False)

    assert "question" == read_typed(turn, ADA, APPROVAL, USUAL)
    assert "left" == read_typed(turn, BEN, APPROVAL, USUAL)
