"""What a person chose is assumed the next time, and said; they can change it, and be asked again."""

import psycopg
import pytest

from tests.journeys.test_changes import answer_holding
from tests.journeys.test_revisions import AMBIGUOUS, change, chosen, settled_card
from tests.journeys.town import ADA, BEN, PATIENCE, Message, Town, is_open_card, labels_of, text_of

ASSUMED = "as last time"


@pytest.fixture(autouse=True)
async def bot(town: Town):  # noqa: ANN201
    """The bot, in this process."""
    async with town.bot():
        yield


async def assumed(town: Town, *, person: str = ADA, channel: str = "C0SUPPORT") -> tuple[str, Message]:
    """Ask the same again, elsewhere, and wait for the answer that says what was assumed."""
    root = await town.ask(AMBIGUOUS, person=person, channel=channel)
    (answer,) = await town.answers(root, channel=channel)
    await town.settled()
    return root, answer


async def test_what_was_chosen_is_assumed_the_next_time_and_said(town: Town) -> None:
    await chosen(town, "Porto")

    root, answer = await assumed(town)

    assert "Assumed Porto, as last time." in text_of(answer)
    assert "25" in text_of(answer)
    assert 1 == len(town.said(root))


async def test_what_was_chosen_in_a_direct_message_is_not_told_in_a_channel(town: Town) -> None:
    root = await town.ask(AMBIGUOUS, channel="D0ADA")
    await town.click(root, "Porto", channel="D0ADA")
    await town.answers(root, channel="D0ADA")
    await town.settled()

    assert {"Porto", "Hamburg"} < set(labels_of(await town.card(await town.ask(AMBIGUOUS))))
    assert "Assumed Porto, as last time." in text_of((await assumed(town, channel="D0ADA"))[1])


async def test_what_was_chosen_for_one_subject_is_not_assumed_for_another(town: Town) -> None:
    await chosen(town, "Porto")

    other = await town.card(await town.ask("How much does parking cost?"))
    same = await town.ask("When do carried-over vacation days expire?")

    assert {"Porto", "Hamburg"} < set(labels_of(other))
    (answer,) = await town.answers(same)
    assert "Assumed Porto, as last time." in text_of(answer)


async def test_an_assumption_is_changed_below_the_answer_and_the_change_is_remembered(town: Town) -> None:
    await chosen(town, "Porto")
    root, before = await assumed(town)

    await change(town, before, "Hamburg")

    after = await answer_holding(town, root, "Revised: *Hamburg* instead of *Porto*")
    assert (before["ts"], True) == (after["ts"], "30" in text_of(after))
    await town.settled()
    await change(town, after, "Porto")
    await answer_holding(town, root, "Revised: *Porto* instead of *Hamburg*")
    await town.settled()
    assert "Assumed Porto" in text_of((await assumed(town))[1])


async def test_who_wants_to_be_asked_is_asked(town: Town) -> None:
    await chosen(town, "Porto")
    _, answer = await assumed(town)

    await change(town, answer, "Ask me next time", person=BEN)
    await town.whisper(BEN, "Only the person who asked")
    await change(town, answer, "Ask me next time")
    await town.whisper(ADA, "Next time I will ask you")

    assert is_open_card(await town.card(await town.ask(AMBIGUOUS)))


async def test_what_others_chose_for_somebody_and_what_was_typed_freely_is_not_remembered(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.click(root, "Porto", person=BEN)
    await settled_card(town, root, "chose *Porto*")
    await town.settled()

    for person in (ADA, BEN):
        asked = await town.ask(AMBIGUOUS, person=person)
        assert is_open_card(await town.card(asked))
        await town.say("I am with the warehouse team", asked, person=person)
        await town.settled()
    assert is_open_card(await town.card(await town.ask(AMBIGUOUS)))


async def test_the_answer_for_an_assumption_goes_with_its_question(town: Town) -> None:
    await chosen(town, "Porto")
    root, answer = await assumed(town)
    await change(town, answer, "Hamburg")
    await answer_holding(town, root, "Revised: *Hamburg*")

    await town.playground.person(ADA).delete("C0SUPPORT", root)

    await town.playground.until(lambda: not town.said(root), timeout=PATIENCE)
    await town.settled()
    with psycopg.connect(town.database_url) as connection:
        assert {"superseded", "decided"} == {
            status for (status,) in connection.execute("SELECT status FROM asks").fetchall()
        }
