"""Which click changes a choice, and whether a change still counts when it runs."""

from dataclasses import asdict, replace
from datetime import timedelta

import pytest

from bot.conversation.address import PersonId, Ts
from bot.conversation.asks.ask import AskRules, MayAnswer
from bot.conversation.asks.clarifications import Clarification, changeable, refusal, replaced_label
from bot.conversation.inputs import Click, Refusal
from graph.events import Option
from graph.turn import Choice
from tests.conversation.test_clarifications import ADA, BEN, OPEN, PORTO

ANSWERED = replace(OPEN, status="decided", decision=asdict(PORTO), decided_by=ADA, revision=2)
HAMBURG = Choice(kind="option", value="b", label="Hamburg")
WEEK = AskRules(change_within=timedelta(days=7))


def refused(
    asked: Clarification = ANSWERED,
    choice: Choice = HAMBURG,
    *,
    revision: int = 2,
    person: PersonId = BEN,
    may_answer: MayAnswer = "anyone",
    after: timedelta = timedelta(days=1),
) -> Refusal | None:
    click = Click(
        event_key="k",
        token="token",
        choice=choice,
        thread_id=OPEN.thread_id,
        person=person,
        clicked_at=Ts("1"),
        revision=revision,
    )
    why = refusal(asked, click, replace(WEEK, may_answer=may_answer), now=OPEN.settled_at + after)
    return why.reason if why else None


@pytest.mark.parametrize("choice", [HAMBURG, Choice(kind="text", value="Porto", label="Porto")])
def test_a_choice_that_names_the_one_it_replaces_counts(choice: Choice) -> None:
    assert refused(choice=choice) is None


def test_an_expired_question_may_still_be_chosen_for() -> None:
    assert refused(replace(ANSWERED, status="expired", decision=None, decided_by=None)) is None


def test_what_was_changed_meanwhile_or_is_chosen_already_was_answered() -> None:
    assert "answered" == refused(revision=1)
    assert "answered" == refused(choice=PORTO)


def test_nothing_is_changed_where_there_is_nothing_to_change() -> None:
    assert "unknown" == refused(choice=Choice(kind="option", value="forged"))
    assert "superseded" == refused(replace(ANSWERED, status="superseded"))


def test_who_may_not_answer_may_not_change() -> None:
    assert "not_yours" == refused(may_answer="asker")
    assert refused(may_answer="asker", person=ADA) is None


def test_a_choice_becomes_final() -> None:
    assert "too_late" == refused(after=timedelta(days=7))


def test_the_menu_offers_what_was_not_chosen_unless_choices_are_final() -> None:
    menu = changeable(ANSWERED, "Porto", WEEK)

    assert menu is not None
    assert ((Option(id="b", label="Hamburg"),), 2) == (menu.others, menu.revision)
    assert changeable(ANSWERED, "Porto", AskRules(change_within=timedelta())) is None


@pytest.mark.parametrize(
    ("choice", "label"),
    [(PORTO, "Porto"), (Choice(kind="just_answer", label="Just answer"), ""), (None, "")],
)
def test_only_what_somebody_said_was_replaced(choice: Choice | None, label: str) -> None:
    assert label == replaced_label(replace(ANSWERED, decision=asdict(choice) if choice else None))
