"""The channel and the question choose the preset, and the answer names it."""

import io
from typing import Any

from rich.console import Console

from bot.cli.administration import administering, rule_channel
from bot.settings import Settings
from tests.journeys.conversations.test_groq import form_of, offices, with_groq
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, Message, labels_of, text_of
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import may_ask_back, oblige, reading

HOTEL = "What is the limit for a hotel night?"
QUICK, THOROUGH = "A quick answer", "A thorough answer"


def script(request: dict[str, Any]) -> Reply:
    """Ask back about vacation; answer everything else well."""
    if form_of(request) == "understand" and "vacation days do I" in str(request["messages"]) and may_ask_back(request):
        return reading(route="clarify", clarification={"question": "Which office?", "options": offices(request)})
    return oblige(request) if form_of(request) else Says("EVIDENCE: full\nIt is 145 EUR [1].")


async def asked(harness: Harness, groq: GroqServer, question: str) -> tuple[Message, list[str]]:
    """Return the answer to a question in its own thread, and the forms that the model was asked for."""
    before = len(groq.requests)
    (answer,) = await harness.answers(await harness.ask(question))
    await harness.settled()
    return answer, [form_of(request) for request in groq.requests[before:]]


async def test_a_channel_and_a_question_say_how_much_work_an_answer_is_worth(harness: Harness) -> None:
    console = Console(file=io.StringIO(), width=80)
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        usual, forms = await asked(harness, groq, HOTEL)
        assert ["understand", "", "validate"] == forms
        assert QUICK not in text_of(usual)

        async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
            await rule_channel(here, SUPPORT, None, "quick")
        quick, forms = await asked(harness, groq, HOTEL)
        assert ["understand", ""] == forms[:2]
        assert "validate" not in forms
        assert ["openai/gpt-oss-20b"] == [one["model"] for one in groq.requests[-2:] if not form_of(one)]
        assert QUICK in text_of(quick)
        assert "for a wish" not in text_of(quick)

        thorough, forms = await asked(harness, groq, f"{HOTEL} Be thorough.")
        assert "validate" in forms
        assert THOROUGH in text_of(thorough)
        assert "I took “Be thorough” for a wish" in text_of(thorough)

    assert "thorough" not in str([request["messages"][1:] for request in groq.requests]).lower()


async def test_a_thorough_answer_is_written_again_if_two_drafts_disagree(harness: Harness) -> None:
    def unsure(request: dict[str, Any]) -> Reply:
        if form_of(request) or not request["temperature"]:
            return script(request)
        return Says("EVIDENCE: full\nIt is 190 EUR [1].")

    async with GroqServer.serve(unsure) as groq, with_groq(harness, groq):
        answer, forms = await asked(harness, groq, f"thorough: {HOTEL}")

    first, second, third = (request for request in groq.requests if not form_of(request))
    assert (0, 0) == (first["temperature"], third["temperature"])
    assert second["temperature"] > 0
    assert "It is 145 EUR. / It is 190 EUR." in str(third["messages"])
    assert ["understand", "", "", "", "validate"] == forms
    assert "It is 145 EUR" in text_of(answer)
    assert "190 EUR" not in str(harness.playground.calls("chat.appendStream"))


async def test_what_a_question_asks_for_holds_for_what_is_answered_after_a_click(harness: Harness) -> None:
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask("quickly: How many vacation days do I have?")
        await harness.click(root, "Porto")
        await harness.answers(root)
        # The first draft does not hold, so the answer changes until the run has ended.
        await harness.settled()
        (answer,) = await harness.answers(root)

    assert QUICK in text_of(answer)
    assert "validate" not in [form_of(request) for request in groq.requests]


PART = "It is part of the question"


async def deny(harness: Harness, answer: Message, *, person: str = ADA) -> None:
    await harness.playground.person(person).click(SUPPORT, answer["ts"], label=PART)


async def test_a_click_makes_a_phrase_part_of_the_question_again(harness: Harness) -> None:
    said = f"quickly: {HOTEL}"
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(said)
        (answer,) = await harness.answers(root)
        await harness.settled()
        assert "I took “quickly” for a wish" in text_of(answer)
        before = len(groq.requests)

        for person in (BEN, ADA, BEN):
            await deny(harness, answer, person=person)
        await harness.settled()
        (again,) = harness.said(root)

    forms = [form_of(request) for request in groq.requests[before:]]
    assert ["understand", "", "validate"] == forms
    assert said in str(groq.requests[before]["messages"])
    assert answer["ts"] == again["ts"]
    assert "145 EUR" in text_of(again)
    assert QUICK not in text_of(again)
    assert PART in labels_of(answer)
    assert PART not in labels_of(again)


async def test_only_the_asker_says_what_belongs_to_the_question_where_only_askers_answer(harness: Harness) -> None:
    async with harness.bot(may_answer="asker"):
        root = await harness.ask(f"quickly: {HOTEL}")
        (answer,) = await harness.answers(root)
        await harness.settled()
        await deny(harness, answer, person=BEN)
        await harness.ephemeral(BEN, "Only the person who asked can say")
        (left,) = harness.said(root)

    assert PART in labels_of(left)


async def test_after_a_question_back_the_whole_question_is_asked_again(harness: Harness) -> None:
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask("quickly: How many vacation days do I have?")
        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)
        await harness.settled()
        await deny(harness, answer)
        await harness.settled()
        (again,) = harness.said(root)

    # Ada's choice of Porto is remembered.
    assert answer["ts"] == again["ts"]
    assert "as last time" in text_of(again)
    assert QUICK not in text_of(again)
    assert PART not in labels_of(again)


async def test_the_bots_own_preset_holds_where_no_channel_and_no_question_says_otherwise(harness: Harness) -> None:
    console = Console(file=io.StringIO(), width=80)
    own: dict[str, Any] = {"groq_api_key": "gsk_local", "preset": "quick"}
    async with GroqServer.serve(script) as groq, harness.bot(groq_base_url=groq.url, **own):
        quick, forms = await asked(harness, groq, HOTEL)
        assert QUICK in text_of(quick)
        assert "validate" not in forms

        async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
            await rule_channel(here, SUPPORT, None, "balanced")
        usual, forms = await asked(harness, groq, HOTEL)
        assert QUICK not in text_of(usual)
        assert ["understand", "", "validate"] == forms
