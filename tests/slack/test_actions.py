"""Clicks, ratings and modals become inputs, or nothing."""

from dataclasses import replace

import pytest

from bot.conversation.address import ChannelId, PersonId, Placed, Ts
from bot.conversation.inputs import Click, Rating
from bot.slack.blocks.buttons import ModalOrigin, option_value
from bot.slack.listeners.actions import (
    AskAgain,
    AskNextTime,
    Elaborate,
    Retry,
    place_of_action,
    place_of_submission,
    question_again,
    read_action,
    read_submission,
)
from graph.turn import Choice
from tests.slack.payloads import US, action, submission

CARD = Placed(channel=ChannelId("C1"), ts=Ts("1700000009.000100"))
ORIGIN = ModalOrigin(token="tok", channel="C1", thread_ts="1700000000.000100", card_ts=CARD.ts)


def click(action_id: str, choice: Choice) -> Click:
    return Click(
        event_key=f"1700000009.000100:{action_id}:1700000010.000100:UADA",
        token="tok",
        choice=choice,
        thread_id="T1:C1:1700000000.000100",
        person=PersonId("UADA"),
        clicked_at=Ts("1700000010.000100"),
        card=CARD,
    )


@pytest.mark.parametrize(
    ("action_id", "value", "expected"),
    [
        ("option:1", "tok|path:1=a|b", click("option:1", Choice(kind="option", value="path:1=a|b"))),
        ("just_answer", "tok", click("just_answer", Choice(kind="just_answer"))),
        ("something_else", "tok", Elaborate(trigger_id="trigger", origin=ORIGIN)),
        (
            "ask_again",
            "tok",
            AskAgain(
                click=replace(click("ask_again", Choice(kind="just_answer")), asks_again=True),
                card_ts=Ts("1700000009.000100"),
            ),
        ),
        ("retry", "REF1", Retry(reference="REF1", thread_id="T1:C1:1700000000.000100", card=CARD)),
        (
            "feedback",
            "good",
            Rating(channel="C1", message_ts=Ts("1700000009.000100"), person=PersonId("UADA"), verdict="good"),
        ),
        ("feedback", "forged", None),
        ("unheard_of", "tok", None),
    ],
)
def test_a_click_means_what_its_button_says(action_id: str, value: str, expected: object) -> None:
    assert expected == read_action(action(action_id, value), US)


def picked(value: str) -> object:
    body = action("change", None)
    body["actions"][0]["selected_option"] = {"value": value}
    return read_action(body, US)


def test_a_pick_in_the_menu_changes_the_choice_that_it_names() -> None:
    assert replace(click("change", Choice(kind="option", value="a|b")), revision=3) == picked("tok|3|option|a|b")
    assert Elaborate(trigger_id="trigger", origin=replace(ORIGIN, revision=3)) == picked("tok|3|something_else|")
    asking = replace(click("change", Choice(kind="just_answer")), revision=3)
    assert AskNextTime(click=asking) == picked("tok|3|ask_next_time|")


def test_a_forged_pick_is_read_as_a_click_that_the_intake_will_refuse() -> None:
    forged = picked("forged")

    assert isinstance(forged, Click)
    assert ("forged", None) == (forged.token, forged.revision)


@pytest.mark.parametrize("value", [None, "", "forged"])
def test_a_forged_button_is_read_as_a_click_that_the_intake_will_refuse(value: str | None) -> None:
    forged = read_action(action("option:0", value), US)

    assert isinstance(forged, Click)
    assert (value or "", "") == (forged.token, forged.choice.value)


def test_an_option_comes_back_as_it_went_out() -> None:
    clicked = read_action(action("option:0", option_value("tok", "title=Lumen Desk")), US)

    assert click("option:0", Choice(kind="option", value="title=Lumen Desk")) == clicked


def test_a_value_that_slack_would_refuse_is_not_made() -> None:
    with pytest.raises(ValueError, match="1996 characters"):
        option_value("tok", "x" * 1997)


def test_a_click_happens_in_the_thread_of_its_card() -> None:
    place = place_of_action(action("retry", "REF1"), US)

    assert (
        place.thread_id,
        place.message_ts,
        place.person,
        place.person_team,
    ) == ("T1:C1:1700000000.000100", "1700000010.000100", "UADA", "T1")


def test_a_card_that_starts_a_thread_is_its_root() -> None:
    place = place_of_action(action("retry", "REF1", message=None, user={"id": "UADA"}), US)

    assert place.thread_id == "T1:C1:1700000009.000100"


def test_a_filled_in_modal_is_a_click_with_text() -> None:
    expected = Click(
        event_key="view:V1",
        token="tok",
        choice=Choice(kind="text", value="the blue one", label="the blue one"),
        thread_id="T1:C1:1700000000.000100",
        person=PersonId("UADA"),
        clicked_at=Ts("1700000020.000100"),
        card=CARD,
    )

    assert expected == read_submission(submission(" the \0blue one ", ORIGIN.as_text()), US, at=Ts("1700000020.000100"))


def test_a_filled_in_modal_of_the_menu_changes_the_choice() -> None:
    changed = read_submission(submission("blue", replace(ORIGIN, revision=2).as_text()), US, at=Ts("1"))

    assert changed is not None
    assert 2 == changed.revision


@pytest.mark.parametrize(
    "body",
    [
        submission("text", ORIGIN.as_text(), callback_id="another"),
        submission("text", "forged"),
        submission("text", '["too", "short"]'),
        submission("text", ""),
        submission(None, ORIGIN.as_text()),
        submission("  ", ORIGIN.as_text()),
        submission("text", ORIGIN.as_text(), state={"values": {}}),
    ],
)
def test_a_modal_that_is_not_ours_or_empty_is_nothing(body: dict[str, object]) -> None:
    assert read_submission(body, US, at=Ts("1")) is None


def test_a_modal_knows_where_its_card_is() -> None:
    place = place_of_submission(submission("text", ORIGIN.as_text()), US)

    assert place is not None
    assert (place.thread_id, place.person) == ("T1:C1:1700000000.000100", "UADA")


def test_a_forged_modal_is_nowhere() -> None:
    assert place_of_submission(submission("text", "forged"), US) is None


def test_a_superseded_question_is_asked_again_once_a_card() -> None:
    body = action("ask_again", "tok")
    again = read_action(body, US)
    assert isinstance(again, AskAgain)

    message = question_again(again, "Does it ship?", place_of_action(body, US))

    assert (
        message.message_key,
        message.turn.question,
        message.turn.addressed,
    ) == ("C1:1700000009.000100:again", "Does it ship?", True)
