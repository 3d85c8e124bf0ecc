"""Where nothing answers surely, the asker is asked which folder they meant, once: Slack payload in, calls out."""

from collections.abc import Mapping
from pathlib import Path

from tests.journeys.changes.test_changes import answer_holding
from tests.journeys.changes.test_revisions import settled_card
from tests.journeys.conversations.test_asking import harness_with_knowledge
from tests.journeys.conversations.test_deadlines import AT_ONCE, OFTEN
from tests.journeys.conversations.test_groq import Request, form_of, with_groq
from tests.journeys.harness import ADA, SUPPORT, Harness, labels_of, text_of
from tests.journeys.reviewing import reviewed
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import judged, reading

WHICH = "Which of these is it about?"
UNSURE = "I set off the siren by mistake, whom do I ring?"
"""The page of each office says whom to call about its alarm, in other words."""


async def test_a_click_on_a_folder_is_answered_from_it_alone(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        card = await harness.card(root)
        await harness.click(root, "Porto")
        await settled_card(harness, root, "chose *Porto*")
        (answer,) = await harness.answers(root)

    assert WHICH in text_of(card)
    assert {"Porto", "Hamburg", "Something else…", "Just answer"} == set(labels_of(card))
    assert "Guardia Norte" in text_of(answer)
    assert "come nearest" in text_of(answer)
    assert "Hansewacht" not in text_of(answer)


async def test_just_answer_gets_the_caveat_and_no_second_question(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.click(root, "Just answer")
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert "come nearest" in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_a_typed_name_is_the_choice_and_own_words_are_searched_for(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.card(root)
        await harness.say("porto", root)
        await settled_card(harness, root, "chose *Porto*")
        await harness.answers(root)

        other = await harness.ask(UNSURE)
        await harness.card(other)
        await harness.say("I mean the alarm in Porto", other)
        (answer,) = await harness.answers(other)

    assert "Guardia Norte" in text_of(answer)


async def test_nobody_answers_and_the_caveat_comes_by_itself(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN, **AT_ONCE):
        root = await harness.ask(UNSURE)
        (answer,) = await harness.answers(root)

    assert "come nearest" in text_of(answer)


async def test_a_click_after_a_restart_goes_on_and_the_choice_can_be_changed(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.card(root)
    async with harness.bot():
        await harness.click(root, "Porto")
        settled = await settled_card(harness, root, "chose *Porto*")
        (answer,) = await harness.answers(root)
        assert "Guardia Norte" in text_of(answer)

        await harness.settled()
        await harness.playground.person(ADA).click(SUPPORT, settled["ts"], label="Hamburg")
        revised = await answer_holding(harness, root, "Revised: *Hamburg* instead of *Porto*")

    assert "Guardia Norte" not in text_of(revised)
    assert "come nearest" in text_of(revised)


async def test_the_choice_is_no_preference(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.click(root, "Porto")
        await harness.answers(root)
        again = await harness.ask(UNSURE)
        card = await harness.card(again)
        async with harness.owning() as owner:
            learnt = await (await owner.execute("SELECT count(*) FROM preferences")).fetchone()

    assert WHICH in text_of(card)
    assert (0,) == learnt


async def test_a_reviewer_is_asked_instead(harness: Harness) -> None:
    async with reviewed(harness):
        root = await harness.ask(UNSURE)
        (answer,) = await harness.answers(root)

    assert "Ask a human" in text_of(answer)


async def test_a_draft_that_does_not_hold_twice_leads_to_the_question_and_is_gone(harness: Harness) -> None:
    false = Says("EVIDENCE: full\nRing the courier at noon [1].", pause_seconds=0.05)

    def script(request: Request) -> Reply:
        if form_of(request) == "validate":
            return judged("unsupported", answers="no", missing="It is not so.")
        return reading() if form_of(request) else false

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(UNSURE)
        card = await harness.card(root)
        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)

    assert WHICH in text_of(card)
    assert "courier" not in f"{text_of(card)} {text_of(answer)}"
    assert len(groq.requests) <= 4


async def test_one_document_that_comes_near_is_shown_and_not_asked_about(tmp_path: Path, database_url: str) -> None:
    pages: Mapping[str, str] = {
        "aprons.md": "# Aprons\n\nHang the lead aprons on the wide rail.\n",
        "tea.md": "# Tea\n\nTea is free.\n",
    }
    async with harness_with_knowledge(pages, tmp_path, database_url) as harness:
        root = await harness.ask("How are aprons cleaned?", person=ADA)
        (answer,) = await harness.answers(root)

    assert "come nearest" in text_of(answer) or "Hang" in text_of(answer)
