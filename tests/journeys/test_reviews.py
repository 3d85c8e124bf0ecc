"""A draft that falls short is seen by a colleague before it is seen by the asker, and ends as they decide."""

import asyncio
from collections.abc import AsyncGenerator

import psycopg
import pytest

from bot.conversation.schedule.scheduler import Cadence
from playground.state.workspace import Member
from tests.journeys.desk import (
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
from tests.journeys.holding import held_back, until_held_back
from tests.journeys.test_revisions import AMBIGUOUS, change, chosen
from tests.journeys.town import ADA, BEN, PATIENCE, SUPPORT, Town, labels_of, text_of
from tests.models.groq_server import GroqServer

OFTEN = Cadence(deadlines="* * * * * *", pruning="* * * * * *", poll_seconds=0.1)
WAITING = "A colleague looks at it first"


@pytest.fixture
async def groq() -> AsyncGenerator[GroqServer]:
    """A model whose drafts about hotels fall short."""
    async with GroqServer.serve(unsure) as server:
        yield server


def sent_to(town: Town, channel: str) -> str:
    """Return all that was ever sent to a channel."""
    return str([call.arguments for call in town.playground.calls() if call.arguments.get("channel") == channel])


def statuses(town: Town) -> list[str]:
    """Return how the reviews stand, in order."""
    with psycopg.connect(town.database_url) as connection:
        rows = connection.execute(
            "SELECT CASE status WHEN 'decided' THEN decision ->> 'kind' ELSE status END FROM asks"
            " WHERE kind = 'review' ORDER BY id"
        ).fetchall()
    return [status for (status,) in rows]


async def test_nobody_sees_a_draft_that_falls_short_before_a_colleague_approves_it(
    town: Town, groq: GroqServer
) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        note = await said(town, root, WAITING)
        card = await open_card(town)
        assert [] == [part for part in (HOTEL, "999 EUR", ISSUE) if part not in text_of(card)]
        assert "more than its sources" in text_of(card)
        assert "999 EUR" not in sent_to(town, SUPPORT)

        await press(town, "Approve")
        answer = await said(town, root, f"Reviewed by <@{CHIARA}>")
        await town.settled()
        settled = await card_saying(town, f"Approved by <@{CHIARA}>")

    assert note["ts"] == answer["ts"]
    assert "999 EUR" in text_of(answer)
    assert 1 == len(town.said(root))
    assert [] == labels_of(settled)
    assert 2 == sum("response_format" not in request for request in groq.requests)


async def test_an_edited_answer_appears_in_the_reviewers_words(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        view = await form(town, "Edit…")
        assert DRAFT in str(view["blocks"])
        text = "It is 145 EUR [1][9], see https://intranet.example/travel. <!channel>"
        await town.playground.person(CHIARA).submit(view, {"review_edited:0": text})
        answer = await said(town, root, f"Reviewed by <@{CHIARA}>")
        await town.settled()

    linked = "[https://intranet.example/travel](https://intranet.example/travel)"
    assert f"It is 145 EUR [1], see {linked}." in text_of(answer)
    assert "999 EUR" not in sent_to(town, SUPPORT)
    assert "<!channel>" not in sent_to(town, SUPPORT)
    assert "I am not sure" not in text_of(answer)


async def test_a_rejection_says_why(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        view = await form(town, "Reject…")
        await town.playground.person(CHIARA).submit(view, {"review_rejected": "Ask the travel desk."})
        answer = await said(town, root, "Ask the travel desk.")
        await card_saying(town, f"Rejected by <@{CHIARA}>")
        await town.settled()

    assert "did not confirm" in text_of(answer)
    assert "999 EUR" not in sent_to(town, SUPPORT)
    assert 1 == len(town.said(root))


async def test_what_nobody_decides_in_time_is_shown_with_a_caveat(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq, cadence=OFTEN):
        root = await town.ask(HOTEL)
        await open_card(town)
        with psycopg.connect(town.database_url, autocommit=True) as owner:
            owner.execute("UPDATE asks SET due_at = now()")
        answer = await said(town, root, "No colleague could look at this in time.")
        await card_saying(town, "Nobody decided in time")
        await town.settled()

    assert "999 EUR" in text_of(answer)
    assert "please check the sources" in text_of(answer)
    assert 1 == len(town.said(root))


async def test_a_new_question_is_answered_while_a_review_waits_and_both_end(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        await said(town, root, WAITING)
        await open_card(town)
        await town.ask(PORTO, root=root)
        await said(town, root, "25")

        await press(town, "Approve")
        await said(town, root, f"Reviewed by <@{CHIARA}>")
        await town.settled()

    assert 2 == len(town.said(root))
    assert "999 EUR" in text_of(town.said(root)[0])


async def test_of_twenty_decisions_at_once_one_counts_and_the_others_are_explained(
    town: Town, groq: GroqServer
) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        card = await open_card(town)
        people = [town.playground.person(one) for one in (CHIARA, DEV)] * 10
        await asyncio.gather(*(one.click(PEOPLE, card["ts"], label="Approve") for one in people))
        await said(town, root, "Reviewed by")

        def explained() -> bool:
            heard = [town.playground.person(person).ephemerals(PEOPLE) for person in (CHIARA, DEV)]
            # Who approved hears nothing of having pressed it again.
            return [0, 10] == sorted(sum("Approved by" in text_of(one) for one in some) for some in heard)

        await town.playground.until(explained, timeout=PATIENCE)
        await town.settled()

    with psycopg.connect(town.database_url) as connection:
        assert (1,) == connection.execute("SELECT count(*) FROM inbox WHERE kind = 'ruling'").fetchone()
    assert 1 == len(town.said(root))


async def test_who_may_not_decide_and_what_is_forged_is_explained(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq, reviewers=DEV):
        root = await town.ask(HOTEL)
        card = await press(town, "Approve", person=CHIARA)
        assert await town.whisper(CHIARA, "Only the reviewers")

        forged = [dict(block) for block in card["blocks"]]
        forged[-1] = {**forged[-1], "elements": [{**one, "value": "forged"} for one in forged[-1]["elements"]]}
        kept, card["blocks"] = card["blocks"], forged
        await town.playground.person(DEV).click(PEOPLE, card["ts"], label="Approve")
        assert await town.whisper(DEV, "do not know this review")

        card["blocks"] = kept
        await press(town, "Approve", person=DEV)
        await said(town, root, f"Reviewed by <@{DEV}>")


async def test_people_of_another_company_ask_nobody_and_decide_nothing(town: Town) -> None:
    workspace = town.playground.workspace
    workspace.members["U0EVE"] = Member(id="U0EVE", name="eve", real_name="Eve", team_id="T9ACME")
    for channel in (SUPPORT, PEOPLE):
        workspace.channels[channel].members.append("U0EVE")
    eve = town.playground.person("U0EVE")
    async with reviewed(town):
        root = await town.ask(PORTO)
        (answer,) = await town.answers(root)
        await town.settled()
        await eve.click(SUPPORT, answer["ts"], label="Ask a human")
        await town.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        card = await open_card(town)
        for label in ("Approve", "Edit…", "Reject…"):
            await eve.click(PEOPLE, card["ts"], label=label)
        await town.playground.until(lambda: 4 == len(eve.ephemerals()), timeout=PATIENCE)
        await town.settled()

    assert all("people of the company that I work for" in text_of(one) for one in eve.ephemerals())
    assert eve.open_view is None
    assert ["open"] == statuses(town)


async def test_a_changed_choice_closes_the_review_of_the_earlier_answer(town: Town) -> None:
    async with reviewed(town):
        root, settled, answer = await chosen(town)
        await town.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        await open_card(town)
        await said(town, root, "A colleague was asked")

        await change(town, settled, "Porto")

        await said(town, root, "25")
        await card_saying(town, "needs nobody any more")
        await town.settled()

    assert ["superseded", "offered"] == statuses(town)


async def test_a_deleted_question_takes_its_review_along(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        await said(town, root, WAITING)
        card = await open_card(town)
        stale = list(card["blocks"])

        await town.playground.person(ADA).delete(SUPPORT, root)

        settled = await card_saying(town, "needs nobody any more")
        await town.playground.until(lambda: not town.said(root), timeout=PATIENCE)
        settled["blocks"] = stale
        await town.playground.person(CHIARA).click(PEOPLE, card["ts"], label="Approve")
        assert await town.whisper(CHIARA, "needs nobody any more")
        await town.settled()

    assert [] == town.said(root)
    assert ["superseded"] == statuses(town)


async def test_an_edited_question_closes_its_review_and_is_answered_anew(town: Town, groq: GroqServer) -> None:
    async with reviewed(town, groq):
        root = await town.ask(HOTEL)
        note = await said(town, root, WAITING)
        await open_card(town)

        bot = town.playground.bot_user_id
        await town.playground.person(ADA).edit(SUPPORT, root, f"<@{bot}> {PORTO}")

        answer = await said(town, root, "25")
        await card_saying(town, "needs nobody any more")
        await town.settled()

    assert note["ts"] == answer["ts"]
    assert ["superseded", "offered"] == statuses(town)


async def test_where_the_bot_may_not_post_to_the_reviewers_the_answer_comes_with_the_caveat(
    town: Town, groq: GroqServer
) -> None:
    async with reviewed(town, groq, review_channel="C0RANDOM"):
        root = await town.ask(HOTEL)
        answer = await said(town, root, "No colleague could look at this in time.")
        await town.settled()

    assert "please check the sources" in text_of(answer)


async def test_killed_while_a_review_waits_the_decision_still_ends_it(town: Town, groq: GroqServer) -> None:
    async with town.bot_process(**environment(groq)) as process:
        root = await town.ask(HOTEL)
        await said(town, root, WAITING)
        await open_card(town)
        await town.settled()
        await process.kill()
    async with reviewed(town, groq):
        await press(town, "Approve")
        await said(town, root, f"Reviewed by <@{CHIARA}>")
        await town.settled()

    assert 1 == len(town.said(root))
    assert 1 == len(cards(town))


async def test_killed_right_after_a_decision_was_claimed_another_applies_it(town: Town, groq: GroqServer) -> None:
    async with town.bot_process(**environment(groq)) as process:
        root = await town.ask(HOTEL)
        await said(town, root, WAITING)
        await open_card(town)
        await town.settled()
        async with held_back(town):
            await press(town, "Approve")
            await until_held_back(town)
            await process.kill()
    async with reviewed(town, groq):
        await said(town, root, f"Reviewed by <@{CHIARA}>")
        await town.settled()

    assert 1 == len(town.said(root))
    assert ["approved"] == statuses(town)


async def test_killed_after_slack_took_a_card_and_before_we_knew_it_is_not_posted_twice(
    town: Town, groq: GroqServer
) -> None:
    async with town.bot_process(**environment(groq)) as process, unrecordable(town):
        root = await town.ask(HOTEL)
        await open_card(town)
        await process.kill()
    async with reviewed(town, groq):
        await town.settled()
        await press(town, "Approve")
        await said(town, root, f"Reviewed by <@{CHIARA}>")

    assert 1 == len(cards(town))


async def test_a_colleague_is_asked_about_an_answer_once_and_edits_it_in_place(town: Town) -> None:
    async with reviewed(town):
        root = await town.ask(PORTO)
        (answer,) = await town.answers(root)
        assert ["Ask a human"] == labels_of(answer)
        stale = list(answer["blocks"])
        await town.settled()
        await town.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        shown = await said(town, root, "A colleague was asked")
        assert [] == labels_of(shown)
        shown["blocks"] = stale
        await town.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        assert await town.whisper(ADA, f"<@{BEN}> has asked already")

        view = await form(town, "Edit…")
        await town.playground.person(CHIARA).submit(view, {"review_edited:0": "It is 26 days since May [1]."})
        edited = await said(town, root, f"Reviewed by <@{CHIARA}>")
        await town.settled()
        follow_up = await town.say("And in Hamburg?", root)
        await said(town, root, "30")

    assert follow_up
    assert answer["ts"] == edited["ts"]
    assert "26 days since May" in text_of(edited)
    assert 1 == len(cards(town))


async def test_what_an_answer_stands_on_stays_below_it_while_a_colleague_looks_at_it(town: Town) -> None:
    async with reviewed(town):
        await chosen(town, "Porto")
        root = await town.ask(AMBIGUOUS)
        (answer,) = await town.answers(root)
        await town.settled()
        await town.playground.person(BEN).click(SUPPORT, answer["ts"], label="Ask a human")
        asked_about = text_of(await said(town, root, "A colleague was asked"))
        await press(town, "Approve")
        approved = await said(town, root, f"Reviewed by <@{CHIARA}>")
        assert [True, True] == ["Assumed Porto, as last time" in one for one in (asked_about, text_of(approved))]

        await change(town, approved, "Hamburg")
        changed = await said(town, root, "Revised: *Hamburg* instead of *Porto*")
        await town.settled()
        await town.playground.person(BEN).click(SUPPORT, changed["ts"], label="Ask a human")
        asked_about = text_of(await said(town, root, "A colleague was asked"))
        await town.settled()

    assert "Revised: *Hamburg* instead of *Porto*" in asked_about
    assert 1 == len(town.said(root))


async def test_a_colleague_is_asked_where_nothing_was_found_only_if_there_is_one(town: Town) -> None:
    sauna = "Is there a sauna at the office?"
    async with reviewed(town):
        root = await town.ask(sauna)
        (answer,) = await town.answers(root)
        assert "“Ask a human”" in text_of(answer)
        await town.settled()
        await town.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
        await form(town, "Edit…")
    async with town.bot():
        other = await town.ask(sauna)
        (answer,) = await town.answers(other)

    assert "Ask a human" not in text_of(answer)
    assert [] == labels_of(answer)
