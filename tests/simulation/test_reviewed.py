"""What lives in a village with reviewers have found, and what they stand on."""

from collections.abc import AsyncGenerator

import pytest

from bot.conversation.turns.retry import ATTEMPTS, MOST_LAST_WORDS
from bot.postgres.pool import Database
from graph.context import Case
from graph.state import Understanding
from tests.fakes import understanding
from tests.journeys.town import labels_of, text_of
from tests.simulation.harness import PEOPLE, Village
from tests.simulation.host import Ways
from tests.simulation.mind import Reader
from tests.simulation.promises import broken

UNSURE, CLEAR = "What is the limit for u{0}?", "What is the limit for c{0}?"


@pytest.fixture
async def village(database: Database, database_url: str) -> AsyncGenerator[Village]:
    """A village with reviewers."""
    async with Village.open(database, database_url, ways=Ways(has_reviewers=True)) as village:
        yield village


async def test_an_unsure_answer_is_shown_once_it_is_approved(village: Village) -> None:
    await village.say(UNSURE.format(1))
    await village.settle()
    assert [] == await broken(village)
    (card,) = village.desk.values()

    await village.click(card, label="Approve")
    await village.settle()

    assert [] == await broken(village)
    assert ["The answer to u1 is 26 days [1]."] == [one["text"] for one in village.ours]


@pytest.mark.parametrize("does", ["edit", "press", "drop"])
async def test_a_card_of_which_nobody_knew_is_settled_with_its_review(village: Village, does: str) -> None:
    asked = await village.say(UNSURE.format(1))
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])
    await village.work(village.hosts[0], pause_at="after chat.postMessage")
    await village.kill(village.hosts[0])

    match does:
        case "edit":
            await village.edit(asked, CLEAR.format(2), mention=True)
        case "drop":
            assert await village.drop(0, ["review"])
        case _:
            (card,) = [one for one in village.desk.values() if "Approve" in labels_of(one)]
            await village.click(card, label="Approve")
    await village.settle()

    assert [] == await broken(village)
    (card,) = [one for one in village.desk.values() if "u1" in text_of(one)]
    assert [] == labels_of(card)


@pytest.mark.parametrize("ending", ["stop", "drop", "fail"])
async def test_an_answer_is_not_approved_in_whose_place_a_changed_choice_came_to_nothing(
    village: Village, ending: str
) -> None:
    asked = await village.say("Where do I find w1 a1 u1?")
    await village.settle()
    (card,) = village.ours
    await village.click(card, label="Desk")
    await village.settle()
    (under_review,) = village.desk.values()
    await village.click(village.ours[0], label="Pine")
    await village.carry_all(village.hosts[0])

    match ending:
        case "stop":
            await village.react(asked)
        case "drop":
            await village.drop(0)
        case _:
            await village.fail_for_good()
    await village.settle()
    assert [] == await broken(village)
    assert [] == labels_of(*village.desk.values())
    await village.click(under_review, label="Approve")
    await village.settle()

    assert [] == await broken(village)
    assert 2 == len(village.ours)


async def test_an_answer_is_not_posted_anew_that_something_else_took_the_place_of_and_could_not_say_so(
    village: Village,
) -> None:
    await village.say("Where do I find w1 a1 u1?")
    await village.settle()
    await village.click(village.ours[0], label="Desk")
    await village.settle()
    (under_review,) = village.desk.values()
    await village.click(village.ours[0], label="Pine")
    await village.carry_all(village.hosts[0])
    for _attempt in range(ATTEMPTS):
        # Its words have taken the place of the answer by now.
        await village.work(village.hosts[0], pause_at="before chat.getPermalink")
        await village.kill(village.hosts[0])
    for method in ("chat.update", "chat.postMessage", "chat.delete"):
        village.slack.faults.fail(method, "restricted_action", times=99)
    for _last_words in range(1 + MOST_LAST_WORDS):
        await village.work(village.hosts[0])
        village.slack.clock.advance(40.0)
    assert [] == await village.waiting()
    village.slack.faults.clear()

    await village.click(under_review, label="Approve")
    await village.settle()

    assert 2 == len(village.ours)
    (card,) = village.desk.values()
    assert "needs nobody any more" in text_of(card)
    assert [] == labels_of(card)


async def test_a_card_says_what_was_decided_though_that_failed_and_is_tried_again(village: Village) -> None:
    await village.say(UNSURE.format(1))
    await village.settle()
    (card,) = village.desk.values()
    await village.click(card, label="Approve")
    await village.carry_all(village.hosts[0])
    await village.fail_for_good("restricted_action")
    await village.settle()
    assert [] == await broken(village)
    (settled,) = village.desk.values()
    assert "Approved by" in text_of(settled)

    await village.click(village.ours[0], label="Retry")
    await village.settle()

    assert [] == await broken(village)
    assert ["The answer to u1 is 26 days [1]."] == [one["text"] for one in village.ours]


async def test_who_asks_for_a_person_once_the_choice_was_changed_is_told_that_the_answer_gives_way(
    village: Village,
) -> None:
    await village.say("Where do I find w1 a1?")
    await village.settle()
    await village.click(village.ours[0], label="Desk")
    await village.settle()
    (card, answer) = village.ours
    await village.click(card, label="Pine")
    await village.click(answer, label="Ask a human")
    await village.settle()

    assert [] == await broken(village)
    assert [] == list(village.desk)
    (told,) = village.slack.playground.person(PEOPLE[0]).ephemerals()
    assert "not the current one any more" in text_of(told)


@pytest.mark.parametrize("step", ["review", "ruling"])
async def test_a_review_whose_step_is_dropped_is_over(village: Village, step: str) -> None:
    await village.say(UNSURE.format(1))
    if step == "ruling":
        await village.settle()
        (card,) = village.desk.values()
        await village.click(card, label="Approve")
    await village.carry_all(village.hosts[0])
    if step == "review":
        await village.work(village.hosts[0])

    assert await village.drop(0, [step])
    await village.settle()

    assert [] == await broken(village)
    assert [] == await village.rows("SELECT FROM asks WHERE workspace = %(workspace)s AND status = 'open'")
    (said,) = village.ours
    assert ("the answer" if step == "review" else "an administrator has dropped") in text_of(said).lower()


async def test_a_changed_choice_that_is_small_talk_closes_the_review_of_the_earlier_answer(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    await village.say("Where do I find w1 a1 u1?")
    await village.settle()
    await village.click(village.ours[0], label="Desk")
    await village.settle()
    (under_review,) = village.desk.values()

    async def chats(_reader: Reader, case: Case) -> Understanding:
        return understanding(case["question"], route="converse", reply="Hello.")

    monkeypatch.setattr(Reader, "understand", chats)
    await village.click(village.ours[0], label="Pine")
    await village.settle()
    assert [] == labels_of(*village.desk.values())
    await village.click(under_review, label="Approve")
    await village.settle()

    (_, said) = village.ours
    assert "Hello." in text_of(said)


@pytest.mark.parametrize("moments", [20, 21, 22])
async def test_a_status_that_was_being_taken_away_as_the_run_was_ended_goes(village: Village, moments: int) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    asked = await village.say(UNSURE.format(2), root=root)
    await village.settle()
    await village.edit(asked, UNSURE.format(3), mention=True)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])
    await village.work(village.hosts[0], pause_after=moments)

    await village.delete(asked)
    await village.carry_all(village.hosts[0])
    await village.hear_of_changes(village.hosts[0])
    await village.settle()

    assert [] == await broken(village)
