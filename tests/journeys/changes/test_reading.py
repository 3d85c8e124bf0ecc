"""A message that people read stays until there is new text, whatever runs again."""

from dataclasses import replace
from typing import Any

from tests.journeys.changes.test_changes import HAMBURG, HOTEL, PORTO, answer_holding, edit
from tests.journeys.changes.test_revisions import change, chosen
from tests.journeys.changes.test_stops import endless_model, press_stop, stopped, streaming
from tests.journeys.harness import ADA, SUPPORT, Harness, labels_of, text_of
from tests.journeys.holding import valid
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import reading

DINNER = "What is the limit for a dinner?"


class ScriptedModel:
    """A model with the test's answers, which may take very long to understand a question."""

    def __init__(self, answer: str = "") -> None:
        self.answer = answer
        self.is_slow = not answer

    def __call__(self, request: dict[str, Any]) -> Reply:
        if "response_format" not in request:
            return Says(self.answer)
        if "understand" not in str(request["response_format"]):
            return valid()
        return replace(reading(standalone=HOTEL), pause_seconds=300.0 if self.is_slow else 0.0)


def texts_shown(harness: Harness, ts: str) -> list[str]:
    """Return the texts of a message since it was first rewritten, in order."""
    updates = [one.arguments for one in harness.playground.calls("chat.update") if one.arguments["ts"] == ts]
    return ["".join(block["text"] for block in one["blocks"] if block["type"] == "markdown") for one in updates]


def conversation(groq: GroqServer) -> str:
    """Return the conversation in the model's last prompt."""
    told = [text for request in groq.requests for text in [request["messages"][-1]["content"]] if "Askback: " in text]
    return told[-1].split("<conversation ")[1].split("</conversation ")[0]


async def at_work(harness: Harness, root: str, ts: str) -> None:
    """Wait until the status shows a run, while the message is unchanged."""
    await harness.playground.until(
        lambda: harness.playground.status(SUPPORT, root) or texts_shown(harness, ts), timeout=60
    )


async def test_an_edited_question_leaves_its_answer_until_there_is_a_new_one(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(HAMBURG)
        (before,) = await harness.answers(root)
        await harness.settled()
        await edit(harness, root, PORTO)
        await answer_holding(harness, root, "25")
        await harness.settled()

    texts = texts_shown(harness, before["ts"])
    assert all("25" in text for text in texts), texts
    assert texts
    assert "" == harness.playground.status(SUPPORT, root)


async def test_a_changed_choice_leaves_the_answer_until_there_is_another(harness: Harness) -> None:
    async with harness.bot():
        root, card, answer = await chosen(harness)
        await change(harness, card, "Porto")
        await answer_holding(harness, root, "Revised: *Porto*")
        await harness.settled()

    texts = texts_shown(harness, answer["ts"])
    assert all("25" in text for text in texts), texts
    assert texts


async def test_killed_in_the_middle_and_stopped_before_it_went_on_what_was_said_stays_and_is_remembered(
    harness: Harness,
) -> None:
    async with endless_model() as settings, harness.bot_process(**settings) as process:
        root = await harness.ask(HOTEL)
        ts = await streaming(harness, root)
        await process.kill()
    model = ScriptedModel()
    async with GroqServer.serve(model) as groq, harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        await at_work(harness, root, ts)
        await press_stop(harness, root)
        message = await stopped(harness, root)
        await harness.settled()
        model.is_slow, model.answer = False, "It is the same there [1]."
        await harness.say("And in Porto?", root)
        await answer_holding(harness, root, "the same there")
        await harness.settled()
        remembered = conversation(groq)

    assert (ts, ["Answer after all"]) == (message["ts"], labels_of(message))
    assert "145 EUR [1]" in text_of(message)
    assert f"Stopped by <@{ADA}>." in text_of(message)
    assert "Askback: The limit for a hotel night is 145 EUR" in remembered
    assert "" == harness.playground.status(SUPPORT, root)


async def test_an_edit_that_is_stopped_before_its_answer_leaves_the_earlier_one_and_says_so(harness: Harness) -> None:
    model = ScriptedModel("The limit for a hotel night is 145 EUR [1].")
    async with GroqServer.serve(model) as groq, harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        root = await harness.ask(HOTEL)
        (before,) = await harness.answers(root)
        await harness.settled()
        model.is_slow, model.answer = True, "There is none [1]."
        await edit(harness, root, DINNER)
        await at_work(harness, root, before["ts"])
        await press_stop(harness, root)
        message = await stopped(harness, root)
        await harness.settled()
        assert "" == harness.playground.status(SUPPORT, root)

        model.is_slow = False
        await harness.say("And in Porto?", root)
        await answer_holding(harness, root, "There is none")
        await harness.settled()
        remembered = conversation(groq)
        await harness.playground.person(ADA).click(SUPPORT, before["ts"], label="Answer after all")
        await harness.playground.until(lambda: "Stopped by" not in str(harness.said(root)))
        await harness.settled()

    assert before["ts"] == message["ts"]
    assert "145 EUR" in text_of(message)
    assert f"Stopped by <@{ADA}> before this was answered again." in text_of(message)
    # An answer to the earlier words does not answer these.
    assert f"{DINNER}\nAskback: (Stopped before anything was said.)" in remembered
    assert "There is none" in text_of(harness.said(root)[0])


async def test_a_change_that_is_stopped_before_its_answer_leaves_the_earlier_one_on_screen_and_in_memory(
    harness: Harness,
) -> None:
    async with harness.bot():
        root, card, answer = await chosen(harness)
    model = ScriptedModel()
    async with GroqServer.serve(model) as groq, harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        await change(harness, card, "Porto")
        await at_work(harness, root, answer["ts"])
        await press_stop(harness, root)
        message = await stopped(harness, root)
        await harness.settled()
        model.is_slow, model.answer = False, "It is the same there [1]."
        await harness.say("And sick leave?", root)
        await answer_holding(harness, root, "the same there")
        await harness.settled()
        remembered = conversation(groq)

    assert answer["ts"] == message["ts"]
    assert "30" in text_of(message)
    assert "before this was answered again" in text_of(message)
    assert "30" in remembered.split("Askback: ")[1]
