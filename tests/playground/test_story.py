"""The whole story on the page: real Chromium, the real Bolt, and a bot that follows a script."""

from playwright.async_api import Locator, Page, expect

from playground import Playground
from tests.playground.bots import web_api
from tests.playground.browsing import Browsing, more_actions, photograph
from tests.playground.storyteller import Storyteller, modal


async def ask(page: Page, question: str) -> Locator:
    """Ask the bot in the channel by keyboard; return the thread's pane."""
    await page.get_by_role("textbox", name="Message #general").press_sequentially("@ask")
    await page.keyboard.press("Tab")
    await page.keyboard.type(question)
    await page.keyboard.press("Enter")
    return page.locator("#thread")


async def test_ask_choose_read_rate_and_follow_up(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    await expect(page.get_by_role("heading", name="This is #general")).to_be_visible()
    await photograph(page, "playground-start")
    thread = await ask(page, "How many vacation days do I have?")
    await expect(thread.get_by_role("button", name="Something else…")).to_be_visible()
    await photograph(page, "playground-question")

    bot.gate.clear()
    await thread.get_by_role("button", name="Oslo").click()
    await expect(thread.get_by_text("@Ada Okafor chose Oslo.")).to_be_visible()
    await expect(thread.get_by_text("Reading 6 passages")).to_be_visible()
    await expect(thread.get_by_label("still writing")).to_be_visible()
    await photograph(page, "playground-stream")
    bot.gate.set()

    await expect(thread.get_by_text("They are yours from the first day [2].")).to_be_visible()
    await expect(thread.get_by_label("still writing")).to_have_count(0)
    await expect(thread.get_by_role("link", name="Joining")).to_have_attribute(
        "href", "https://handbook.example/joining"
    )
    await thread.get_by_role("button", name="Good answer").click()
    await expect(thread.get_by_text("Thank you for telling us.")).to_be_visible()
    assert ["good"] == bot.ratings

    await thread.get_by_role("textbox", name="Reply…").fill("And in Turin?")
    await page.keyboard.press("Enter")
    await expect(thread.get_by_text("In Turin it is 26 days a year [1].")).to_be_visible()
    await photograph(page, "playground-answer")
    await page.get_by_role("button", name="Wire").click()
    await expect(page.locator("#wire").get_by_text("chat.stopStream").first).to_be_visible()
    await photograph(page, "playground-wire")


async def test_something_else_is_said_in_words(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    thread = await ask(page, "How many vacation days do I have?")
    await thread.get_by_role("button", name="Something else…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("What did you mean?")).to_be_focused()
    await page.keyboard.type("Atlantis")
    await page.keyboard.press("Enter")
    await expect(dialog.get_by_text("There is no such office.")).to_be_visible()
    await photograph(page, "playground-modal")
    await dialog.get_by_label("What did you mean?").fill("Turin")
    await page.keyboard.press("Enter")

    await expect(dialog).to_have_count(0)
    await expect(thread.get_by_text("Days that are left end in March [2].")).to_be_visible()


async def test_a_modal_belongs_to_the_window_that_opened_it(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    thread = await ask(page, "How many vacation days do I have?")
    await thread.get_by_role("button", name="Something else…").click()
    await expect(page.get_by_role("dialog")).to_be_visible()

    other = await browsing.open()
    assert 0 == await other.get_by_role("dialog").count()
    browsing.playground.cut_pages()
    await hear("The page reads the state again", page, other, playground=browsing.playground)
    assert (1, 0) == (await page.get_by_role("dialog").count(), await other.get_by_role("dialog").count())

    view = browsing.playground.person("U0ADA").open_view
    assert view is not None
    changed = {**modal(view["private_metadata"]), "title": {"type": "plain_text", "text": "Changed"}}
    await web_api(browsing.playground).views_update(view_id=view["id"], view=changed)
    await hear("The page hears of the change", page, other, playground=browsing.playground)
    await expect(page.get_by_role("dialog", name="Changed")).to_be_visible()
    assert 0 == await other.get_by_role("dialog").count()


async def hear(text: str, *pages: Page, playground: Playground) -> None:
    """Write a message; wait until the pages show it, and so all that was before it."""
    await playground.person("U0BEN").post("C0GENERAL", text)
    for page in pages:
        await expect(page.get_by_text(text)).to_be_visible()


async def test_the_question_is_answered_by_typing(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    thread = await ask(page, "How many vacation days do I have?")
    await expect(thread.get_by_role("button", name="Oslo")).to_be_visible()
    await thread.get_by_role("textbox", name="Reply…").fill("Porto, of course")
    await page.keyboard.press("Enter")

    await expect(thread.get_by_text("A birthday is free on top [2].")).to_be_visible()
    await expect(thread.get_by_role("button", name="Oslo")).to_have_count(0)


async def test_two_people_click_at_once(browsing: Browsing, bot: Storyteller) -> None:
    ada = await browsing.open()
    pane = await ask(ada, "How many vacation days do we have?")
    await expect(pane.get_by_role("button", name="Oslo")).to_be_visible()
    place = (await ada.evaluate("location.hash")).removeprefix("#U0ADA/")
    ben = await browsing.open("U0BEN", place)
    panes = {"Ada": pane, "Ben": ben.locator("#thread")}
    for pane in panes.values():
        await expect(pane.get_by_role("button", name="Turin")).to_be_visible()

    bot.choice_gate.clear()
    await panes["Ada"].get_by_role("button", name="Oslo").click()
    await panes["Ben"].get_by_role("button", name="Turin").click()
    await browsing.playground.until(lambda: len(browsing.playground.deliveries("block_actions")) == 2)
    bot.choice_gate.set()

    for pane in panes.values():
        await expect(pane.get_by_text(" chose ", exact=False).first).to_be_visible()
        await expect(pane.get_by_role("button", name="Good answer")).to_have_count(1)
    late = [await pane.get_by_text("Somebody was faster").count() for pane in panes.values()]
    assert 1 == sum(late)


async def test_a_very_long_answer_is_shown_from_its_beginning(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    thread = await ask(page, "Tell me everything")
    rate = thread.get_by_role("button", name="Good answer")
    await expect(rate).to_be_visible()
    await expect(thread.get_by_text("Paragraph 1 says")).to_be_in_viewport()
    await expect(rate).not_to_be_in_viewport()
    await page.reload()
    await expect(thread.get_by_text("Paragraph 1 says")).to_be_in_viewport()

    answer = browsing.playground.messages("C0GENERAL")[-1]
    assert (30_000 <= len(answer["text"]), "completed") == (True, answer["streaming_state"])


async def test_who_reads_the_end_of_a_long_answer_or_writes_below_it_stays_there(
    browsing: Browsing, bot: Storyteller
) -> None:
    page = await browsing.open()
    thread = await ask(page, "Tell me everything")
    rate = thread.get_by_role("button", name="Good answer")
    await rate.scroll_into_view_if_needed()
    await rate.click()
    await expect(thread.get_by_text("Thank you for telling us.")).to_be_in_viewport()
    await expect(rate).to_be_in_viewport()

    await thread.get_by_text("Paragraph 1 says").scroll_into_view_if_needed()
    bot.gate.clear()
    await thread.get_by_role("textbox", name="Reply…").fill("And in Turin?")
    await page.keyboard.press("Enter")
    await expect(thread.get_by_text("And in Turin?")).to_be_in_viewport()
    bot.gate.set()
    await expect(thread.get_by_text("Days that are left end in March [2].")).to_be_in_viewport()


async def test_a_page_that_loses_its_line_catches_up(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    bot.gate.clear()
    thread = await ask(page, "Tell me everything")
    await expect(thread.get_by_text("Paragraph 135 says")).to_be_visible()
    browsing.playground.cut_pages()
    browsing.playground.cut_sockets()
    bot.gate.set()

    await expect(thread.get_by_text("Paragraph 270 says")).to_be_visible()
    await expect(page.get_by_text("Askback is connected")).to_be_visible()
    await thread.get_by_role("button", name="Good answer").click()
    await expect(thread.get_by_text("Thank you for telling us.")).to_be_visible()


async def test_stop_ends_what_the_bot_writes(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    bot.gate.clear()
    thread = await ask(page, "Tell me everything")
    stop = thread.get_by_role("button", name="Stop")
    await stop.click()
    await browsing.playground.until(lambda: bot.stopped)

    assert "agent_session_stopped" in {one.about for one in browsing.playground.deliveries()}


async def test_an_edit_survives_what_others_write(browsing: Browsing, bot: Storyteller) -> None:
    page, ben = await browsing.open(), browsing.playground.person("U0BEN")
    await page.get_by_role("textbox", name="Message #general").fill("How long is the waranty?")
    await page.keyboard.press("Enter")
    message = page.locator("#channel article").first
    await more_actions(message, "Edit message")
    await page.keyboard.press("End")
    await page.keyboard.type("!")
    await ben.post("C0GENERAL", "No idea.")
    await expect(page.get_by_text("No idea.")).to_be_visible()
    await page.keyboard.type("!")
    await message.get_by_role("button", name="Save").click()
    await expect(message.get_by_text("(edited)")).to_be_visible()
    await more_actions(message, "Delete message")
    await expect(page.locator("#channel article")).to_have_count(1)

    changed = browsing.playground.deliveries()[2].payload["event"]["message"]
    assert "How long is the waranty?!!" == changed["text"]
