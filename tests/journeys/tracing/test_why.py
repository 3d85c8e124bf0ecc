"""“Why this answer?”: an administrator reads in Slack how an answer came about, and nobody else does."""

import json
from dataclasses import replace
from typing import Any

from bot.slack.blocks.run_steps import NOT_KEPT, ONLY_ADMINISTRATORS
from bot.slack.payloads.buttons import WHY_THIS_ANSWER
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message
from tests.journeys.knowledge.test_adding import choose

QUESTION = "What is the limit for a hotel night?"


def let_administer(harness: Harness, person: str) -> None:
    members = harness.playground.workspace.members
    members[person] = replace(members[person], is_admin=True)


async def answered(harness: Harness) -> tuple[str, Message]:
    """Ask, and return the question's ts and the answer."""
    root = await harness.ask(QUESTION)
    (answer,) = await harness.answers(root)
    await harness.settled()
    return root, answer


async def seen(harness: Harness, ts: str, person: str) -> dict[str, Any]:
    """Choose the shortcut on a message; return the modal that opens."""
    who = harness.playground.person(person)
    await who.choose(SUPPORT, ts, WHY_THIS_ANSWER)
    return await harness.playground.until(lambda: who.open_view, timeout=PATIENCE)


async def test_an_administrator_sees_each_step_with_its_numbers(harness: Harness) -> None:
    let_administer(harness, BEN)
    async with harness.bot():
        _, answer = await answered(harness)
        view = await seen(harness, answer["ts"], BEN)

    shown = json.dumps(view, ensure_ascii=False)
    assert QUESTION in shown
    assert [step for step in ("*search*", "*understand*", "*grade*", "*write*", "*finish*") if step not in shown] == []
    assert "0 calls, 0 + 0 tokens" in shown
    assert "Travel policy" in shown
    assert "askback runs show" in shown


async def test_others_and_other_messages_are_told_why_not(harness: Harness) -> None:
    let_administer(harness, BEN)
    async with harness.bot():
        root, answer = await answered(harness)
        of_ada = await choose(harness, answer["ts"], WHY_THIS_ANSWER, person=ADA, channel=SUPPORT)
        of_question = await choose(harness, root, WHY_THIS_ANSWER, person=BEN, channel=SUPPORT)

    assert ONLY_ADMINISTRATORS in of_ada
    assert NOT_KEPT in of_question
    assert harness.playground.person(ADA).open_view is None


async def test_where_the_bot_is_not_its_person_is_told_in_a_direct_message(harness: Harness) -> None:
    async with harness.bot():
        ts = await harness.playground.person(ADA).post("C0RANDOM", "The ladder is in the cellar.")
        told = await choose(harness, ts, WHY_THIS_ANSWER, channel="C0RANDOM")

    assert ONLY_ADMINISTRATORS in told
