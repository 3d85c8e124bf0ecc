"""People change what they chose: the same message says the other thing, once, and the thread goes on from there."""

import psycopg
import pytest

from bot.conversation.schedule.scheduler import Cadence
from tests.journeys.holding import held_back, until_held_back
from tests.journeys.test_changes import AMBIGUOUS, HOTEL, answer_holding, delete, edit, nothing_said
from tests.journeys.town import ADA, BEN, PATIENCE, SUPPORT, Message, Town, is_answer, text_of, until

OFTEN = Cadence(deadlines="* * * * * *", pruning="* * * * * *", poll_seconds=0.1)


@pytest.fixture
async def bot(town: Town):  # noqa: ANN201
    """The bot, in this process."""
    async with town.bot():
        yield


async def settled_card(town: Town, root: str, saying: str) -> Message:
    """Wait until the thread's card says what was chosen."""

    def there() -> list[Message]:
        return [one for one in town.said(root) if not is_answer(one) and saying in text_of(one)]

    return (await town.playground.until(there, timeout=PATIENCE))[0]


async def chosen(town: Town, label: str = "Hamburg") -> tuple[str, Message, Message]:
    """Ask what is ambiguous, and choose; return the thread, its card, and the answer."""
    root = await town.ask(AMBIGUOUS)
    await town.click(root, label)
    card = await settled_card(town, root, f"chose *{label}*")
    (answer,) = await town.answers(root)
    await town.settled()
    return root, card, answer


async def change(town: Town, card: Message, label: str, *, person: str = ADA) -> None:
    """Choose again in a message's menu."""
    await town.playground.person(person).click(SUPPORT, card["ts"], label=label)


def kinds(town: Town, kind: str) -> int:
    """Count the items of a kind."""
    with psycopg.connect(town.database_url) as connection:
        row = connection.execute("SELECT count(*) FROM inbox WHERE kind = %s", (kind,)).fetchone()
        return row[0] if row else 0


@pytest.mark.usefixtures("bot")
async def test_a_changed_choice_is_answered_in_the_same_message_and_the_thread_goes_on_from_it(town: Town) -> None:
    root, card, before = await chosen(town)

    await change(town, card, "Porto", person=BEN)

    after = await answer_holding(town, root, "Revised: *Porto* instead of *Hamburg*")
    assert (before["ts"], True) == (after["ts"], "25" in text_of(after))
    assert f"<@{BEN}>" in text_of(after)
    await settled_card(town, root, f"<@{BEN}> chose *Porto*")
    await town.settled()
    assert 2 == len(town.said(root))
    await town.say("And in Hamburg?", root)
    (*_, follow_up) = await town.answers(root, 2)
    assert "30" in text_of(follow_up)


@pytest.mark.usefixtures("bot")
async def test_of_twenty_changes_at_once_one_counts(town: Town) -> None:
    root, card, _ = await chosen(town)
    people = [ADA, BEN]

    for number in range(20):
        await change(town, card, "Porto", person=people[number % 2])

    await answer_holding(town, root, "Revised: *Porto*")

    def explained() -> list[Message]:
        return [one for person in people for one in town.playground.person(person).ephemerals()]

    # Who changed it hears nothing of having pressed it again.
    await town.playground.until(lambda: 10 == len(explained()), timeout=PATIENCE)
    await town.settled()
    assert (1, 10) == (kinds(town, "revision"), len(explained()))
    assert 1 == len({one["visible_to"] for one in explained()})
    assert all("already answered this with *Porto*" in text_of(one) for one in explained())
    assert 2 == len(town.said(root))


@pytest.mark.usefixtures("bot")
async def test_a_change_of_what_was_changed_meanwhile_is_explained(town: Town) -> None:
    root, card, _ = await chosen(town)
    held = [dict(block) for block in card["blocks"]]
    await change(town, card, "Porto")
    await answer_holding(town, root, "Revised: *Porto*")
    await town.settled()
    again = await settled_card(town, root, "chose *Porto*")
    await change(town, again, "Hamburg")
    await answer_holding(town, root, "Revised: *Hamburg*")
    await town.settled()

    # What somebody sees whose client has not been told yet.
    (await settled_card(town, root, "chose *Hamburg*"))["blocks"] = held
    await change(town, card, "Porto", person=BEN)

    await town.whisper(BEN, "already answered this with *Hamburg*")
    assert 2 == kinds(town, "revision")


@pytest.mark.usefixtures("bot")
async def test_something_else_may_be_chosen_instead(town: Town) -> None:
    root, card, before = await chosen(town)
    await change(town, card, "Something else…")
    ada = town.playground.person(ADA)
    view = await town.playground.until(lambda: ada.open_view)

    await ada.submit(view, {"typed_answer": "the one in Porto"})

    after = await answer_holding(town, root, "Revised: *the one in Porto* instead of *Hamburg*")
    assert (before["ts"], True) == (after["ts"], "25" in text_of(after))


@pytest.mark.usefixtures("bot")
async def test_a_typed_choice_is_changed_and_editing_its_words_changes_nothing_more(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)
    reply = await town.say("the Hamburg one", root)
    await town.answers(root)
    await town.settled()
    await change(town, await settled_card(town, root, "chose *Hamburg*"), "Porto")
    await answer_holding(town, root, "Revised: *Porto*")
    await town.settled()

    await edit(town, reply, "the one in Hamburg, please", mention=False)
    await town.settled()

    assert 2 == len(town.said(root))
    await answer_holding(town, root, "Revised: *Porto*")


async def test_a_choice_is_changed_after_a_restart_and_after_its_checkpoints_are_gone(town: Town) -> None:
    async with town.bot():
        root, card, before = await chosen(town)

    async with town.bot(cadence=OFTEN, prune_after_hours=0):
        await until(lambda: is_pruned(town))
        await change(town, card, "Porto")
        after = await answer_holding(town, root, "Revised: *Porto* instead of *Hamburg*")

    assert before["ts"] == after["ts"]


@pytest.mark.usefixtures("bot")
async def test_a_question_is_edited_and_deleted_after_its_choice_was_changed(town: Town) -> None:
    root, card, before = await chosen(town)
    await change(town, card, "Porto")
    await answer_holding(town, root, "Revised: *Porto*")
    await town.settled()

    await edit(town, root, HOTEL)
    after = await answer_holding(town, root, "145 EUR")
    await town.settled()
    assert (before["ts"], 1) == (after["ts"], len(town.said(root)))

    await delete(town, root)
    await nothing_said(town, root)


@pytest.mark.usefixtures("bot")
async def test_a_question_that_is_deleted_after_its_choice_was_changed_takes_all_along(town: Town) -> None:
    root, card, _ = await chosen(town)
    await change(town, card, "Porto")
    await answer_holding(town, root, "Revised: *Porto*")

    await delete(town, root)

    await nothing_said(town, root)
    await town.settled()


async def test_what_was_assumed_for_want_of_an_answer_may_be_changed(town: Town) -> None:
    async with town.bot(cadence=OFTEN, remind_after_seconds=3600, expire_after_seconds=0.5):
        root = await town.ask(AMBIGUOUS)
        card = await settled_card(town, root, "Nobody answered.")
        (before,) = await town.answers(root)
        await town.settled()
        other = "Porto" if "*Hamburg*" in text_of(card) else "Hamburg"

        await change(town, card, other)

        after = await answer_holding(town, root, f"Revised: *{other}*, chosen by <@{ADA}>")
        await town.settled()
    assert (before["ts"], 2) == (after["ts"], len(town.said(root)))


async def test_killed_in_the_middle_of_a_change_another_brings_it_to_its_end(town: Town) -> None:
    async with town.bot_process() as process:
        root, card, before = await chosen(town)
        async with held_back(town):
            await change(town, card, "Porto")
            await until_held_back(town)
            await process.kill()
    async with town.bot():
        after = await answer_holding(town, root, "Revised: *Porto* instead of *Hamburg*")
        await town.settled()

    assert (before["ts"], 2) == (after["ts"], len(town.said(root)))


async def test_after_the_time_for_it_a_change_is_explained(town: Town) -> None:
    async with town.bot(change_within_days=1e-9):
        root, card, _ = await chosen(town)

        await change(town, card, "Porto")

        await town.whisper(ADA, "too long ago")
        await town.settled()
    assert (0, 2) == (kinds(town, "revision"), len(town.said(root)))


async def is_pruned(town: Town) -> bool:
    """Tell whether every thread has but its latest checkpoint."""
    async with await psycopg.AsyncConnection.connect(town.database_url) as connection:
        cursor = await connection.execute("SELECT count(*) FROM checkpoints GROUP BY thread_id HAVING count(*) > 1")
        return await cursor.fetchone() is None
