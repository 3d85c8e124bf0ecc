"""The page, in a real browser, in front of a real Bolt app."""

import asyncio
from typing import Any

from playwright.async_api import Page, expect
from slack_sdk.models.messages.chunk import TaskUpdateChunk
from slack_sdk.web.async_client import AsyncWebClient

from playground import Playground
from tests.playground.bots import bolt, running

Payload = dict[str, Any]
BUTTONS = [
    {"type": "button", "action_id": "oslo", "text": {"type": "plain_text", "text": "Oslo"}, "value": "1"},
    {"type": "button", "action_id": "other", "text": {"type": "plain_text", "text": "Something else…"}, "value": "2"},
]
MODAL: Payload = {
    "type": "modal",
    "callback_id": "other",
    "title": {"type": "plain_text", "text": "Something else"},
    "submit": {"type": "plain_text", "text": "Answer"},
    "blocks": [
        {
            "type": "input",
            "block_id": "words",
            "label": {"type": "plain_text", "text": "What did you mean?"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}


async def test_ask_be_asked_back_click_and_read_the_streamed_answer(playground: Playground, page: Page) -> None:
    app, finish = bolt(playground), asyncio.Event()

    @app.event("app_mention")
    async def ask_back(event: Payload, client: AsyncWebClient) -> None:
        place = {"channel": event["channel"], "thread_ts": event["ts"]}
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Which* office?"}}]
        actions = {"type": "actions", "elements": BUTTONS}
        await client.chat_postMessage(**place, text="Which office?", blocks=[*blocks, actions])

    @app.event("message")
    async def hear() -> None: ...

    @app.action("oslo")
    async def answer(ack: Any, body: Payload, client: AsyncWebClient) -> None:
        await ack()
        thread = body["message"]["thread_ts"]
        recipient = {"recipient_user_id": body["user"]["id"], "recipient_team_id": playground.team_id}
        stream = await client.chat_stream(channel="C0GENERAL", thread_ts=thread, buffer_size=1, **recipient)
        await stream.append(chunks=[TaskUpdateChunk(id="1", title="Reading 6 passages", status="in_progress")])
        await stream.append(markdown_text="In Oslo it is **30 days** ")
        await finish.wait()
        await stream.append(chunks=[TaskUpdateChunk(id="1", title="Read 6 passages", status="complete")])
        await stream.stop(markdown_text="a year [1].")
        await client.chat_postEphemeral(channel="C0GENERAL", user="U0ADA", thread_ts=thread, text="Only for Ada")

    thread = page.locator("#thread")
    async with running(app, playground):
        await page.get_by_role("button", name="how many vacation days").click()
        await page.keyboard.press("Enter")
        await thread.get_by_role("button", name="Oslo").click()
        await expect(thread.get_by_text("Reading 6 passages")).to_be_visible()
        await expect(thread.locator(".caret")).to_be_visible()
        finish.set()
        await expect(thread.get_by_text("In Oslo it is 30 days a year [1].")).to_be_visible()
        await expect(thread.get_by_text("Read 6 passages")).to_be_visible()
        await expect(thread.locator(".caret")).to_have_count(0)
        await expect(thread.get_by_text("Only for Ada")).to_be_visible()
        await page.get_by_role("button", name="Ben").click()
        await expect(thread.get_by_text("Only for Ada")).to_have_count(0)
        await page.reload()
        await expect(thread.get_by_text("In Oslo it is 30 days a year [1].")).to_be_visible()

    assert "<@U0ASKBACK> How many vacation days do I have?" == playground.messages("C0GENERAL")[0]["text"]


async def test_a_modal_opens_complains_and_closes(playground: Playground, page: Page) -> None:
    app, answers = bolt(playground), list[str]()

    @app.action("other")
    async def open_modal(ack: Any, body: Payload, client: AsyncWebClient) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)
        await ack()

    @app.view("other")
    async def submitted(ack: Any, view: Payload) -> None:
        answers.append(view["state"]["values"]["words"]["text"]["value"])
        complaint = {"words": "Say a little more."}
        await (ack() if len(answers) > 1 else ack(response_action="errors", errors=complaint))

    @app.event("message")
    async def hear() -> None: ...

    dialog = page.get_by_role("dialog")
    client = AsyncWebClient(playground.bot_token, base_url=playground.api_url)
    await client.chat_postMessage(channel="C0GENERAL", text="?", blocks=[{"type": "actions", "elements": BUTTONS}])
    async with running(app, playground):
        await page.get_by_role("button", name="Something else…").click()
        await dialog.get_by_label("What did you mean?").fill("Turin")
        await dialog.get_by_role("button", name="Answer").click()
        await expect(dialog.get_by_text("Say a little more.")).to_be_visible()
        await dialog.get_by_label("What did you mean?").fill("Turin, the old office")
        await page.keyboard.press("Enter")
        await expect(dialog).to_have_count(0)

    assert ["Turin", "Turin, the old office"] == answers


async def test_a_person_edits_reacts_and_deletes(playground: Playground, page: Page) -> None:
    composer = page.get_by_role("textbox", name="Message #general")
    await composer.fill("How long is the waranty? <b> & @ask")
    await composer.fill("How long is the waranty? <b>")
    await page.keyboard.press("Enter")
    message = page.locator("article")
    await message.hover()
    await message.get_by_role("button", name="React with eyes").click()
    await expect(message.locator(".reaction")).to_have_text("1")
    await message.get_by_role("button", name="Edit message").click()
    await message.get_by_role("textbox").fill("How long is the warranty?")
    await message.get_by_role("button", name="Save").click()
    await expect(message.get_by_text("(edited)")).to_be_visible()
    assert "How long is the warranty?" == playground.messages("C0GENERAL")[0]["text"]

    await message.hover()
    await message.get_by_role("button", name="Delete message").click()
    await expect(message).to_have_count(0)
    assert "How long is the waranty? &lt;b&gt;" == playground.deliveries()[0].payload["event"]["text"]


async def test_the_wire_shows_deliveries_and_calls(playground: Playground, page: Page) -> None:
    await page.get_by_role("button", name="Wire").click()
    wire = page.locator("#wire")
    client = AsyncWebClient(playground.bot_token, base_url=playground.api_url)
    await client.chat_postMessage(channel="C0GENERAL", text="hello there")
    await playground.person("U0ADA").post("C0GENERAL", "a question")

    await expect(wire.get_by_text("chat.postMessage")).to_be_visible()
    await expect(wire.get_by_text("a question")).to_be_visible()


async def test_a_mention_is_completed_by_keyboard(playground: Playground, page: Page) -> None:
    await page.get_by_role("textbox", name="Message #general").press_sequentially("@as")
    await page.keyboard.press("Tab")
    await page.keyboard.type("hello")
    await page.keyboard.press("Enter")
    await expect(page.locator("#thread article")).to_have_count(1)

    assert "<@U0ASKBACK> hello" == playground.messages("C0GENERAL")[0]["text"]
