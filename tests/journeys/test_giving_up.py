"""Where nothing answers surely, the asker is asked which document they meant, once: Slack payload in, calls out."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.journeys.harness import ADA, SUPPORT, Harness, labels_of, text_of
from tests.journeys.reviewing import reviewed
from tests.journeys.test_asking import harness_with_knowledge
from tests.journeys.test_changes import answer_holding
from tests.journeys.test_deadlines import AT_ONCE, OFTEN
from tests.journeys.test_groq import Request, form_of, with_groq
from tests.journeys.test_revisions import settled_card
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import judged, oblige, reading

WHICH = "Which of these is it about?"
UNSURE = "Who can approve a big purchase?"
"""The handbook speaks of purchases in two places, the travel policy and the expenses, and in neither surely."""
NEARER = "Who approves expenses of a trip above a limit?"
"""Here both come so near that they are offered though a model has read them in vain."""


async def test_a_click_on_a_document_is_answered_from_it_alone(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        card = await harness.card(root)
        await harness.click(root, "Travel policy")
        await settled_card(harness, root, "chose *Travel policy*")
        (answer,) = await harness.answers(root)

    assert WHICH in text_of(card)
    assert {"Travel policy", "Something else…", "Just answer"} < set(labels_of(card))
    assert "1,500 EUR" in text_of(answer)
    assert "I am not sure. These come nearest" in text_of(answer)
    assert "out of pocket" not in text_of(answer)


async def test_just_answer_gets_the_caveat_and_no_second_question(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.click(root, "Just answer")
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert "I am not sure. These come nearest" in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_a_typed_title_is_the_choice_and_own_words_are_searched_for(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.card(root)
        await harness.say("travel policy", root)
        await settled_card(harness, root, "chose *Travel policy*")
        await harness.answers(root)

        other = await harness.ask(UNSURE)
        await harness.card(other)
        await harness.say("I mean the approval of a trip", other)
        (answer,) = await harness.answers(other)

    assert "1,500 EUR" in text_of(answer)


async def test_nobody_answers_and_the_caveat_comes_by_itself(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN, **AT_ONCE):
        root = await harness.ask(UNSURE)
        (answer,) = await harness.answers(root)

    assert "I am not sure. These come nearest" in text_of(answer)


async def test_a_click_after_a_restart_goes_on_and_the_choice_can_be_changed(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.card(root)
    async with harness.bot():
        await harness.click(root, "Travel policy")
        settled = await settled_card(harness, root, "chose *Travel policy*")
        (answer,) = await harness.answers(root)
        assert "1,500 EUR" in text_of(answer)

        await harness.settled()
        await harness.playground.person(ADA).click(SUPPORT, settled["ts"], label="Expenses")
        revised = await answer_holding(harness, root, "Revised: *Expenses* instead of *Travel policy*")

    assert "1,500 EUR" not in text_of(revised)
    assert "I am not sure" in text_of(revised)


async def test_the_choice_is_no_preference(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(UNSURE)
        await harness.click(root, "Travel policy")
        await harness.answers(root)
        again = await harness.ask(UNSURE)
        card = await harness.card(again)
        async with harness.looking() as owner:
            learnt = await (await owner.execute("SELECT count(*) FROM preferences")).fetchone()

    assert WHICH in text_of(card)
    assert (0,) == learnt


async def test_a_reviewer_is_asked_instead(harness: Harness) -> None:
    async with reviewed(harness):
        root = await harness.ask(UNSURE)
        (answer,) = await harness.answers(root)

    assert "Ask a human" in text_of(answer)


async def test_a_model_without_evidence_asks_and_writes_from_the_document_that_was_meant(harness: Harness) -> None:
    def script(request: Request) -> Reply:
        if form_of(request):
            return oblige(request)
        was_chosen = "(Travel policy)?" in str(request["messages"])
        return Says("EVIDENCE: full\nTrips above 1,500 EUR need an approval [1]." if was_chosen else "EVIDENCE: none")

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(NEARER)
        await harness.card(root)
        before = len(groq.requests)
        await harness.click(root, "Travel policy")
        (answer,) = await harness.answers(root)

    written = [request for request in groq.requests[before:] if not form_of(request)]
    assert "1,500 EUR" in text_of(answer)
    assert {"Travel policy"} == set(titles(written[0]))
    assert len(groq.requests) <= 4


async def test_a_draft_that_does_not_hold_twice_leads_to_the_question_and_is_gone(harness: Harness) -> None:
    false = Says("EVIDENCE: full\nBig purchases are approved at noon, by courier [1].", pause_seconds=0.05)

    def script(request: Request) -> Reply:
        if form_of(request) == "validate":
            return judged("unsupported", answers="no", missing="It is not so.")
        return reading() if form_of(request) else false

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(UNSURE)
        card = await harness.card(root)
        await harness.click(root, "Travel policy")
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


def titles(request: Request) -> list[str]:
    """Return the titles of the passages in a writer's prompt."""
    places = re.findall(r"(?m)^<passage \d+ \w+>\n(.+)$", request["messages"][-1]["content"])
    return [place.split(" › ")[0] for place in places]
