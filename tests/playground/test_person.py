"""People's actions: clicks, modals, edits, reactions; and the bot's rights after them."""

from typing import Any

import pytest
import pytest_asyncio
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from playground import Playground, RemotePlayground, SlackError
from playground.protocol.interactions import NotThereError
from tests.playground.bots import WebApi, bolt, running
from tests.playground.conftest import ACK_SECONDS

Payload = dict[str, Any]
CARD = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "Which office?"}},
    {
        "type": "actions",
        "block_id": "offices",
        "elements": [
            {
                "type": "button",
                "action_id": "choose:1",
                "text": {"type": "plain_text", "text": "Oslo"},
                "value": "token-1",
            },
            {
                "type": "button",
                "action_id": "choose:2",
                "text": {"type": "plain_text", "text": "Turin"},
                "value": "token-2",
            },
        ],
    },
]
MODAL: Payload = {
    "type": "modal",
    "callback_id": "other",
    "title": {"type": "plain_text", "text": "Something else"},
    "submit": {"type": "plain_text", "text": "Answer"},
    "notify_on_close": True,
    "blocks": [
        {
            "type": "input",
            "block_id": "words",
            "label": {"type": "plain_text", "text": "What did you mean?"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}


@pytest_asyncio.fixture(loop_scope="session")
async def card(client: WebApi) -> str:
    """A message with two buttons."""
    return (await client.chat_postMessage(channel="C0GENERAL", text="Which office?", blocks=CARD))["ts"]


async def test_a_click_says_who_pressed_what_and_where(playground: Playground, card: str) -> None:
    app, clicks = bolt(playground), list[Payload]()

    @app.action("choose:2")
    async def choose(ack: Any, body: Payload) -> None:
        clicks.append(body)
        await ack()

    @app.event("message")
    async def hear() -> None: ...

    async with running(app, playground):
        delivery = await playground.person("U0BEN").click("C0GENERAL", card, label="Turin")
        await playground.until(lambda: delivery.state == "acknowledged")

    body = clicks[0]
    action = body["actions"][0]
    assert ("U0BEN", "token-2", "offices", "button") == (
        body["user"]["id"],
        action["value"],
        action["block_id"],
        action["type"],
    )
    assert (card, "C0GENERAL", False) == (
        body["container"]["message_ts"],
        body["channel"]["id"],
        body["container"]["is_ephemeral"],
    )
    assert body["message"]["blocks"][1]["elements"][0]["action_id"] == "choose:1"
    assert action["action_ts"] > card


async def test_nothing_can_be_pressed_that_is_not_there(playground: Playground, card: str) -> None:
    with pytest.raises(NotThereError, match="Oslo"):
        await playground.person("U0BEN").click("C0GENERAL", card, label="Lisbon")


async def test_a_modal_opens_is_refused_and_is_accepted(playground: Playground, card: str) -> None:
    app, submissions = bolt(playground), list[Payload]()

    @app.action("choose:1")
    async def choose(ack: Any, body: Payload, client: WebApi) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)
        await ack()

    @app.view("other")
    async def submitted(ack: Any, view: Payload) -> None:
        submissions.append(view["state"]["values"])
        if not view["state"]["values"]["words"]["text"]["value"]:
            await ack(response_action="errors", errors={"words": "Say something."})
        else:
            await ack()

    @app.event("message")
    async def hear() -> None: ...

    ben = playground.person("U0BEN")
    async with running(app, playground):
        await ben.click("C0GENERAL", card, action_id="choose:1")
        view = await playground.until(lambda: ben.open_view)
        refused = await ben.submit(view, {})
        assert ben.open_view is not None
        await ben.submit(view, {"text": "the old office"})

    assert {"words": "Say something."} == refused["errors"]
    assert "the old office" == submissions[1]["words"]["text"]["value"]
    assert ben.open_view is None


async def test_a_trigger_works_once_and_as_long_as_an_acknowledgement_is_waited_for(
    playground: Playground, card: str, client: WebApi
) -> None:
    first = await playground.person("U0BEN").click("C0GENERAL", card, label="Oslo")
    second = await playground.person("U0BEN").click("C0GENERAL", card, label="Oslo")
    await client.views_open(trigger_id=first.payload["trigger_id"], view=MODAL)
    playground.clock.advance(ACK_SECONDS + 1)

    for delivery, name in ((first, "exchanged_trigger_id"), (second, "expired_trigger_id")):
        with pytest.raises(SlackApiError, match=name):
            await client.views_open(trigger_id=delivery.payload["trigger_id"], view=MODAL)


async def test_a_closed_modal_is_told_if_it_asked_for_it(playground: Playground, card: str, client: WebApi) -> None:
    ben = playground.person("U0BEN")
    click = await ben.click("C0GENERAL", card, label="Oslo")
    view = (await client.views_open(trigger_id=click.payload["trigger_id"], view=MODAL))["view"]

    await ben.close_view(view["id"])

    assert "view_closed" == playground.deliveries()[-1].about


async def test_a_response_url_answers_privately_five_times(playground: Playground, card: str) -> None:
    ben = playground.person("U0BEN")
    click = await ben.click("C0GENERAL", card, label="Oslo")
    webhook = AsyncWebhookClient(click.payload["response_url"])

    answers = [await webhook.send(text=f"no {number}") for number in range(6)]

    assert [200] * 5 + [404] == [answer.status_code for answer in answers]
    assert 5 == len(ben.ephemerals())
    assert [] == playground.person("U0ADA").ephemerals()


async def test_a_response_url_replaces_and_deletes_what_was_clicked(playground: Playground, card: str) -> None:
    click = await playground.person("U0BEN").click("C0GENERAL", card, label="Oslo")
    webhook = AsyncWebhookClient(click.payload["response_url"])

    await webhook.send(text="Oslo it is", replace_original=True)
    assert "Oslo it is" == playground.thread("C0GENERAL", card)[0]["text"]
    await webhook.send(text="", delete_original=True)

    assert [] == playground.thread("C0GENERAL", card)


async def test_edits_deletes_and_reactions_are_told(playground: Playground) -> None:
    ada = playground.person("U0ADA")
    ts = await ada.post("C0GENERAL", "How long?")
    await ada.edit("C0GENERAL", ts, "How long is it?")
    await ada.react("C0GENERAL", ts, "eyes")
    with pytest.raises(SlackError, match="already_reacted"):
        await ada.react("C0GENERAL", ts, "eyes")
    await ada.unreact("C0GENERAL", ts, "eyes")
    with pytest.raises(SlackError, match="no_reaction"):
        await ada.unreact("C0GENERAL", ts, "eyes")
    await ada.delete("C0GENERAL", ts)

    told = [delivery.payload["event"] for delivery in playground.deliveries()]
    assert [None, "message_changed", None, None, "message_deleted"] == [event.get("subtype") for event in told]
    assert ("How long is it?", "How long?") == (told[1]["message"]["text"], told[1]["previous_message"]["text"])
    assert ("reaction_added", "eyes", ts) == (told[2]["type"], told[2]["reaction"], told[2]["item"]["ts"])
    assert ("reaction_removed", "eyes", ts) == (told[3]["type"], told[3]["reaction"], told[3]["item"]["ts"])
    assert ts == told[4]["deleted_ts"]


@pytest.mark.parametrize("act", ["react", "unreact"])
async def test_nobody_reacts_to_what_is_gone(playground: Playground, act: str) -> None:
    async with RemotePlayground.open(playground.url, playground.control_token) as remote:
        with pytest.raises(SlackError, match="message_not_found"):
            await remote.person("U0ADA").act(act, channel="C0GENERAL", ts="1.000000", name="eyes")


async def test_nobody_is_invited_who_does_not_exist(playground: Playground) -> None:
    with pytest.raises(SlackError, match="user_not_found"):
        await playground.person("U0ADA").invite("C0GENERAL", "U0NOBODY")


async def test_inviting_the_bot_is_told_to_it(playground: Playground) -> None:
    await playground.person("U0DEV").invite("C0RANDOM", playground.bot_user_id)

    event = playground.deliveries()[0].payload["event"]
    assert ("member_joined_channel", playground.bot_user_id, "U0DEV") == (
        event["type"],
        event["user"],
        event["inviter"],
    )


async def test_nobody_can_press_stop_without_the_bot_hearing(playground: Playground, client: WebApi) -> None:
    ada = playground.person("U0ADA")
    root = await ada.post("D0ADA", "Tell me everything")
    stream = await client.chat_startStream(channel="D0ADA", thread_ts=root, markdown_text="Well, ")

    await ada.stop("D0ADA", root)

    assert [stream["ts"]] == playground.deliveries()[-1].payload["event"]["streaming_message_ts"]
    with pytest.raises(SlackApiError, match="stopped_by_user"):
        await client.chat_appendStream(channel="D0ADA", ts=stream["ts"], markdown_text="…")


async def test_nobody_clicks_what_only_another_person_sees(playground: Playground, client: WebApi) -> None:
    shown = await client.chat_postEphemeral(channel="C0GENERAL", user="U0BEN", text="psst", blocks=CARD)

    click = await playground.person("U0BEN").click("C0GENERAL", shown["message_ts"], label="Oslo")

    assert click.payload["container"]["is_ephemeral"]
    assert "message" not in click.payload
    with pytest.raises(SlackError, match="message_not_found"):
        await playground.person("U0ADA").click("C0GENERAL", shown["message_ts"], label="Oslo")


@pytest.mark.parametrize("kind", ["static_select", "radio_buttons", "overflow"])
async def test_an_option_is_chosen_by_label_or_value(playground: Playground, client: WebApi, kind: str) -> None:
    options = [{"text": {"type": "plain_text", "text": name}, "value": name.lower()} for name in ("Oslo", "Turin")]
    blocks = [{"type": "actions", "elements": [{"type": kind, "action_id": "office", "options": options}]}]
    ts = (await client.chat_postMessage(channel="C0GENERAL", text="Where?", blocks=blocks))["ts"]

    by_label = await playground.person("U0ADA").click("C0GENERAL", ts, label="Turin")
    by_value = await playground.person("U0ADA").click("C0GENERAL", ts, action_id="office", value="turin")

    for click in (by_label, by_value):
        assert (kind, "turin") == (
            click.payload["actions"][0]["type"],
            click.payload["actions"][0]["selected_option"]["value"],
        )


async def test_a_rating_is_a_click_on_one_of_two_buttons(playground: Playground, client: WebApi) -> None:
    buttons = {
        "type": "feedback_buttons",
        "action_id": "rate",
        "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "good"},
        "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "bad"},
    }
    blocks = [{"type": "context_actions", "elements": [buttons]}]
    ts = (await client.chat_postMessage(channel="C0GENERAL", text="Answer", blocks=blocks))["ts"]

    click = await playground.person("U0ADA").click("C0GENERAL", ts, value="bad")

    assert ("rate", "bad") == (click.payload["actions"][0]["action_id"], click.payload["actions"][0]["value"])
