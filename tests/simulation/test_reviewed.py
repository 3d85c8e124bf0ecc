"""Faults that the state machine has found in simulations with reviewers."""

from collections.abc import AsyncGenerator

import pytest

from bot.conversation.items import ATTEMPTS, MOST_LAST_WORDS
from bot.postgres.pool import Database
from graph.context import Case
from graph.state import Understanding
from tests.journeys.harness import labels_of, text_of
from tests.simulation.harness import PEOPLE, Simulation
from tests.simulation.host import Ways
from tests.simulation.models import Reader
from tests.simulation.promises import broken
from tests.support.fakes import understanding

UNSURE, CLEAR = "What is the limit for u{0}?", "What is the limit for c{0}?"


@pytest.fixture
async def simulation(database: Database, database_url: str) -> AsyncGenerator[Simulation]:
    """A simulation with reviewers."""
    async with Simulation.open(database, database_url, ways=Ways(has_reviewers=True)) as simulation:
        yield simulation


async def test_an_unsure_answer_is_shown_once_it_is_approved(simulation: Simulation) -> None:
    await simulation.say(UNSURE.format(1))
    await simulation.settle()
    assert [] == await broken(simulation)
    (card,) = simulation.review_channel.values()

    await simulation.click(card, label="Approve")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["The answer to u1 is 26 days [1]."] == [one["text"] for one in simulation.ours]


@pytest.mark.parametrize("does", ["edit", "press", "drop"])
async def test_a_card_of_which_nobody_knew_is_settled_with_its_review(simulation: Simulation, does: str) -> None:
    asked = await simulation.say(UNSURE.format(1))
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="after chat.postMessage")
    await simulation.kill(simulation.hosts[0])

    match does:
        case "edit":
            await simulation.edit(asked, CLEAR.format(2), mention=True)
        case "drop":
            assert await simulation.drop(0, ["review"])
        case _:
            (card,) = [one for one in simulation.review_channel.values() if "Approve" in labels_of(one)]
            await simulation.click(card, label="Approve")
    await simulation.settle()

    assert [] == await broken(simulation)
    (card,) = [one for one in simulation.review_channel.values() if "u1" in text_of(one)]
    assert [] == labels_of(card)


@pytest.mark.parametrize("ending", ["stop", "drop", "fail"])
async def test_an_answer_is_not_approved_in_whose_place_a_changed_choice_came_to_nothing(
    simulation: Simulation, ending: str
) -> None:
    asked = await simulation.say("Where do I find w1 a1 u1?")
    await simulation.settle()
    (card,) = simulation.ours
    await simulation.click(card, label="Desk")
    await simulation.settle()
    (under_review,) = simulation.review_channel.values()
    await simulation.click(simulation.ours[0], label="Pine")
    await simulation.carry_all(simulation.hosts[0])

    match ending:
        case "stop":
            await simulation.react(asked)
        case "drop":
            await simulation.drop(0)
        case _:
            await simulation.fail_for_good()
    await simulation.settle()
    assert [] == await broken(simulation)
    assert [] == labels_of(*simulation.review_channel.values())
    await simulation.click(under_review, label="Approve")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert 2 == len(simulation.ours)


async def test_an_answer_is_not_posted_anew_that_something_else_took_the_place_of_and_could_not_say_so(
    simulation: Simulation,
) -> None:
    await simulation.say("Where do I find w1 a1 u1?")
    await simulation.settle()
    await simulation.click(simulation.ours[0], label="Desk")
    await simulation.settle()
    (under_review,) = simulation.review_channel.values()
    await simulation.click(simulation.ours[0], label="Pine")
    await simulation.carry_all(simulation.hosts[0])
    for _attempt in range(ATTEMPTS):
        # Its words have replaced the answer by now.
        await simulation.work(simulation.hosts[0], pause_at="before chat.getPermalink")
        await simulation.kill(simulation.hosts[0])
    for method in ("chat.update", "chat.postMessage", "chat.delete"):
        simulation.slack.faults.fail(method, "restricted_action", times=99)
    for _last_words in range(1 + MOST_LAST_WORDS):
        await simulation.work(simulation.hosts[0])
        simulation.slack.clock.advance(40.0)
    assert [] == await simulation.waiting()
    simulation.slack.faults.clear()

    await simulation.click(under_review, label="Approve")
    await simulation.settle()

    assert 2 == len(simulation.ours)
    (card,) = simulation.review_channel.values()
    assert "nobody needs to decide this" in text_of(card)
    assert [] == labels_of(card)


async def test_a_card_says_what_was_decided_though_that_failed_and_is_tried_again(simulation: Simulation) -> None:
    await simulation.say(UNSURE.format(1))
    await simulation.settle()
    (card,) = simulation.review_channel.values()
    await simulation.click(card, label="Approve")
    await simulation.carry_all(simulation.hosts[0])
    await simulation.fail_for_good("restricted_action")
    await simulation.settle()
    assert [] == await broken(simulation)
    (settled,) = simulation.review_channel.values()
    assert "Approved by" in text_of(settled)

    await simulation.click(simulation.ours[0], label="Retry")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["The answer to u1 is 26 days [1]."] == [one["text"] for one in simulation.ours]


async def test_who_asks_for_a_person_once_the_choice_was_changed_is_told_that_the_answer_gives_way(
    simulation: Simulation,
) -> None:
    await simulation.say("Where do I find w1 a1?")
    await simulation.settle()
    await simulation.click(simulation.ours[0], label="Desk")
    await simulation.settle()
    (card, answer) = simulation.ours
    await simulation.click(card, label="Pine")
    await simulation.click(answer, label="Ask a human")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == list(simulation.review_channel)
    (told,) = simulation.slack.playground.person(PEOPLE[0]).ephemerals()
    assert "not the current one any more" in text_of(told)


@pytest.mark.parametrize("step", ["review", "decision"])
async def test_a_review_whose_step_is_dropped_is_over(simulation: Simulation, step: str) -> None:
    await simulation.say(UNSURE.format(1))
    if step == "decision":
        await simulation.settle()
        (card,) = simulation.review_channel.values()
        await simulation.click(card, label="Approve")
    await simulation.carry_all(simulation.hosts[0])
    if step == "review":
        await simulation.work(simulation.hosts[0])

    assert await simulation.drop(0, [step])
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == await simulation.rows("SELECT FROM asks WHERE workspace = %(workspace)s AND status = 'open'")
    (said,) = simulation.ours
    assert ("the answer" if step == "review" else "an administrator has dropped") in text_of(said).lower()


async def test_a_changed_choice_that_is_small_talk_closes_the_review_of_the_earlier_answer(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    await simulation.say("Where do I find w1 a1 u1?")
    await simulation.settle()
    await simulation.click(simulation.ours[0], label="Desk")
    await simulation.settle()
    (under_review,) = simulation.review_channel.values()

    async def chats(_reader: Reader, case: Case) -> Understanding:
        return understanding(case["question"], route="converse", reply="Hello.")

    monkeypatch.setattr(Reader, "understand", chats)
    await simulation.click(simulation.ours[0], label="Pine")
    await simulation.settle()
    assert [] == labels_of(*simulation.review_channel.values())
    await simulation.click(under_review, label="Approve")
    await simulation.settle()

    (_, said) = simulation.ours
    assert "Hello." in text_of(said)


@pytest.mark.parametrize("moments", [20, 21, 22])
async def test_a_status_that_was_being_taken_away_as_the_run_was_ended_goes(
    simulation: Simulation, moments: int
) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    asked = await simulation.say(UNSURE.format(2), root=root)
    await simulation.settle()
    await simulation.edit(asked, UNSURE.format(3), mention=True)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_after=moments)

    await simulation.delete(asked)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.hear_of_changes(simulation.hosts[0])
    await simulation.settle()

    assert [] == await broken(simulation)
