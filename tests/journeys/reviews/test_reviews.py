"""A reviewer sees an unsure draft before the asker does, and decides how the turn ends."""

import asyncio
from collections.abc import AsyncGenerator

import psycopg
import pytest

from bot.conversation.schedule import Cadence
from playground.state.workspace import Member
from tests.journeys.changes.test_revisions import AMBIGUOUS, change, chosen
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, labels_of, text_of
from tests.journeys.holding import held_back, until_held_back
from tests.journeys.reviewing import (
    CHIARA,
    DEV,
    DRAFT,
    HOTEL,
    ISSUE,
    PEOPLE,
    PORTO,
    card_saying,
    cards,
    environment,
    form,
    open_card,
    press,
    reviewed,
    said,
    unrecordable,
    unsure,
)
from tests.models.groq_server import GroqServer

OFTEN = Cadence(deadlines_seconds=0.2, pruning_seconds=0.2)
WAITING = "A colleague will look at it first"


@pytest.fixture
async def groq() -> AsyncGenerator[GroqServer]:
    """A model whose drafts about hotels are unsure."""
    async with GroqServer.serve(unsure) as server:
        yield server


def sent_to(harness: Harness, channel: str) -> str:
    """Return all calls so far that posted to a channel."""
    return str([call.arguments for call in harness.playground.calls() if call.arguments.get("channel") == channel])


def statuses(harness: Harness) -> list[str]:
    """Return the statuses of the reviews, in order."""
    with psycopg.connect(harness.database_url) as connection:
        rows = connection.execute(
            "SELECT CASE status WHEN 'decided' THEN decision ->> 'kind' ELSE status END FROM asks"
            " WHERE kind = 'review' ORDER BY id"
        ).fetchall()
    return [status for (status,) in rows]


async def test_nobody_sees_a_draft_that_falls_short_before_a_colleague_approves_it(
    harness: Harness, groq: GroqServer
) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        note = await said(harness, root, WAITING)
        card = await open_card(harness)
        assert [] == [part for part in (HOTEL, "999 EUR", ISSUE) if part not in text_of(card)]
        assert "more than its sources" in text_of(card)
        assert "999 EUR" not in sent_to(harness, SUPPORT)

        await press(harness, "Approve")
        answer = await said(harness, root, f"Reviewed by <@{CHIARA}>")
        await harness.settled()
        settled = await card_saying(harness, f"Approved by <@{CHIARA}>")

    assert note["ts"] == answer["ts"]
    assert "999 EUR" in text_of(answer)
    assert 1 == len(harness.said(root))
    assert ["Keep this answer"] == labels_of(settled)
    assert 2 == sum("response_format" not in request for request in groq.requests)


async def test_an_edited_answer_appears_in_the_reviewers_words(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        view = await form(harness, "Edit…")
        assert DRAFT in str(view["blocks"])
        text = "It is 145 EUR [1][9], see https://intranet.example/travel. <!channel>"
        await harness.playground.person(CHIARA).submit(view, {"review_edited:0": text})
        answer = await said(harness, root, f"Reviewed by <@{CHIARA}>")
        await harness.settled()

    linked = "[https://intranet.example/travel](https://intranet.example/travel)"
    assert f"It is 145 EUR [1], see {linked}." in text_of(answer)
    assert "999 EUR" not in sent_to(harness, SUPPORT)
    assert "<!channel>" not in sent_to(harness, SUPPORT)
    assert "I am not sure" not in text_of(answer)


async def test_a_rejection_says_why(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        view = await form(harness, "Reject…")
        await harness.playground.person(CHIARA).submit(view, {"review_rejected": "Ask the travel desk."})
        answer = await said(harness, root, "Ask the travel desk.")
        await card_saying(harness, f"Rejected by <@{CHIARA}>")
        await harness.settled()

    assert "did not confirm" in text_of(answer)
    assert "999 EUR" not in sent_to(harness, SUPPORT)
    assert 1 == len(harness.said(root))


async def test_what_nobody_decides_in_time_is_shown_with_a_caveat(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, cadence=OFTEN):
        root = await harness.ask(HOTEL)
        await open_card(harness)
        async with harness.owning() as owner:
            await owner.execute("UPDATE asks SET due_at = now()")
        answer = await said(harness, root, "No colleague could look at this in time.")
        await card_saying(harness, "Nobody decided in time")
        await harness.settled()

    assert "999 EUR" in text_of(answer)
    assert "please check the sources" in text_of(answer)
    assert 1 == len(harness.said(root))


async def test_a_new_question_is_answered_while_a_review_waits_and_both_end(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        await said(harness, root, WAITING)
        await open_card(harness)
        await harness.ask(PORTO, root=root)
        await said(harness, root, "25")

        await press(harness, "Approve")
        await said(harness, root, f"Reviewed by <@{CHIARA}>")
        await harness.settled()

    assert 2 == len(harness.said(root))
    assert "999 EUR" in text_of(harness.said(root)[0])


async def test_of_twenty_decisions_at_once_one_counts_and_the_others_are_explained(
    harness: Harness, groq: GroqServer
) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        card = await open_card(harness)
        people = [harness.playground.person(one) for one in (CHIARA, DEV)] * 10
        await asyncio.gather(*(one.click(PEOPLE, card["ts"], label="Approve") for one in people))
        await said(harness, root, "Reviewed by")

        def explained() -> bool:
            heard = [harness.playground.person(person).ephemerals(PEOPLE) for person in (CHIARA, DEV)]
            # The reviewer who approved gets no message about a second press.
            return [0, 10] == sorted(sum("Approved by" in text_of(one) for one in some) for some in heard)

        await harness.playground.until(explained, timeout=PATIENCE)
        await harness.settled()

    with psycopg.connect(harness.database_url) as connection:
        assert (1,) == connection.execute("SELECT count(*) FROM inbox WHERE kind = 'decision'").fetchone()
    assert 1 == len(harness.said(root))


async def test_who_may_not_decide_and_what_is_forged_is_explained(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, reviewers=DEV):
        root = await harness.ask(HOTEL)
        card = await press(harness, "Approve", person=CHIARA)
        assert await harness.ephemeral(CHIARA, "Only the reviewers")

        forged = [dict(block) for block in card["blocks"]]
        forged[-1] = {**forged[-1], "elements": [{**one, "value": "forged"} for one in forged[-1]["elements"]]}
        kept, card["blocks"] = card["blocks"], forged
        await harness.playground.person(DEV).click(PEOPLE, card["ts"], label="Approve")
        assert await harness.ephemeral(DEV, "do not know this review")

        card["blocks"] = kept
        await press(harness, "Approve", person=DEV)
        await said(harness, root, f"Reviewed by <@{DEV}>")


async def test_people_of_another_company_ask_nobody_and_decide_nothing(harness: Harness) -> None:
    workspace = harness.playground.workspace
    workspace.members["U0EVE"] = Member(id="U0EVE", name="eve", real_name="Eve", team_id="T9ACME")
    for channel in (SUPPORT, PEOPLE):
        workspace.channels[channel].members.append("U0EVE")
    eve = harness.playground.person("U0EVE")
    async with reviewed(harness):
        root = await harness.ask(PORTO)
        (answer,) = await harness.answers(root)
        await harness.settled()
        await eve.click(SUPPORT, answer["ts"], label="Ask a human")
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        card = await open_card(harness)
        for label in ("Approve", "Edit…", "Reject…"):
            await eve.click(PEOPLE, card["ts"], label=label)
        await harness.playground.until(lambda: 4 == len(eve.ephemerals()), timeout=PATIENCE)
        await harness.settled()

    assert all("people of the company that I work for" in text_of(one) for one in eve.ephemerals())
    assert eve.open_view is None
    assert ["open"] == statuses(harness)


async def test_a_changed_choice_closes_the_review_of_the_earlier_answer(harness: Harness) -> None:
    async with reviewed(harness):
        root, settled, answer = await chosen(harness)
        await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        await open_card(harness)
        await said(harness, root, "A colleague was asked")

        await change(harness, settled, "Porto")

        await said(harness, root, "25")
        await card_saying(harness, "nobody needs to decide this")
        await harness.settled()

    assert ["superseded", "offered"] == statuses(harness)


async def test_a_deleted_question_takes_its_review_along(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        await said(harness, root, WAITING)
        card = await open_card(harness)
        stale = list(card["blocks"])

        await harness.playground.person(ADA).delete(SUPPORT, root)

        settled = await card_saying(harness, "nobody needs to decide this")
        await harness.playground.until(lambda: not harness.said(root), timeout=PATIENCE)
        settled["blocks"] = stale
        await harness.playground.person(CHIARA).click(PEOPLE, card["ts"], label="Approve")
        assert await harness.ephemeral(CHIARA, "nobody needs to decide this")
        await harness.settled()

    assert [] == harness.said(root)
    assert ["superseded"] == statuses(harness)


async def test_an_edited_question_closes_its_review_and_is_answered_anew(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        note = await said(harness, root, WAITING)
        await open_card(harness)

        bot = harness.playground.bot_user_id
        await harness.playground.person(ADA).edit(SUPPORT, root, f"<@{bot}> {PORTO}")

        answer = await said(harness, root, "25")
        await card_saying(harness, "nobody needs to decide this")
        await harness.settled()

    assert note["ts"] == answer["ts"]
    assert ["superseded", "offered"] == statuses(harness)


async def test_where_the_bot_may_not_post_to_the_reviewers_the_answer_comes_with_the_caveat(
    harness: Harness, groq: GroqServer
) -> None:
    async with reviewed(harness, groq, review_channel="C0RANDOM"):
        root = await harness.ask(HOTEL)
        answer = await said(harness, root, "No colleague could look at this in time.")
        await harness.settled()

    assert "please check the sources" in text_of(answer)


async def test_killed_while_a_review_waits_the_decision_still_ends_it(harness: Harness, groq: GroqServer) -> None:
    async with harness.bot_process(**environment(groq)) as process:
        root = await harness.ask(HOTEL)
        await said(harness, root, WAITING)
        await open_card(harness)
        await harness.settled()
        await process.kill()
    async with reviewed(harness, groq):
        await press(harness, "Approve")
        await said(harness, root, f"Reviewed by <@{CHIARA}>")
        await harness.settled()

    assert 1 == len(harness.said(root))
    assert 1 == len(cards(harness))


async def test_killed_right_after_a_decision_was_claimed_another_applies_it(harness: Harness, groq: GroqServer) -> None:
    async with harness.bot_process(**environment(groq)) as process:
        root = await harness.ask(HOTEL)
        await said(harness, root, WAITING)
        await open_card(harness)
        await harness.settled()
        async with held_back(harness):
            await press(harness, "Approve")
            await until_held_back(harness)
            await process.kill()
    async with reviewed(harness, groq):
        await said(harness, root, f"Reviewed by <@{CHIARA}>")
        await harness.settled()

    assert 1 == len(harness.said(root))
    assert ["approved"] == statuses(harness)


async def test_killed_after_slack_took_a_card_and_before_we_knew_it_is_not_posted_twice(
    harness: Harness, groq: GroqServer
) -> None:
    async with harness.bot_process(**environment(groq)) as process, unrecordable(harness):
        root = await harness.ask(HOTEL)
        await open_card(harness)
        await process.kill()
    async with reviewed(harness, groq):
        await harness.settled()
        await press(harness, "Approve")
        await said(harness, root, f"Reviewed by <@{CHIARA}>")

    assert 1 == len(cards(harness))


async def test_a_colleague_is_asked_about_an_answer_once_and_edits_it_in_place(harness: Harness) -> None:
    async with reviewed(harness):
        root = await harness.ask(PORTO)
        (answer,) = await harness.answers(root)
        assert "Ask a human" in labels_of(answer)
        stale = list(answer["blocks"])
        await harness.settled()
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        shown = await said(harness, root, "A colleague was asked")
        assert [] == labels_of(shown)
        shown["blocks"] = stale
        await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        assert await harness.ephemeral(ADA, f"<@{BEN}> has asked already")

        view = await form(harness, "Edit…")
        await harness.playground.person(CHIARA).submit(view, {"review_edited:0": "It is 26 days since May [1]."})
        edited = await said(harness, root, f"Reviewed by <@{CHIARA}>")
        await harness.settled()
        follow_up = await harness.say("And in Hamburg?", root)
        await said(harness, root, "30")

    assert follow_up
    assert answer["ts"] == edited["ts"]
    assert "26 days since May" in text_of(edited)
    assert 1 == len(cards(harness))


async def test_what_an_answer_stands_on_stays_below_it_while_a_colleague_looks_at_it(harness: Harness) -> None:
    async with reviewed(harness):
        await chosen(harness, "Porto")
        root = await harness.ask(AMBIGUOUS)
        (answer,) = await harness.answers(root)
        await harness.settled()
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        asked_about = text_of(await said(harness, root, "A colleague was asked"))
        await press(harness, "Approve")
        approved = await said(harness, root, f"Reviewed by <@{CHIARA}>")
        assert [True, True] == ["Assumed Porto, as last time" in one for one in (asked_about, text_of(approved))]

        await change(harness, approved, "Hamburg")
        changed = await said(harness, root, "Revised: *Hamburg* instead of *Porto*")
        await harness.settled()
        await harness.playground.person(BEN).click(SUPPORT, changed["ts"], label="Ask a human")
        asked_about = text_of(await said(harness, root, "A colleague was asked"))
        await harness.settled()

    assert "Revised: *Hamburg* instead of *Porto*" in asked_about
    assert 1 == len(harness.said(root))


async def test_a_colleague_is_asked_where_nothing_was_found_only_if_there_is_one(harness: Harness) -> None:
    sauna = "Is there a sauna at the office?"
    async with reviewed(harness):
        root = await harness.ask(sauna)
        (answer,) = await harness.answers(root)
        assert "“Ask a human”" in text_of(answer)
        await harness.settled()
        await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        await form(harness, "Edit…")
    async with harness.bot():
        other = await harness.ask(sauna)
        (answer,) = await harness.answers(other)

    assert "Ask a human" not in text_of(answer)
    assert [] == labels_of(answer)
