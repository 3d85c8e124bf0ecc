"""Slack's payloads reach the intake over real sockets, and are acknowledged after they are stored."""

from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import PersonId
from bot.conversation.inputs import ClickedQuestion, ClickRefused
from bot.conversation.message_kinds import CardOutcome
from bot.errors import DatabaseError, SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.api.tokens import identify
from bot.slack.blocks.answers import failure_blocks
from bot.slack.blocks.cards import SHARED, open_card, outcome_card
from bot.slack.blocks.pages import answer_pages
from bot.slack.blocks.view import View
from bot.slack.payloads.buttons import ModalOrigin
from graph.events import AnswerCompleted, Option
from graph.turn import Choice
from playground import Delivery, Playground
from playground.person import Person
from tests.slack.conftest import ACK_SECONDS
from tests.slack.recording import RecordingIntake

OPTIONS = (Option(id="a", label="Lumen Desk"), Option(id="b", label="Pine Router"))


async def acknowledged(playground: Playground, delivery: Delivery) -> None:
    await playground.until(lambda: delivery.state == "acknowledged")


async def post_blocks(client: AsyncWebClient, blocks: list[dict[str, Any]]) -> str:
    root = await client.chat_postMessage(channel="C0SUPPORT", text="a thread")
    posted = await client.chat_postMessage(channel="C0SUPPORT", thread_ts=root["ts"], text="card", blocks=blocks)
    return str(posted["ts"])


async def open_modal(playground: Playground, client: AsyncWebClient) -> tuple[Person, dict[str, Any]]:
    card = await post_blocks(client, open_card("tok", "Which?", OPTIONS))
    ada = playground.person("U0ADA")
    await ada.click("C0SUPPORT", card, label="Something else…")
    view = await playground.until(lambda: ada.open_view)
    assert view is not None
    return ada, view


async def test_the_bot_knows_itself(client: AsyncWebClient, playground: Playground) -> None:
    me = await identify(client)

    assert ("T0LUMENPINE", "U0ASKBACK", "B0ASKBACK") == (me.team, me.bot_user, me.bot)


async def test_bolt_looks_through_no_sources_for_a_name(app: AsyncApp) -> None:
    assert "askback" == app.name


async def test_a_wrong_token_is_an_error_of_ours(playground: Playground) -> None:
    with pytest.raises(SlackError, match="refuses the bot token"):
        await identify(AsyncWebClient("xoxb-wrong", base_url=playground.api_url))


async def test_a_mention_comes_as_two_events_that_name_one_message(
    listening: Playground, intake: RecordingIntake
) -> None:
    ts = await listening.person("U0ADA").post("C0SUPPORT", "How long?", mention_bot=True)
    await listening.until(lambda: all(delivery.settled for delivery in listening.deliveries()))

    assert ["How long?", "How long?"] == [message.turn.question for message in intake.messages]
    assert {f"C0SUPPORT:{ts}"} == {message.message_key for message in intake.messages}
    assert 2 == len({message.event_key for message in intake.messages})
    assert all(message.turn.addressed for message in intake.messages)


async def test_a_direct_message_is_addressed(listening: Playground, intake: RecordingIntake) -> None:
    await listening.person("U0ADA").post("D0ADA", "How long?")
    await listening.until(lambda: intake.messages)

    assert intake.messages[0].turn.addressed


async def test_an_event_that_was_not_stored_comes_again(listening: Playground, intake: RecordingIntake) -> None:
    intake.failures.append(DatabaseError("down"))
    await listening.person("U0ADA").post("C0SUPPORT", "How long?")
    await listening.until(lambda: not intake.failures)
    listening.clock.advance(ACK_SECONDS)
    await listening.until(lambda: listening.deliveries("message")[0].state == "acknowledged")

    assert 2 == len(listening.deliveries("message")[0].attempts)
    assert 1 == len(intake.messages)


async def test_edits_and_deletions_are_taken_in_and_reactions_just_acknowledged(
    listening: Playground, intake: RecordingIntake
) -> None:
    ada = listening.person("U0ADA")
    ts = await ada.post("C0SUPPORT", "one")
    await ada.edit("C0SUPPORT", ts, "two")
    await ada.react("C0SUPPORT", ts, "eyes")
    await ada.delete("C0SUPPORT", ts)
    await listening.until(lambda: all(delivery.settled for delivery in listening.deliveries()))

    assert {"acknowledged"} == {delivery.state for delivery in listening.deliveries()}
    assert ["one"] == [message.turn.question for message in intake.messages]
    told = [(change.kind, change.message.turn.question) for change in intake.changes]
    assert [("edit", "two"), ("removal", "two")] == sorted(told)
    assert {intake.messages[0].message_key} == {change.message.message_key for change in intake.changes}


async def test_what_the_bot_says_is_not_a_question(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    await client.chat_postMessage(channel="C0SUPPORT", text="an answer")
    await listening.until(lambda: all(delivery.settled for delivery in listening.deliveries()))

    assert [] == intake.messages


async def test_a_click_is_stored_and_then_acknowledged(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    card = await post_blocks(client, open_card("tok", "Which?", OPTIONS))
    await acknowledged(listening, await listening.person("U0BEN").click("C0SUPPORT", card, label="Pine Router"))

    click = intake.clicks[0]
    assert ("tok", Choice(kind="option", value="b"), "U0BEN") == (click.token, click.choice, click.person)


async def test_a_click_that_was_not_stored_is_not_acknowledged_and_the_person_is_told(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    intake.failures.append(DatabaseError("down"))
    card = await post_blocks(client, open_card("tok", "Which?", OPTIONS))
    ben = listening.person("U0BEN")
    delivery = await ben.click("C0SUPPORT", card, label="Just answer")
    await listening.until(lambda: ben.ephemerals("C0SUPPORT"))
    listening.clock.advance(ACK_SECONDS)
    await listening.until(lambda: delivery.settled)

    assert "Please try again" in ben.ephemerals("C0SUPPORT")[0]["text"]
    assert "given_up" == delivery.state


async def test_a_click_in_vain_is_explained_to_the_clicker_only(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    refused = ClickRefused(reason="answered", answered_by=PersonId("U0BEN"), label="Pine Router")
    intake.outcomes.append(refused)
    card = await post_blocks(client, open_card("tok", "Which?", OPTIONS))
    ada = listening.person("U0ADA")
    await acknowledged(listening, await ada.click("C0SUPPORT", card, label="Lumen Desk"))
    await listening.until(lambda: ada.ephemerals("C0SUPPORT"))

    assert "<@U0BEN> already answered this with *Pine Router*." in ada.ephemerals("C0SUPPORT")[0]["text"]
    assert [] == listening.person("U0BEN").ephemerals("C0SUPPORT")


async def test_something_else_opens_a_modal_whose_text_is_the_answer(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    card = await post_blocks(client, open_card("tok", "Which?", OPTIONS))
    ada = listening.person("U0ADA")
    await ada.click("C0SUPPORT", card, label="Something else…")
    view = await listening.until(lambda: ada.open_view)
    assert view is not None
    assert "Which?" == view["blocks"][0]["text"]["text"]
    await ada.submit(view, {"typed_answer": "the blue one"})

    assert ada.open_view is None
    assert Choice(kind="text", value="the blue one", label="the blue one") == intake.clicks[0].choice


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        (ClickRefused(reason="expired"), "Nobody answered in time"),
        (ClickRefused(reason="answered", answered_by=PersonId("U0BEN"), label="*x*"), "Somebody has answered"),
    ],
)
async def test_a_text_that_changed_nothing_stays_in_the_modal_which_says_why(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient, refused: ClickRefused, why: str
) -> None:
    intake.outcomes.append(refused)
    ada, view = await open_modal(listening, client)
    answer = await ada.submit(view, {"typed_answer": "the blue one"})

    assert why in answer["errors"]["typed_answer"]
    assert not {"<", "*"} & set(answer["errors"]["typed_answer"])
    assert ada.open_view is not None
    assert [] == ada.ephemerals()


async def test_a_text_stays_in_the_modal_if_others_can_read_the_channel_by_then(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient, messenger: Messenger
) -> None:
    ada, view = await open_modal(listening, client)
    messenger.shared.told("C0SUPPORT", is_shared=True)
    answer = await ada.submit(view, {"typed_answer": "the blue one"})

    assert {"typed_answer": SHARED} == answer["errors"]
    assert ada.open_view is not None
    assert [] == ada.ephemerals()
    assert [] == intake.clicks


async def test_a_text_of_spaces_stays_in_the_modal_which_asks_for_words(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    ada, view = await open_modal(listening, client)
    answer = await ada.submit(view, {"typed_answer": " \n "})

    assert {"typed_answer": "Write what you meant, or press Cancel."} == answer["errors"]
    assert ada.open_view is not None
    assert [] == intake.clicks


@pytest.mark.parametrize("name", ["typed_answer", "review_edited"])
async def test_a_text_in_a_modal_of_an_earlier_version_stays_in_it(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient, name: str
) -> None:
    ada, view = await open_modal(listening, client)
    view |= {"callback_id": name, "private_metadata": '["tok", "C0SUPPORT", "1700000000.000100", null]'}
    answer = await ada.submit(view, {"typed_answer": "the blue one"})

    assert {"typed_answer": "This form is out of date: copy your text, and open it again."} == answer["errors"]
    assert ada.open_view is not None
    assert [] == intake.clicks


async def test_a_text_that_is_sent_twice_just_closes_the_modal(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    intake.outcomes.append(ClickRefused(reason="repeated"))
    ada, view = await open_modal(listening, client)

    assert {} == await ada.submit(view, {"typed_answer": "the blue one"})
    assert ada.open_view is None


async def test_a_repeated_click_is_answered_by_silence(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    intake.outcomes += [ClickRefused(reason="repeated"), ClickRefused(reason="unknown")]
    card = await post_blocks(client, open_card("tok", "Which?", OPTIONS))
    ada = listening.person("U0ADA")
    await acknowledged(listening, await ada.click("C0SUPPORT", card, label="Lumen Desk"))
    await acknowledged(listening, await ada.click("C0SUPPORT", card, label="Lumen Desk"))
    await listening.until(lambda: ada.ephemerals("C0SUPPORT"))

    assert ["I do not know this question any more. Please ask again."] == [
        one["text"] for one in ada.ephemerals("C0SUPPORT")
    ]


async def test_a_verdict_is_thanked_for_once_in_private(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    answered = View(ending=AnswerCompleted(outcome="answered", text="Twelve."))
    answer = await post_blocks(client, list(answer_pages(answered)[0].blocks))
    ada = listening.person("U0ADA")
    for verdict in ("good", "good", "bad"):
        await acknowledged(listening, await ada.click("C0SUPPORT", answer, value=verdict))
    await listening.until(lambda: len(ada.ephemerals("C0SUPPORT")) == 2)

    helped, failed = sorted((one["text"] for one in ada.ephemerals("C0SUPPORT")), key=len)
    assert "this helped" in helped
    assert "did not help" in failed
    assert [] == listening.person("U0BEN").ephemerals()


async def test_a_superseded_question_is_asked_again_by_whoever_clicks(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    intake.outcomes.append(ClickRefused(reason="superseded", question="Does it ship?"))
    blocks = outcome_card("tok", "Which?", OPTIONS, CardOutcome(how="superseded", label=""))
    card = await post_blocks(client, blocks)
    await acknowledged(listening, await listening.person("U0BEN").click("C0SUPPORT", card, label="Ask this again"))
    await listening.until(lambda: listening.calls("chat.update"))

    again = intake.offered[-1]
    assert ("Does it ship?", "U0BEN", True) == (again.turn.question, again.turn.asker, again.turn.addressed)
    assert "tok" == again.turn.asks_again
    assert listening.calls("chat.update")[0].ok
    assert "actions" not in [block["type"] for block in listening.calls("chat.update")[0].arguments["blocks"]]


async def test_a_card_names_who_asked_again_first(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    intake.outcomes.append(ClickRefused(reason="superseded", question="Does it ship?"))
    intake.asked = ClickedQuestion(asker=PersonId("U0ADA"), is_new=False, is_refused=False)
    blocks = outcome_card("tok", "Which?", OPTIONS, CardOutcome(how="superseded", label=""))
    card = await post_blocks(client, blocks)
    await acknowledged(listening, await listening.person("U0BEN").click("C0SUPPORT", card, label="Ask this again"))
    (update,) = await listening.until(lambda: listening.calls("chat.update"))

    assert "<@U0ADA> asked this again." in str(update.arguments["blocks"])


async def test_a_card_keeps_its_button_while_too_many_questions_wait(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    intake.outcomes += [ClickRefused(reason="superseded", question="Does it ship?"), ClickRefused(reason="unknown")]
    intake.asked = ClickedQuestion(asker=PersonId("U0BEN"), is_new=True, is_refused=True)
    blocks = outcome_card("tok", "Which?", OPTIONS, CardOutcome(how="superseded", label=""))
    card, ben = await post_blocks(client, blocks), listening.person("U0BEN")
    for _ in range(2):
        await acknowledged(listening, await ben.click("C0SUPPORT", card, label="Ask this again"))
    await listening.until(lambda: ben.ephemerals("C0SUPPORT"))

    assert [] == listening.calls("chat.update")


@pytest.mark.parametrize("reason", ["unknown", "answered"])
async def test_asking_again_in_vain_is_explained(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient, reason: Any
) -> None:
    intake.outcomes.append(ClickRefused(reason=reason))
    blocks = outcome_card("tok", "Which?", OPTIONS, CardOutcome(how="superseded", label=""))
    ada = listening.person("U0ADA")
    await ada.click("C0SUPPORT", await post_blocks(client, blocks), label="Ask this again")
    await listening.until(lambda: ada.ephemerals("C0SUPPORT"))

    assert [] == intake.offered


async def test_asking_an_open_question_again_chooses_nothing(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    blocks = outcome_card("tok", "Which?", OPTIONS, CardOutcome(how="superseded", label=""))
    card = await post_blocks(client, blocks)
    await acknowledged(listening, await listening.person("U0ADA").click("C0SUPPORT", card, label="Ask this again"))

    assert intake.clicks[0].asks_again


async def test_ratings_and_retries_reach_the_intake(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    answered = View(ending=AnswerCompleted(outcome="answered", text="Twelve."))
    answer = await post_blocks(client, list(answer_pages(answered)[0].blocks))
    failure = await post_blocks(client, failure_blocks("It broke.", "R-42"))
    ada = listening.person("U0ADA")
    await acknowledged(listening, await ada.click("C0SUPPORT", answer, value="bad"))
    await acknowledged(listening, await ada.click("C0SUPPORT", failure, label="Retry"))

    assert [("bad", answer)] == [(rating.verdict, rating.message_ts) for rating in intake.ratings]
    assert ["R-42"] == intake.retried


async def test_a_button_of_nobody_is_acknowledged(
    listening: Playground, intake: RecordingIntake, client: AsyncWebClient
) -> None:
    unknown = {"type": "button", "action_id": "old", "value": "x", "text": {"type": "plain_text", "text": "Old"}}
    card = await post_blocks(client, [{"type": "actions", "elements": [unknown]}])
    await acknowledged(listening, await listening.person("U0ADA").click("C0SUPPORT", card, label="Old"))

    assert [] == intake.clicks


async def test_cut_sockets_are_opened_again(listening: Playground, intake: RecordingIntake) -> None:
    listening.cut_sockets()
    await listening.person("U0ADA").post("D0ADA", "How long?")
    await listening.until(lambda: intake.messages)

    assert "How long?" == intake.messages[0].turn.question


def test_a_modal_origin_survives_text() -> None:
    origin = ModalOrigin(token='a"b', channel="C1", thread_ts="1.2")

    assert origin == ModalOrigin.of_text(origin.as_text())
