"""Questions that an answer offers as buttons: a click asks one in the thread, once for all people."""

import asyncio
import copy
from pathlib import Path

from tests.journeys.changes.test_revisions import settled_card
from tests.journeys.conversations.test_asking import OFFICES, harness_with_knowledge
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, Message, text_of

QUESTION = "How many vacation days do people in Porto get?"
OFFERED = "What does “Vacation in Porto” say about “How to ask”?"
LABEL = "How to ask (Vacation in Porto)"


def buttons_of(message: Message) -> list[Message]:
    """Return the buttons of the questions that an answer offers."""
    elements = [one for block in message["blocks"] for one in block.get("elements", [])]
    return [one for one in elements if one.get("action_id", "").startswith("follow_up:")]


def offers(message: Message) -> list[str]:
    """Return what these buttons say."""
    return [one["text"]["text"] for one in buttons_of(message)]


async def offering(harness: Harness, channel: str = SUPPORT) -> tuple[str, Message]:
    """Ask, and return the thread and the answer with its offers."""
    root = await harness.ask(QUESTION, channel=channel)
    (answer,) = await harness.answers(root, channel=channel)
    await harness.settled()
    return root, answer


async def test_none_is_offered_if_the_setting_is_off(harness: Harness) -> None:
    async with harness.bot(follow_ups=False):
        _, answer = await offering(harness)

    assert [] == offers(answer)


async def test_a_click_after_a_restart_asks_in_the_thread_and_says_who_asked(harness: Harness) -> None:
    async with harness.bot():
        root, answer = await offering(harness)
    async with harness.bot():
        await harness.playground.person(BEN).click(SUPPORT, answer["ts"], label=LABEL)
        _, second = await harness.answers(root, 2)

    assert LABEL in offers(answer)
    assert OFFERED in [one["accessibility_label"] for one in buttons_of(answer)]
    assert len(offers(answer)) <= 2
    assert f"<@{BEN}> asked: {OFFERED}" in text_of(second)
    assert "Folha" in text_of(second)
    assert "25" not in text_of(second), "It tells this section, not what else holds the words of the title."


async def test_of_many_clicks_one_asks_and_every_other_person_is_told_so(harness: Harness) -> None:
    async with harness.bot():
        root, answer = await offering(harness)
        people = [ADA, BEN]
        await asyncio.gather(
            *(harness.playground.person(who).click(SUPPORT, answer["ts"], label=LABEL) for who in people * 3)
        )
        await harness.answers(root, 2)
        await harness.settled()
        asked = [one for one in harness.said(root) if "asked: " in text_of(one)]
        first = ADA if f"<@{ADA}> asked" in text_of(asked[0]) else BEN
        other = BEN if first == ADA else ADA
        await harness.ephemeral(other, f"<@{first}> has asked this already")

    assert 1 == len(asked)


CANTEEN = (
    "# Canteen\n\n## Lunch\n\nLunch costs 6 EUR and is served at noon.\n\n## Can I park in Porto?\n\nAsk Olga.\n"
    """With a question that names an option of the one that waits."""
)


async def test_a_question_that_waits_is_closed_and_not_answered_by_the_click(tmp_path: Path, database_url: str) -> None:
    documents = {**OFFICES, "canteen.md": CANTEEN}
    async with harness_with_knowledge(documents, tmp_path, database_url) as harness:
        root = await harness.ask("What does lunch cost?")
        (answer,) = await harness.answers(root)
        await harness.ask("How much does a parking space cost?", root=root)
        await harness.card(root)
        await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label=offers(answer)[0])
        await settled_card(harness, root, "A newer message took its place")
        answers = await harness.answers(root, 2)

    assert ["Can I park in Porto?"] == offers(answer)
    assert f"<@{ADA}> asked: Can I park in Porto?" in text_of(answers[-1])


async def test_a_button_that_carries_a_token_is_out_of_date(harness: Harness) -> None:
    async with harness.bot():
        root, answer = await offering(harness)
        await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label=LABEL)
        await harness.answers(root, 2)
        old = copy.deepcopy(harness.playground.deliveries("block_actions")[0].payload)
        old["user"]["id"] = BEN
        old["actions"][0] |= {"value": "q7Zk0_rXbN-4LwTe", "action_ts": "9999999999.000001"}
        harness.playground.deliver(old)
        await harness.ephemeral(BEN, "out of date")
        await harness.settled()

    assert 2 == len(await harness.answers(root, 2))
