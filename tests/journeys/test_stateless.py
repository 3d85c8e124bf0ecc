"""Each message by itself: the same graph without memory, which asks nothing back."""

from tests.journeys.town import Town, is_open_card, text_of


async def test_without_memory_an_ambiguous_question_is_answered_with_its_assumption(town: Town) -> None:
    async with town.bot(mode="stateless"):
        root = await town.ask("How many vacation days do I have?")
        (answer,) = await town.answers(root)
        await town.settled()

    assert "I assumed" in text_of(answer)
    assert not [one for one in town.said(root) if is_open_card(one)]


async def test_without_memory_a_follow_up_is_taken_by_itself(town: Town) -> None:
    async with town.bot(mode="stateless"):
        root = await town.ask("How many vacation days do people in Hamburg get?")
        await town.answers(root)
        await town.ask("And in Porto?", root=root)
        answers = await town.answers(root, 2)

    assert "30" in text_of(answers[0])
    assert "25 days" not in text_of(answers[1])
