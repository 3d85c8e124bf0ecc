"""After a changed choice, the same message shows the new answer once, and the thread continues from it."""

import psycopg
import pytest

from bot.conversation.schedule import Cadence
from tests.journeys.changes.test_changes import AMBIGUOUS, HOTEL, answer_holding, delete, edit, nothing_said
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, is_answer, text_of, until
from tests.journeys.holding import held_back, until_held_back

OFTEN = Cadence(deadlines_seconds=0.2, pruning_seconds=0.2)


@pytest.fixture
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def settled_card(harness: Harness, root: str, saying: str) -> Message:
    """Wait until the thread's card shows the choice."""

    def there() -> list[Message]:
        return [one for one in harness.said(root) if not is_answer(one) and saying in text_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[0]


async def chosen(harness: Harness, label: str = "Hamburg") -> tuple[str, Message, Message]:
    """Ask an ambiguous question, and choose; return the thread, its card, and the answer."""
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, label)
    card = await settled_card(harness, root, f"chose *{label}*")
    (answer,) = await harness.answers(root)
    await harness.settled()
    return root, card, answer


async def change(harness: Harness, card: Message, label: str, *, person: str = ADA) -> None:
    """Choose again in a message's menu."""
    await harness.playground.person(person).click(SUPPORT, card["ts"], label=label)


def kinds(harness: Harness, kind: str) -> int:
    """Count the items of a kind."""
    with psycopg.connect(harness.database_url) as connection:
        row = connection.execute("SELECT count(*) FROM inbox WHERE kind = %s", (kind,)).fetchone()
        return row[0] if row else 0


@pytest.mark.usefixtures("bot")
async def test_a_changed_choice_is_answered_in_the_same_message_and_the_thread_goes_on_from_it(
    harness: Harness,
) -> None:
    root, card, before = await chosen(harness)

    await change(harness, card, "Porto", person=BEN)

    after = await answer_holding(harness, root, "Revised: *Porto* instead of *Hamburg*")
    assert (before["ts"], True) == (after["ts"], "25" in text_of(after))
    assert f"<@{BEN}>" in text_of(after)
    await settled_card(harness, root, f"<@{BEN}> chose *Porto*")
    await harness.settled()
    assert 2 == len(harness.said(root))
    await harness.say("And in Hamburg?", root)
    (*_, follow_up) = await harness.answers(root, 2)
    assert "30" in text_of(follow_up)


@pytest.mark.usefixtures("bot")
async def test_of_twenty_changes_at_once_one_counts(harness: Harness) -> None:
    root, card, _ = await chosen(harness)
    people = [ADA, BEN]

    for number in range(20):
        await change(harness, card, "Porto", person=people[number % 2])

    await answer_holding(harness, root, "Revised: *Porto*")

    def explained() -> list[Message]:
        return [one for person in people for one in harness.playground.person(person).ephemerals()]

    # The person who changed it gets no message about a second press.
    await harness.playground.until(lambda: 10 == len(explained()), timeout=PATIENCE)
    await harness.settled()
    assert (1, 10) == (kinds(harness, "revision"), len(explained()))
    assert 1 == len({one["visible_to"] for one in explained()})
    assert all("already answered this with *Porto*" in text_of(one) for one in explained())
    assert 2 == len(harness.said(root))


@pytest.mark.usefixtures("bot")
async def test_a_change_of_what_was_changed_meanwhile_is_explained(harness: Harness) -> None:
    root, card, _ = await chosen(harness)
    held = [dict(block) for block in card["blocks"]]
    await change(harness, card, "Porto")
    await answer_holding(harness, root, "Revised: *Porto*")
    await harness.settled()
    again = await settled_card(harness, root, "chose *Porto*")
    await change(harness, again, "Hamburg")
    await answer_holding(harness, root, "Revised: *Hamburg*")
    await harness.settled()

    # The click of a person whose client still shows the old card.
    (await settled_card(harness, root, "chose *Hamburg*"))["blocks"] = held
    await change(harness, card, "Porto", person=BEN)

    await harness.ephemeral(BEN, "already answered this with *Hamburg*")
    assert 2 == kinds(harness, "revision")


@pytest.mark.usefixtures("bot")
async def test_something_else_may_be_chosen_instead(harness: Harness) -> None:
    root, card, before = await chosen(harness)
    await change(harness, card, "Something else…")
    ada = harness.playground.person(ADA)
    view = await harness.playground.until(lambda: ada.open_view)

    await ada.submit(view, {"typed_answer": "the one in Porto"})

    after = await answer_holding(harness, root, "Revised: *the one in Porto* instead of *Hamburg*")
    assert (before["ts"], True) == (after["ts"], "25" in text_of(after))


@pytest.mark.usefixtures("bot")
async def test_a_typed_choice_is_changed_and_editing_its_words_changes_nothing_more(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)
    reply = await harness.say("the Hamburg one", root)
    await harness.answers(root)
    await harness.settled()
    await change(harness, await settled_card(harness, root, "chose *Hamburg*"), "Porto")
    await answer_holding(harness, root, "Revised: *Porto*")
    await harness.settled()

    await edit(harness, reply, "the one in Hamburg, please", mention=False)
    await harness.settled()

    assert 2 == len(harness.said(root))
    await answer_holding(harness, root, "Revised: *Porto*")


async def test_a_choice_is_changed_after_a_restart_and_after_its_checkpoints_are_gone(harness: Harness) -> None:
    async with harness.bot():
        root, card, before = await chosen(harness)

    async with harness.bot(cadence=OFTEN, prune_after_hours=0):
        await until(lambda: is_pruned(harness))
        await change(harness, card, "Porto")
        after = await answer_holding(harness, root, "Revised: *Porto* instead of *Hamburg*")

    assert before["ts"] == after["ts"]


@pytest.mark.usefixtures("bot")
async def test_a_question_is_edited_and_deleted_after_its_choice_was_changed(harness: Harness) -> None:
    root, card, before = await chosen(harness)
    await change(harness, card, "Porto")
    await answer_holding(harness, root, "Revised: *Porto*")
    await harness.settled()

    await edit(harness, root, HOTEL)
    after = await answer_holding(harness, root, "145 EUR")
    await harness.settled()
    assert (before["ts"], 1) == (after["ts"], len(harness.said(root)))

    await delete(harness, root)
    await nothing_said(harness, root)


@pytest.mark.usefixtures("bot")
async def test_a_question_that_is_deleted_after_its_choice_was_changed_takes_all_along(harness: Harness) -> None:
    root, card, _ = await chosen(harness)
    await change(harness, card, "Porto")
    await answer_holding(harness, root, "Revised: *Porto*")

    await delete(harness, root)

    await nothing_said(harness, root)
    await harness.settled()


async def test_what_was_assumed_for_want_of_an_answer_may_be_changed(harness: Harness) -> None:
    async with harness.bot(cadence=OFTEN, remind_after_seconds=3600, expire_after_seconds=0.5):
        root = await harness.ask(AMBIGUOUS)
        card = await settled_card(harness, root, "Nobody answered.")
        (before,) = await harness.answers(root)
        await harness.settled()
        other = "Porto" if "*Hamburg*" in text_of(card) else "Hamburg"

        await change(harness, card, other)

        after = await answer_holding(harness, root, f"Revised: *{other}*, chosen by <@{ADA}>")
        await harness.settled()
    assert (before["ts"], 2) == (after["ts"], len(harness.said(root)))


async def test_killed_in_the_middle_of_a_change_another_brings_it_to_its_end(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root, card, before = await chosen(harness)
        async with held_back(harness):
            await change(harness, card, "Porto")
            await until_held_back(harness)
            await process.kill()
    async with harness.bot():
        after = await answer_holding(harness, root, "Revised: *Porto* instead of *Hamburg*")
        await harness.settled()

    assert (before["ts"], 2) == (after["ts"], len(harness.said(root)))


async def test_after_the_time_for_it_a_change_is_explained(harness: Harness) -> None:
    async with harness.bot(change_within_days=1e-9):
        root, card, _ = await chosen(harness)

        await change(harness, card, "Porto")

        await harness.ephemeral(ADA, "too long ago")
        await harness.settled()
    assert (0, 2) == (kinds(harness, "revision"), len(harness.said(root)))


async def is_pruned(harness: Harness) -> bool:
    """Tell whether each thread has only its latest checkpoint."""
    async with await psycopg.AsyncConnection.connect(harness.database_url) as connection:
        cursor = await connection.execute("SELECT count(*) FROM checkpoints GROUP BY thread_id HAVING count(*) > 1")
        return await cursor.fetchone() is None
