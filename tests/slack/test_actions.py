"""Presses, ratings and modals become inputs, or nothing."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import SystemClock
from bot.conversation.address import ChannelId, PersonId, Placed, Ts
from bot.conversation.inputs import Click, ClickRefused, Rating
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.blocks.elements import Block
from bot.slack.blocks.modal_responses import out_of_date
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.event_listeners import EventListeners
from bot.slack.payloads.actions import Submitted, click_of_modal, origin_of_press, read_press, read_submission, words_of
from bot.slack.payloads.buttons import ModalOrigin, with_token
from graph.answer.follow_ups import SAYS
from graph.text.wording import LANGUAGES, spoken
from graph.turn import Choice
from tests.slack.payloads import US, action, submission
from tests.slack.recording import Acquainted, RecordingIntake
from tests.support.listening import bare_listeners

CARD = Placed(channel=ChannelId("C1"), ts=Ts("1700000009.000100"))
ORIGIN = ModalOrigin(token="tok", channel="C1", thread_ts="1700000000.000100", card_ts=CARD.ts)


class Opening(Messenger):
    """A messenger that keeps the modals it opens, and says nothing."""

    def __init__(self) -> None:
        super().__init__(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace())
        self.opened: list[Block] = []

    async def open_modal(self, trigger_id: str, view: Block) -> None:
        self.opened.append(view)


async def pressed(body: dict[str, Any]) -> tuple[RecordingIntake, list[ModalOrigin | None]]:
    """Let the listeners take a press in; return what is stored, and the cards of the modals that it opens."""
    intake = RecordingIntake()
    messenger = Opening()
    async with BackgroundTasks() as tasks:
        access_check = AccessCheck(Acquainted(messenger, US), messenger, tasks, SystemClock())
        listeners = bare_listeners(intake, access_check)
        await _in_company(listeners, body)
    return intake, [ModalOrigin.of_text(view["private_metadata"]) for view in messenger.opened]


async def _in_company(listeners: EventListeners, body: dict[str, Any]) -> None:
    """Press in a direct message, where nobody needs to ask Slack who reads along."""
    await listeners.buttons.act({**body, "channel": {"id": "D1"}})


def click(action_id: str, choice: Choice, **fields: Any) -> Click:
    made = Click(
        event_key=f"1700000009.000100:{action_id}:1700000010.000100:UADA",
        token="tok",
        choice=choice,
        thread_id="T1:D1:1700000000.000100",
        person=PersonId("UADA"),
        clicked_at=Ts("1700000010.000100"),
        card=replace(CARD, channel=ChannelId("D1")),
    )
    return replace(made, **fields)


def picked(value: str) -> dict[str, Any]:
    body = action("change", None)
    body["actions"][0]["selected_option"] = {"value": value}
    return body


FORGED_PICK = replace(click("change", Choice(kind="option")), token="forged")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (action("option:1", "tok|path:1=a|b"), click("option:1", Choice(kind="option", value="path:1=a|b"))),
        (action("option:0", with_token("tok", "t=a")), click("option:0", Choice(kind="option", value="t=a"))),
        (action("just_answer", "tok"), click("just_answer", Choice(kind="just_answer"))),
        (action("ask_again", "tok"), click("ask_again", Choice(kind="just_answer"), asks_again=True)),
        (picked("tok|3|option|a|b"), click("change", Choice(kind="option", value="a|b"), revision=3)),
        # The intake refuses what is forged.
        (picked("forged"), FORGED_PICK),
        (action("option:0", None), click("option:0", Choice(kind="option"), token="")),
        (action("option:0", "forged"), click("option:0", Choice(kind="option"), token="forged")),
    ],
)
async def test_a_press_makes_the_choice_that_its_button_says(body: dict[str, Any], expected: Click) -> None:
    intake, _ = await pressed(body)

    assert RecordingIntake(clicks=[expected]) == intake


async def test_a_person_who_wants_to_be_asked_the_next_time_chooses_nothing_now() -> None:
    intake, _ = await pressed(picked("tok|3|ask_next_time|"))

    assert RecordingIntake(unasked=[click("change", Choice(kind="just_answer"), revision=3)]) == intake


@pytest.mark.parametrize(
    ("body", "revision"), [(action("something_else", "tok"), None), (picked("tok|3|something_else|"), 3)]
)
async def test_who_has_other_words_gets_a_modal_for_them(body: dict[str, Any], revision: int | None) -> None:
    intake, origins = await pressed(body)

    assert (RecordingIntake(), [ORIGIN.model_copy(update={"channel": "D1", "revision": revision})]) == (intake, origins)


async def test_a_failed_turn_is_run_again() -> None:
    intake, _ = await pressed(action("retry", "REF1"))

    assert RecordingIntake(retried=["REF1"]) == intake


@pytest.mark.parametrize("verdict", ["good", "bad"])
async def test_a_rating_is_of_the_message_with_the_button(verdict: Literal["good", "bad"]) -> None:
    intake, _ = await pressed(action("feedback", f"{verdict}|7|8"))

    rating = Rating(channel="D1", message_ts=CARD.ts, person=PersonId("UADA"), verdict=verdict)
    assert RecordingIntake(ratings=[rating]) == intake


@pytest.mark.parametrize(
    "body",
    [
        action("feedback", "forged"),
        action("look_again", "forged"),
        action("unheard_of", "tok"),
        action("follow_up:0", "the token of an earlier version"),
    ],
)
async def test_what_is_no_button_of_ours_does_nothing(body: dict[str, Any]) -> None:
    assert (RecordingIntake(), []) == await pressed(body)


async def test_a_superseded_question_is_asked_again_once_a_card() -> None:
    intake, messenger = RecordingIntake(), Opening()
    intake.outcomes.append(ClickRefused(reason="superseded", question="Does it ship?"))
    async with BackgroundTasks() as tasks:
        access_check = AccessCheck(Acquainted(messenger, US), messenger, tasks, SystemClock())
        await _in_company(bare_listeners(intake, access_check), action("ask_again", "tok"))

    (message,) = intake.offered
    assert ("D1:1700000009.000100:again", "Does it ship?", True) == (
        message.message_key,
        message.turn.question,
        message.turn.addressed,
    )


def test_a_value_that_slack_would_refuse_is_not_made() -> None:
    with pytest.raises(ValueError, match="1996 characters"):
        with_token("tok", "x" * 1997)


async def test_an_offered_question_is_asked() -> None:
    intake, _ = await pressed(action("follow_up:0", "Can I park here?"))

    assert ["Can I park here?"] == [message.turn.question for message in intake.offered]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_offered_question_ends_as_one(language: str) -> None:
    assert spoken(SAYS, language, title="Handbook", heading="Parking").endswith("?")


def test_a_press_happens_in_the_thread_of_its_card() -> None:
    press = read_press(action("retry", "REF1"), US)
    place = press.place

    assert ("T1:C1:1700000000.000100", "1700000010.000100", "UADA", "T1") == (
        place.thread_id,
        place.message_ts,
        place.person,
        place.person_team,
    )
    assert ORIGIN == origin_of_press(press, "tok")


def test_a_card_that_starts_a_thread_is_its_root() -> None:
    press = read_press(action("retry", "REF1", message=None, user={"id": "UADA"}), US)

    assert "T1:C1:1700000009.000100" == press.place.thread_id


def sent(typed: str | None, metadata: str, **fields: Any) -> Submitted | None:
    return read_submission(submission(typed, metadata, **fields), US)


def test_a_filled_in_modal_is_a_choice_in_the_thread_of_its_card() -> None:
    modal = sent(" the \0blue one ", ORIGIN.model_copy(update={"revision": 2}).as_text())
    choice = Choice(kind="text", value="the blue one", label="the blue one")
    expected = Click(
        event_key="view:V1",
        token="tok",
        choice=choice,
        thread_id="T1:C1:1700000000.000100",
        person=PersonId("UADA"),
        clicked_at=Ts("1700000020.000100"),
        revision=2,
        card=CARD,
    )

    assert modal is not None
    assert "the blue one" == words_of(modal.values, modal.id)
    assert expected == click_of_modal(modal, choice, at=Ts("1700000020.000100"))


@pytest.mark.parametrize(
    ("typed", "fields"), [(None, {}), ("  ", {}), ("text", {"state": {"values": {}}}), ("text", {"callback_id": "x"})]
)
def test_an_empty_modal_says_nothing(typed: str | None, fields: dict[str, Any]) -> None:
    modal = sent(typed, ORIGIN.as_text(), **fields)

    assert modal is not None
    assert "" == words_of(modal.values, modal.id)


@pytest.mark.parametrize(("values", "how"), [({"typed_answer": {}}, "errors"), ({}, "update")])
def test_a_modal_of_an_earlier_version_says_so_with_and_without_fields(values: dict[str, Any], how: str) -> None:
    body = submission(None, '["tok", "C1"]', state={"values": values})

    assert how == out_of_date(body)["response_action"]
    assert "out of date" in str(out_of_date(body))


@pytest.mark.parametrize("metadata", ["forged", '["too", "short"]', "", "{}", "7", "null"])
def test_a_forged_modal_is_nothing(metadata: str) -> None:
    assert sent("text", metadata) is None
