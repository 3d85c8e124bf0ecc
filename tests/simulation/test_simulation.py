"""The basis of the state machine: without faults, a simulation takes its usual course."""

from tests.journeys.harness import is_open_card, text_of
from tests.simulation.harness import Simulation
from tests.simulation.promises import broken


async def test_a_question_is_answered(simulation: Simulation) -> None:
    await simulation.say("What is the limit for c1?")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert "c1" in text_of(list(simulation.messages.values())[-1])


async def test_an_ambiguous_question_is_asked_back_and_the_click_answers_it(simulation: Simulation) -> None:
    await simulation.say("Where do I find w1 a1?")
    await simulation.settle()
    assert [] == await broken(simulation)
    (card,) = [one for one in simulation.messages.values() if is_open_card(one)]

    await simulation.click(card, label="Pine")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert "a1" in text_of(list(simulation.messages.values())[-1])
