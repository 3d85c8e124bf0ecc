"""A muted thread: the bot reads along, and answers only who mentions it."""

import pytest

from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, text_of

HOTEL = "What is the limit for a hotel night?"
AMBIGUOUS = "How many vacation days do I have?"


async def mute(harness: Harness, root: str, command: str = "mute", person: str = ADA) -> None:
    """Let somebody mute a thread, and wait until it is."""
    await harness.ask(command, root=root, person=person)
    await harness.ephemeral(person, "I am quiet in this thread now")


async def muted(harness: Harness, command: str = "mute", person: str = ADA) -> str:
    """Ask, let somebody mute the thread, and return it."""
    root = await harness.ask(HOTEL)
    await harness.answers(root)
    await mute(harness, root, command, person)
    return root


@pytest.mark.parametrize("command", ["mute", "Be quiet!"])
async def test_a_muted_thread_gets_no_answer_without_a_mention_and_one_with_it(harness: Harness, command: str) -> None:
    async with harness.bot():
        root = await muted(harness, command, person=BEN)
        await harness.say("How many vacation days do people in Porto get?", root)
        await harness.settled()
        assert 1 == len(harness.said(root))
        # A mention comes as two events.
        assert 1 == len(harness.playground.calls("chat.postEphemeral"))

        await harness.ask("How many vacation days do people in Hamburg get?", root=root)
        _, answer = await harness.answers(root, 2)

    assert "30" in text_of(answer)


async def test_after_unmute_it_answers_again_also_in_a_bot_that_was_restarted(harness: Harness) -> None:
    async with harness.bot():
        root = await muted(harness)
    async with harness.bot():
        await harness.say("How many vacation days do people in Porto get?", root)
        await harness.settled()
        assert 1 == len(harness.said(root))

        await harness.ask("unmute", root=root)
        await harness.ephemeral(ADA, "I read along in this thread again")
        await harness.say("How many vacation days do people in Hamburg get?", root)
        await harness.answers(root, 2)


async def test_an_edit_in_a_muted_thread_gets_no_answer_either(harness: Harness) -> None:
    async with harness.bot():
        root = await muted(harness)
        said = await harness.say("How many vacation days do people in Porto get?", root)
        await harness.playground.person(ADA).edit(SUPPORT, said, "How many vacation days do people in Hamburg get?")
        await harness.settled()

    assert 1 == len(harness.said(root))


async def test_a_typed_answer_to_an_open_question_counts_in_a_muted_thread(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        await mute(harness, root)
        await harness.say("Porto", root)
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)


async def test_only_a_thread_can_be_muted(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask("mute")
        await harness.ephemeral(ADA, "A thread can be muted from within")
        await harness.settled()

    assert [] == harness.said(root)
    assert 1 == len(harness.playground.calls("chat.postEphemeral"))
