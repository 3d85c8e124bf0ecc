"""The page in a real browser. `test_story.py` has the whole story with a bot."""

from dataclasses import replace

import pytest
from playwright.async_api import Locator, Page, expect

from playground import Playground
from tests.playground.bots import web_api
from tests.playground.browsing import Browsing, more_actions

LATE_CHANGES = """
    const { set } = Object.getOwnPropertyDescriptor(EventSource.prototype, "onmessage");
    Object.defineProperty(EventSource.prototype, "onmessage", {
        set(heard) { set.call(this, (event) => setTimeout(() => heard(event), LATE_MS)); },
    });
"""


async def test_what_is_for_one_person_is_shown_to_that_one(playground: Playground, page: Page) -> None:
    client = web_api(playground)
    await client.chat_postEphemeral(channel="C0GENERAL", user="U0ADA", text="Only for Ada")
    await expect(page.get_by_text("Only for Ada")).to_be_visible()
    await page.get_by_role("button", name="Ben").click()
    await expect(page.get_by_text("Only for Ada")).to_have_count(0)
    await page.get_by_role("button", name="Ada").click()
    await page.reload()
    await expect(page.get_by_text("Only for Ada")).to_be_visible()


async def test_files_and_group_messages_are_shown(playground: Playground, page: Page) -> None:
    client = web_api(playground)
    group = (await client.conversations_open(users="U0ADA,U0BEN"))["channel"]["id"]
    await playground.person("U0BEN").share(group, "plan.md", "# Plan", text="our plan")
    await page.get_by_role("button", name="Askback, Ben").click()

    await expect(page.get_by_text("our plan")).to_be_visible()
    await expect(page.get_by_text("plan.md")).to_be_visible()


async def test_a_person_edits_reacts_and_deletes(playground: Playground, page: Page) -> None:
    composer = page.get_by_role("textbox", name="Message #general")
    await composer.fill("How long is the waranty? <b> & @ask")
    await composer.fill("How long is the waranty? <b>")
    await page.keyboard.press("Enter")
    message = page.locator("article")
    await message.hover()
    await message.get_by_role("button", name="React with eyes").click()
    await expect(message.locator(".reaction")).to_have_text("1")
    await more_actions(message, "Edit message")
    await message.get_by_role("textbox").fill("How long is the warranty?")
    await message.get_by_role("button", name="Save").click()
    await expect(message.get_by_text("(edited)")).to_be_visible()
    assert "How long is the warranty?" == playground.messages("C0GENERAL")[0]["text"]

    await more_actions(message, "Delete message")
    await expect(message).to_have_count(0)
    assert "How long is the waranty? &lt;b&gt;" == playground.deliveries()[0].payload["event"]["text"]


async def test_who_edits_a_message_sees_names_and_stores_mentions(playground: Playground, page: Page) -> None:
    ts = await playground.person("U0ADA").post("C0GENERAL", "<@U0ASKBACK> and <@U0BEN>: is 1 &lt; 2 &amp; 3?")
    message = page.locator("article").first
    box = await editing(message)

    await expect(box).to_have_value("@Askback and @Ben Lindqvist: is 1 < 2 & 3?")
    await box.press("End")
    await box.press("Shift+Enter")
    await page.keyboard.type("And what does @be")
    await page.keyboard.press("Tab")
    await page.keyboard.type("say?")
    await page.keyboard.press("Enter")
    await expect(message.get_by_text("(edited)")).to_be_visible()

    expected = "<@U0ASKBACK> and <@U0BEN>: is 1 &lt; 2 &amp; 3?\nAnd what does <@U0BEN> say?"
    assert (expected, ts) == tuple(playground.messages("C0GENERAL")[0][key] for key in ("text", "ts"))


async def test_an_edit_that_is_cancelled_or_changes_nothing_is_none(playground: Playground, page: Page) -> None:
    await playground.person("U0ADA").post("C0GENERAL", "<@U0BEN> hello")
    message = page.locator("article").first
    await (await editing(message)).fill("something else")
    await page.keyboard.press("Escape")
    await expect(message.get_by_role("textbox")).to_have_count(0)
    await (await editing(message)).press("Enter")
    await expect(message.get_by_role("textbox")).to_have_count(0)

    await expect(message).to_contain_text("@Ben Lindqvist hello")
    assert ["message"] == [delivery.payload["event"]["type"] for delivery in playground.deliveries()]


async def test_who_empties_a_message_is_told_what_to_do_instead(playground: Playground, page: Page) -> None:
    await playground.person("U0ADA").post("C0GENERAL", "hello")
    message = page.locator("article").first
    box = await editing(message)
    await box.fill("  ")
    await box.press("Enter")

    await expect(message.get_by_text("Write something, or delete the message instead.")).to_be_visible()
    await box.fill("hello again")
    await expect(message.get_by_text("Write something")).to_have_count(0)
    await box.press("Enter")
    await expect(message).to_contain_text("hello again")
    assert "hello again" == playground.messages("C0GENERAL")[0]["text"]


async def editing(message: Locator) -> Locator:
    """Start to edit a message; return the text box."""
    await more_actions(message, "Edit message")
    return message.get_by_role("textbox")


@pytest.mark.parametrize("width", [1280, 390])
async def test_what_is_said_in_words_is_in_a_menu_above_the_message(
    playground: Playground, browsing: Browsing, width: int
) -> None:
    playground.workspace.shortcuts = [{"name": "Why this answer?", "type": "message", "callback_id": "why"}]
    ts = await playground.person("U0ADA").post("C0GENERAL", "How long is the warranty of the Pine Router?")
    page = await browsing.open(place=f"C0GENERAL/{ts}")
    await page.set_viewport_size({"width": width, "height": 800})
    message = page.locator("#thread article")
    more = message.get_by_role("button", name="More actions")
    await message.hover()
    tools, text = await message.locator(".tools").bounding_box(), await message.locator(".text").bounding_box()
    assert tools
    assert text
    assert tools["y"] + tools["height"] <= text["y"]

    await more.press("Enter")
    await expect(page.get_by_role("menuitem", name="Why this answer?")).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await expect(page.get_by_role("menuitem", name="Delete message")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("menu")).to_have_count(0)
    await expect(more).to_be_focused()
    await expect(message).to_be_visible()
    await more.press("Enter")
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await expect(message).to_have_count(0)


async def test_the_actions_of_a_message_cover_nothing_of_the_message_above(
    playground: Playground, browsing: Browsing
) -> None:
    option = {"text": {"type": "plain_text", "text": "Hamburg"}, "value": "hamburg"}
    chosen = {
        "type": "section",
        "text": {"type": "mrkdwn", "text": "Ada chose *Porto*."},
        "accessory": {"type": "overflow", "action_id": "change", "options": [option]},
    }
    client = web_api(playground)
    root = await playground.person("U0ADA").post("C0GENERAL", "How many days?")
    for text, blocks in (("Porto or Hamburg?", [chosen]), ("You have 25 days.", [])):
        await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text=text, blocks=blocks)
    page = await browsing.open(place=f"C0GENERAL/{root}")
    below = page.locator("#thread article").last
    await below.hover()

    menu = await page.get_by_label("More choices").bounding_box()
    tools = await below.locator(".tools").bounding_box()
    assert menu
    assert tools
    assert menu["y"] + menu["height"] <= tools["y"]


async def test_a_text_file_goes_along_with_what_is_written(playground: Playground, page: Page) -> None:
    chosen = page.get_by_label("File", exact=True)
    await chosen.set_input_files({"name": "scan.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 \xff\xfe"})
    await expect(page.locator("#toast")).to_contain_text("text files only")
    await chosen.set_input_files({"name": "bikes.md", "mimeType": "text/markdown", "buffer": b"# Bikes\n" * 300})
    await page.get_by_role("textbox", name="Message #general").fill("Our bikes")
    await page.get_by_role("button", name="Send").click()

    message = page.locator("article")
    await expect(message.get_by_text("bikes.md")).to_be_visible()
    await expect(message.get_by_text("2 kB")).to_be_visible()
    await expect(page.get_by_role("button", name="Leave the file out")).to_have_count(0)
    (sent,) = playground.messages("C0GENERAL")
    assert ("Our bikes", ["bikes.md"]) == (sent["text"], [file["name"] for file in sent["files"]])


async def test_what_the_bot_says_it_is_doing_goes_by_itself_after_two_minutes(
    playground: Playground, browsing: Browsing
) -> None:
    client = web_api(playground)
    early, late = [await playground.person("U0ADA").post("C0GENERAL", text) for text in ("hello", "and hello")]
    page = await browsing.open(place=f"C0GENERAL/{early}")
    await client.assistant_threads_setStatus(channel_id="C0GENERAL", thread_ts=early, status="is searching…")
    await expect(page.locator("#thread .status").get_by_text("Askback is searching…")).to_be_visible()

    playground.clock.advance(60)
    await client.assistant_threads_setStatus(channel_id="C0GENERAL", thread_ts=late, status="is reading…")
    playground.clock.advance(61)
    await expect(page.locator(".status").get_by_text("Askback is searching…")).to_have_count(0)
    assert ("", "is reading…") == tuple(playground.status("C0GENERAL", root) for root in (early, late))

    await page.goto(f"{playground.url}#U0ADA/C0GENERAL/{late}")
    await expect(page.locator("#thread .status").get_by_text("Askback is reading…")).to_be_visible()
    playground.clock.advance(60)
    await expect(page.locator("#thread .status").get_by_text("Askback is reading…")).to_have_count(0)


async def test_the_wire_shows_deliveries_and_calls(playground: Playground, page: Page) -> None:
    await page.get_by_role("button", name="Wire").click()
    wire = page.locator("#wire")
    client = web_api(playground)
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


async def test_a_source_of_the_sample_handbook_opens_its_document(playground: Playground, page: Page) -> None:
    source = "<https://handbook.lumenpine.example/products/pine-router/warranty#what-we-do|Pine Router warranty>"
    await web_api(playground).chat_postMessage(channel="C0GENERAL", text=source)

    async with page.context.expect_page() as opened:
        await page.get_by_role("link", name="Pine Router warranty").click()

    await expect((await opened.value).get_by_text("The warranty lasts five years")).to_be_visible()


@pytest.mark.parametrize("late_ms", [0, 200])
async def test_who_asks_goes_on_writing_in_the_thread(page: Page, late_ms: int) -> None:
    """Also if the page hears of the message after it was told that it is posted."""
    await page.add_init_script(LATE_CHANGES.replace("LATE_MS", str(late_ms)))
    await page.reload()
    await page.get_by_role("textbox", name="Message #general").fill("@Askback How long?")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("textbox", name="Reply…")).to_be_focused()


@pytest.mark.parametrize("width", [375, 390])
async def test_a_narrow_window_cuts_nothing_off_and_begins_with_the_examples(
    playground: Playground, browsing: Browsing, width: int
) -> None:
    members = playground.workspace.members
    members["U0ADA"] = replace(members["U0ADA"], is_admin=True)
    page = await browsing.open()
    await page.set_viewport_size({"width": width, "height": 800})
    await page.reload()

    await expect(page.get_by_role("heading", name="This is #general")).to_be_in_viewport()
    await expect(page.locator(".example").nth(2)).to_be_in_viewport(ratio=1)
    await page.get_by_role("button", name="Wire").click()
    for button in (page.get_by_role("button", name="Send"), page.get_by_role("button", name="Dev")):
        box = await button.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
    assert await page.locator("#channel").evaluate("one => one.offsetWidth") == width
    assert await page.evaluate("document.documentElement.scrollWidth") == width


async def test_the_second_line_of_a_choice_begins_below_the_first(playground: Playground, page: Page) -> None:
    option = {"text": {"type": "plain_text", "text": "It is out of date, and not only " * 2}, "value": "old"}
    choice = {"type": "radio_buttons", "action_id": "reason", "options": [option]}
    blocks = [{"type": "actions", "elements": [choice]}]
    await web_api(playground).chat_postMessage(channel="C0GENERAL", text="Why?", blocks=blocks)
    await page.set_viewport_size({"width": 390, "height": 800})

    label = page.locator(".radios label")
    sign, text = await label.locator("input").bounding_box(), await label.locator("span").bounding_box()
    assert sign
    assert text
    assert sign["x"] + sign["width"] <= text["x"]
    assert text["height"] > 2 * sign["height"]


async def test_who_writes_while_the_demo_is_not_running_is_told_and_keeps_the_text(
    playground: Playground, browsing: Browsing
) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "How long?")
    await web_api(playground).assistant_threads_setStatus(channel_id="C0GENERAL", thread_ts=root, status="is reading…")
    page = await browsing.open()
    box = page.get_by_role("textbox", name="Message #general")
    await expect(page.get_by_text("Askback is reading…")).to_be_visible()
    await page.route("**/control/**", lambda route: route.abort("connectionrefused"))
    playground.cut_pages()
    await expect(page.locator("#top").get_by_text("The demo is not running")).to_be_visible()
    await expect(page.get_by_text("Askback is reading…")).to_be_hidden()
    await box.fill("Are you there?")
    await box.press("Enter")
    await expect(page.locator("#toast")).to_have_text("The demo is not running.")
    await expect(box).to_have_value("Are you there?")
    await expect(page.get_by_text("Your text stays here.")).to_be_visible()

    await page.unroute_all()
    await expect(page.get_by_text("Askback is not connected")).to_be_visible()
    await expect(page.get_by_text("Your text stays here.")).to_be_hidden()
    await expect(box).to_have_value("Are you there?")
    await box.press("Enter")
    await expect(page.locator("article")).to_have_count(2)
    assert ["How long?", "Are you there?"] == [message["text"] for message in playground.messages("C0GENERAL")]
    browsing.complaints[:] = [one for one in browsing.complaints if "ERR_CONNECTION_REFUSED" not in one]


async def test_the_page_marks_who_is_an_administrator(playground: Playground, browsing: Browsing) -> None:
    members = playground.workspace.members
    members["U0ADA"] = replace(members["U0ADA"], is_admin=True)
    page = await browsing.open()

    await expect(page.get_by_role("group", name="Act as").get_by_text("ADMIN")).to_have_count(1)
    await expect(page.get_by_role("button", name="Ada")).to_contain_text("ADMIN")


@pytest.mark.parametrize("text", ["Where do we eat today?", "@Askback where do we eat today?"])
async def test_who_writes_where_the_bot_is_not_is_told_and_adds_it(
    playground: Playground, browsing: Browsing, text: str
) -> None:
    page = await browsing.open(place="C0RANDOM")
    note = page.get_by_text("Askback is not in #random and does not see this.")
    box = page.get_by_role("textbox", name="Message #random")
    await box.fill("First things first")
    await box.press("Enter")
    await expect(
        page.locator("article", has_text="First things first").get_by_text("does not see this")
    ).to_be_visible()
    await box.fill(text)
    await box.press("Enter")
    await expect(page.locator("#channel article", has_text="eat today?").get_by_text("not see this")).to_be_visible()
    await expect(note).to_have_count(1)
    await expect(page.locator("#thread")).to_be_hidden()

    await note.get_by_role("button", name="Add it").click()
    await expect(page.get_by_text("Askback is in #random now.")).to_be_visible()
    await expect(note).to_have_count(0)
    assert playground.bot_user_id in playground.workspace.channels["C0RANDOM"].members


@pytest.mark.parametrize("width", [1280, 390])
async def test_the_head_of_a_channel_is_one_line(playground: Playground, browsing: Browsing, width: int) -> None:
    playground.workspace.channels["C0RANDOM"].topic = "Anything else that has a long topic, which may be cut off"
    ts = await playground.person("U0ADA").post("C0RANDOM", "hello")
    page = await browsing.open(place=f"C0RANDOM/{ts}")
    await page.set_viewport_size({"width": width, "height": 800})

    for cut in (page.get_by_text("4 members"), page.get_by_role("button", name="Add Askback")):
        assert await cut.evaluate("one => one.scrollWidth <= one.clientWidth || one.clientWidth === 0")
    heads = await page.locator(".channel-head").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert 1 == len(set(heads))
