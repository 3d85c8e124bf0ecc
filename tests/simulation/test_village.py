"""What the state machine stands on: in a village everything goes its usual way."""

from tests.journeys.town import is_open_card, text_of
from tests.simulation.harness import Village
from tests.simulation.promises import broken


async def test_a_question_is_answered(village: Village) -> None:
    await village.say("What is the limit for c1?")
    await village.settle()

    assert [] == await broken(village)
    assert "c1" in text_of(list(village.messages.values())[-1])


async def test_an_ambiguous_question_is_asked_back_and_the_click_answers_it(village: Village) -> None:
    await village.say("Where do I find w1 a1?")
    await village.settle()
    assert [] == await broken(village)
    (card,) = [one for one in village.messages.values() if is_open_card(one)]

    await village.click(card, label="Pine")
    await village.settle()

    assert [] == await broken(village)
    assert "a1" in text_of(list(village.messages.values())[-1])
