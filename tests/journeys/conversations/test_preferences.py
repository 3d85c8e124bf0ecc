"""A person's earlier choice is assumed the next time, and named; the person can change it, or be asked again."""

import psycopg
import pytest

from tests.journeys.changes.test_changes import answer_holding
from tests.journeys.changes.test_revisions import AMBIGUOUS, change, chosen, settled_card
from tests.journeys.harness import ADA, BEN, PATIENCE, Harness, Message, is_open_card, labels_of, text_of

ASSUMED = "as last time"


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def assumed(harness: Harness, *, person: str = ADA, channel: str = "C0SUPPORT") -> tuple[str, Message]:
    """Ask the same question again in another thread, and wait for the answer that names the assumption."""
    root = await harness.ask(AMBIGUOUS, person=person, channel=channel)
    (answer,) = await harness.answers(root, channel=channel)
    await harness.settled()
    return root, answer


async def test_what_was_chosen_is_assumed_the_next_time_and_said(harness: Harness) -> None:
    await chosen(harness, "Porto")

    root, answer = await assumed(harness)

    assert "Assumed Porto, as last time." in text_of(answer)
    assert "25" in text_of(answer)
    assert 1 == len(harness.said(root))


async def test_what_was_chosen_in_a_direct_message_is_not_told_in_a_channel(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS, channel="D0ADA")
    await harness.click(root, "Porto", channel="D0ADA")
    await harness.answers(root, channel="D0ADA")
    await harness.settled()

    assert {"Porto", "Hamburg"} < set(labels_of(await harness.card(await harness.ask(AMBIGUOUS))))
    assert "Assumed Porto, as last time." in text_of((await assumed(harness, channel="D0ADA"))[1])


async def test_what_was_chosen_for_one_subject_is_not_assumed_for_another(harness: Harness) -> None:
    await chosen(harness, "Porto")

    other = await harness.card(await harness.ask("How much does parking cost?"))
    same = await harness.ask("When do carried-over vacation days expire?")

    assert {"Porto", "Hamburg"} < set(labels_of(other))
    (answer,) = await harness.answers(same)
    assert "Assumed Porto, as last time." in text_of(answer)


async def test_an_assumption_is_changed_below_the_answer_and_the_change_is_remembered(harness: Harness) -> None:
    await chosen(harness, "Porto")
    root, before = await assumed(harness)

    await change(harness, before, "Hamburg")

    after = await answer_holding(harness, root, "Revised: *Hamburg* instead of *Porto*")
    assert (before["ts"], True) == (after["ts"], "30" in text_of(after))
    await harness.settled()
    await change(harness, after, "Porto")
    await answer_holding(harness, root, "Revised: *Porto* instead of *Hamburg*")
    await harness.settled()
    assert "Assumed Porto" in text_of((await assumed(harness))[1])


async def test_who_wants_to_be_asked_is_asked(harness: Harness) -> None:
    await chosen(harness, "Porto")
    _, answer = await assumed(harness)

    await change(harness, answer, "Ask me next time", person=BEN)
    await harness.ephemeral(BEN, "Only the person who asked")
    await change(harness, answer, "Ask me next time")
    await harness.ephemeral(ADA, "Next time I will ask you")

    assert is_open_card(await harness.card(await harness.ask(AMBIGUOUS)))


async def test_what_others_chose_for_somebody_and_what_was_typed_freely_is_not_remembered(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Porto", person=BEN)
    await settled_card(harness, root, "chose *Porto*")
    await harness.settled()

    for person in (ADA, BEN):
        asked = await harness.ask(AMBIGUOUS, person=person)
        assert is_open_card(await harness.card(asked))
        await harness.say("I am with the warehouse team", asked, person=person)
        await harness.settled()
    assert is_open_card(await harness.card(await harness.ask(AMBIGUOUS)))


async def test_the_answer_for_an_assumption_goes_with_its_question(harness: Harness) -> None:
    await chosen(harness, "Porto")
    root, answer = await assumed(harness)
    await change(harness, answer, "Hamburg")
    await answer_holding(harness, root, "Revised: *Hamburg*")

    await harness.playground.person(ADA).delete("C0SUPPORT", root)

    await harness.playground.until(lambda: not harness.said(root), timeout=PATIENCE)
    await harness.settled()
    with psycopg.connect(harness.database_url) as connection:
        assert {"superseded", "decided"} == {
            status
            for (status,) in connection.execute("SELECT status FROM asks WHERE kind = 'clarification'").fetchall()
        }
