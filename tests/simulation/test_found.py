"""What lives in the simulation have found: each was once a way to break a promise."""

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.conversation.items import ATTEMPTS
from bot.slack.presenter.multipart import WITHDRAWN
from tests.journeys.harness import is_answer, is_open_card, labels_of, text_of
from tests.simulation.harness import PEOPLE, Simulation
from tests.simulation.models import tags_in
from tests.simulation.promises import broken, memory_of

ADA, BEN = PEOPLE
CLEAR, AMBIGUOUS = "What is the limit for c{0}?", "Where do I find w{0} a{0}?"


@contextmanager
def left_running() -> Generator[list[str]]:
    """Give the names of asynchronous generators that nobody has closed before they were collected."""
    names: list[str] = []
    usual = sys.get_asyncgen_hooks()

    def collected(left: Any) -> None:
        names.append(left.ag_code.co_qualname)
        if usual.finalizer:
            usual.finalizer(left)

    sys.set_asyncgen_hooks(usual.firstiter, collected)
    yield names
    gc.collect()
    sys.set_asyncgen_hooks(*usual)


async def chosen(simulation: Simulation) -> str:
    """Let a choice be made that is not answered yet; return the question's ts."""
    asked = await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    (card,) = simulation.ours
    await simulation.click(card, label="Desk")
    await simulation.carry_all(simulation.hosts[0])
    return asked


async def remembered_remarks(simulation: Simulation) -> list[str]:
    """Return what the one thread remembers to have overheard."""
    (root,) = {one.get("thread_ts", ts) for ts, one in simulation.messages.items()}
    return [remark["text"] for remark in (await memory_of(simulation, root))["overheard"]]


async def count_of(simulation: Simulation, kind: str) -> int:
    """Return how many items of a kind there are."""
    return len(
        await simulation.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND kind = %(kind)s", kind=kind)
    )


async def status_of(simulation: Simulation, kind: str) -> str:
    """Return what became of the one item of a kind."""
    (item,) = await simulation.rows(
        "SELECT status FROM inbox WHERE workspace = %(workspace)s AND kind = %(kind)s", kind=kind
    )
    return item["status"]


async def test_a_typed_answer_that_is_edited_into_a_question_leaves_nothing_of_itself_in_memory(
    simulation: Simulation,
) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    typed = await simulation.say("1", root=root, mention=False)
    await simulation.settle()

    await simulation.edit(typed, CLEAR.format(2), mention=False)
    await simulation.settle()

    assert [] == await broken(simulation)


async def test_a_typed_answer_that_is_edited_into_nothing_opens_the_question_again(simulation: Simulation) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    typed = await simulation.say("1", root=root, mention=False)
    await simulation.settle()

    await simulation.edit(typed, "hmm", mention=False)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [one for one in simulation.messages.values() if is_open_card(one)]


async def test_a_typed_answer_that_is_edited_answers_its_own_question_though_another_was_asked_since(
    simulation: Simulation,
) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    typed = await simulation.say("1", root=root, mention=False)
    await simulation.settle()
    await simulation.say(AMBIGUOUS.format(2), root=root, person=BEN)
    await simulation.settle()

    await simulation.edit(typed, "2", mention=False)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [one for one in simulation.messages.values() if is_open_card(one) and "a2" in text_of(one)]


async def test_a_question_that_is_answered_late_takes_its_place_in_memory(simulation: Simulation) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    await simulation.say(CLEAR.format(2), root=root, mention=False)
    await simulation.settle()

    await simulation.edit(root, CLEAR.format(3), mention=True)
    await simulation.settle()

    assert [] == await broken(simulation)


@pytest.mark.parametrize("method", ["chat.startStream", "chat.postMessage"])
async def test_a_draft_of_which_nobody_knows_whether_slack_took_it_is_found(
    simulation: Simulation, method: str
) -> None:
    faults = simulation.slack.faults
    if method == "chat.postMessage":
        faults.fail("chat.startStream")
        faults.fail(method)
    faults.lose_answer(method)
    await simulation.say(CLEAR.format(1))
    for letter in list(simulation.letters):
        await simulation.carry(letter, simulation.hosts[0])
    await simulation.work(simulation.hosts[0])

    await simulation.settle()

    assert [] == await broken(simulation)


@pytest.mark.parametrize("mention", [True, False])
async def test_what_is_written_into_an_emptied_message_outlives_its_emptying(
    simulation: Simulation, *, mention: bool
) -> None:
    root = await simulation.say(CLEAR.format(1))
    remark = await simulation.say("hmm", root=root, mention=False)
    await simulation.settle()
    await simulation.edit(remark, "", mention=False)
    await simulation.edit(remark, CLEAR.format(2), mention=mention)
    await simulation.carry_all(simulation.hosts[0])

    await simulation.settle()

    assert [] == await broken(simulation)


async def test_an_answered_question_that_is_edited_into_an_ambiguous_one_is_forgotten(simulation: Simulation) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.say(CLEAR.format(2), root=root, person=BEN)
    await simulation.settle()
    await simulation.edit(root, AMBIGUOUS.format(3), mention=True)
    await simulation.settle()

    await simulation.say(CLEAR.format(4), root=root)
    await simulation.settle()

    assert [] == await broken(simulation)


async def test_a_card_that_is_clicked_before_anybody_knows_of_it_says_so_all_the_same(simulation: Simulation) -> None:
    first, second = simulation.hosts
    await simulation.say(AMBIGUOUS.format(1))
    await simulation.carry_all(first)
    await simulation.work(first)
    await simulation.work(first, pause_at="after chat.postMessage")
    await simulation.kill(first)

    (card,) = [one for one in simulation.messages.values() if is_open_card(one)]
    await simulation.click(card, label="Desk")
    await simulation.carry_all(second)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == [one for one in simulation.messages.values() if is_open_card(one)]


async def test_a_click_counts_though_what_people_say_is_being_read_in_this_moment(simulation: Simulation) -> None:
    first, second = simulation.hosts
    root = await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    (card,) = simulation.ours
    await simulation.say("Ben, can you tell?", root=root, mention=False)
    await simulation.carry_all(first)
    await simulation.work(first, pause_at="before a commit")

    await simulation.click(card, label="Desk")
    await simulation.carry_all(second)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == [one for one in simulation.ours if is_open_card(one)]


async def test_a_status_goes_with_the_thread_that_is_deleted_while_it_is_answered(simulation: Simulation) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_after=8)
    assert simulation.slack.kept_up

    await simulation.delete(asked)
    await simulation.settle()

    assert [] == await broken(simulation)


async def test_a_status_that_a_dead_process_left_is_for_slack_to_take_away(simulation: Simulation) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    asked = await simulation.say(CLEAR.format(2), root=root)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[1], pause_after=8)
    assert simulation.slack.kept_up

    await simulation.kill(simulation.hosts[1])
    await simulation.delete(asked)
    await simulation.settle()

    assert [] == await broken(simulation)


async def test_a_question_that_is_edited_again_and_again_does_not_fail_of_it(simulation: Simulation) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.say(CLEAR.format(2), root=root)
    await simulation.settle()

    for number in range(3, 6):
        await simulation.edit(root, CLEAR.format(number), mention=True)
        await simulation.carry_all(simulation.hosts[0])
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == await simulation.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND status = 'failed'")


async def test_what_is_heard_late_of_changes_uses_up_no_attempts(simulation: Simulation) -> None:
    await simulation.say(CLEAR.format(1))
    await simulation.carry_all(simulation.hosts[0])
    item = (await simulation.waiting())[0]["id"]

    for _ in range(4):
        simulation.hosts[0].overtake([item])
        await simulation.work(simulation.hosts[0])
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == await simulation.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND status = 'failed'")


@pytest.mark.parametrize("pause", ["before a commit", "after chat.update"])
async def test_a_change_that_was_killed_again_and_again_comes_into_force(simulation: Simulation, pause: str) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    await simulation.edit(root, CLEAR.format(2), mention=True)
    await simulation.carry_all(simulation.hosts[0])

    for _ in range(3):
        await simulation.work(simulation.hosts[0], pause_at=pause)
        await simulation.kill(simulation.hosts[0])
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == await simulation.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND status = 'failed'")


@pytest.mark.parametrize("pause", ["before chat.appendStream", "before chat.stopStream"])
async def test_what_a_killed_run_has_shown_is_not_left_behind_as_its_question_joins_an_edited_one(
    simulation: Simulation, pause: str
) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.say(CLEAR.format(2), root=root)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at=pause)
    await simulation.kill(simulation.hosts[0])

    await simulation.edit(root, CLEAR.format(3), mention=True)
    await simulation.settle()

    assert [] == await broken(simulation)


async def test_what_a_killed_run_has_shown_goes_with_its_question_though_nobody_knew_of_it(
    simulation: Simulation,
) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="after chat.startStream")
    await simulation.kill(simulation.hosts[0])

    await simulation.delete(asked)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == simulation.ours


@pytest.mark.parametrize("pause", ["after chat.postMessage", "after chat.update"])
async def test_what_says_that_an_answer_was_stopped_says_it_once(simulation: Simulation, pause: str) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.carry_all(simulation.hosts[0])
    if pause == "after chat.update":
        await simulation.work(simulation.hosts[0], pause_at="after chat.startStream")
        await simulation.kill(simulation.hosts[0])
    await simulation.react(asked)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at=pause)
    await simulation.kill(simulation.hosts[0])

    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["Stopped."] == [one["text"] for one in simulation.ours]


async def test_a_stop_that_slack_was_not_told_of_is_told_again(simulation: Simulation) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.react(asked)
    simulation.slack.faults.fail("chat.postMessage", times=2)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])

    await simulation.settle()

    assert ["Stopped."] == [one["text"] for one in simulation.ours]


@pytest.mark.parametrize("pause", ["", "before chat.update", "after chat.update"])
async def test_what_an_edited_question_was_answered_before_stays_with_its_stop_and_is_no_answer(
    simulation: Simulation, pause: str
) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.edit(asked, CLEAR.format(2), mention=True)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])
    if pause:
        await simulation.work(simulation.hosts[0], pause_at=pause)
        await simulation.kill(simulation.hosts[0])

    await simulation.react(asked)
    await simulation.settle()

    assert [] == await broken(simulation)
    (stopped,) = simulation.ours
    # Killed before its commit, the new answer was there: nobody can tell.
    assert f"The answer to c{2 if pause == 'after chat.update' else 1} is 26 days" in text_of(stopped)
    assert "before this was answered again" in text_of(stopped)


async def test_what_an_edited_question_was_answered_before_is_no_answer_where_it_was_about_to_ask_back(
    simulation: Simulation,
) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.edit(asked, AMBIGUOUS.format(2), mention=True)
    await simulation.carry_all(simulation.hosts[0])
    for _change_and_run in range(2):
        await simulation.work(simulation.hosts[0])
    assert ["asking"] == [one["status"] for one in await simulation.waiting()]

    await simulation.react(asked)
    await simulation.settle()

    assert [] == await broken(simulation)
    (stopped,) = simulation.ours
    assert "before this was answered again" in text_of(stopped)


async def test_an_answer_in_several_messages_to_earlier_words_says_so_below_the_last(simulation: Simulation) -> None:
    asked = await simulation.say("What is the limit for l1?")
    await simulation.settle()
    await simulation.edit(asked, CLEAR.format(2), mention=True)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])

    await simulation.react(asked)
    await simulation.settle()

    assert [] == await broken(simulation)
    *above, below = simulation.ours
    assert above
    assert [False] * len(above) == ["before this was answered again" in text_of(one) for one in above]
    assert "before this was answered again" in text_of(below)


async def test_what_slack_keeps_of_a_deleted_question_is_withdrawn_and_nobody_takes_it_over(
    simulation: Simulation,
) -> None:
    root = await simulation.say(CLEAR.format(1))
    beside = await simulation.say(CLEAR.format(2), root=root, person=BEN)
    await simulation.settle()
    simulation.slack.faults.fail("chat.delete", "compliance_exports_prevent_deletion")
    await simulation.delete(root)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])

    await simulation.edit(beside, "What is the limit for l3?", mention=True)
    await simulation.settle()

    assert [] == await broken(simulation)
    kept, *answer = simulation.ours
    assert WITHDRAWN == kept["text"]
    assert "c1" not in text_of(kept)
    assert "l3" in text_of(answer[0])


async def test_a_choice_whose_question_is_edited_counts_no_more_though_slack_keeps_its_card(
    simulation: Simulation,
) -> None:
    asked = await chosen(simulation)
    await simulation.settle()
    simulation.slack.faults.fail("chat.delete", "compliance_exports_prevent_deletion")
    await simulation.edit(asked, CLEAR.format(2), mention=True)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])

    await simulation.settle()

    assert [] == await broken(simulation)
    assert 1 == [one["text"] for one in simulation.ours].count(WITHDRAWN)


@pytest.mark.parametrize("change", ["edit", "removal"])
async def test_a_change_comes_into_force_though_slack_neither_takes_a_message_away_nor_overwrites_it(
    simulation: Simulation, change: str
) -> None:
    asked = await chosen(simulation)
    await simulation.settle()
    if change == "edit":
        await simulation.edit(asked, AMBIGUOUS.format(2), mention=True)
    else:
        await simulation.delete(asked)
    for method in ("chat.delete", "chat.update"):
        simulation.slack.faults.fail(method, "invalid_auth", times=99)
    await simulation.carry_all(simulation.hosts[0])
    for _ in range(ATTEMPTS):
        await simulation.work(simulation.hosts[0])
        simulation.slack.clock.advance(5.0)

    (turn, changed) = await simulation.rows(
        "SELECT id, status FROM inbox WHERE kind IN ('turn', 'edit', 'removal') ORDER BY kind = 'turn' DESC"
    )
    assert ("waiting" if change == "edit" else "removed", "finished") == (turn["status"], changed["status"])
    # What stands there is known, or the next run would take it for its own.
    known = await simulation.rows("SELECT ts FROM messages")
    assert {one["ts"] for one in simulation.ours} == {row["ts"] for row in known}
    await simulation.settle()
    if change == "edit":
        assert [] == await broken(simulation)
        assert [True] == [is_open_card(one) for one in simulation.ours]


async def test_a_drop_that_slack_was_not_told_of_is_told_again(simulation: Simulation) -> None:
    await simulation.say(CLEAR.format(1))
    await simulation.carry_all(simulation.hosts[0])
    simulation.slack.faults.fail("chat.postMessage", times=2)
    assert await simulation.drop(0)
    await simulation.work(simulation.hosts[0])

    await simulation.settle()

    (dropped,) = simulation.ours
    assert "An administrator has dropped" in text_of(dropped)


async def test_a_choice_that_is_dropped_before_it_was_answered_can_be_pressed_no_more(simulation: Simulation) -> None:
    await chosen(simulation)

    assert await simulation.drop(0)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == [one for one in simulation.ours if is_open_card(one)]


@pytest.mark.parametrize("pause", ["before chat.startStream", "before chat.stopStream", "after chat.stopStream"])
async def test_what_a_run_that_is_ended_still_stores_goes_with_it(simulation: Simulation, pause: str) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.say(CLEAR.format(2), root=root)
    (host, _) = simulation.hosts
    await simulation.carry_all(host)
    with left_running() as left:
        await simulation.work(host, pause_at=pause)
        assert await simulation.drop(0)
        await simulation.hear_of_changes(host)
        await simulation.settle()

    # A run stores its state as it ends. One that is left to be collected does so at any time, in any transaction.
    assert [] == [name for name in left if name != "PregelRunner.atick"], "LangGraph's own stores nothing."
    assert [{"count": 1}] == await simulation.rows("SELECT count(*) FROM checkpoints")
    assert [] == await broken(simulation)


@pytest.mark.parametrize("ending", ["drop", "stop"])
async def test_a_choice_that_came_to_nothing_is_not_tried_again_once_its_question_was_edited(
    simulation: Simulation, ending: str
) -> None:
    asked = await chosen(simulation)
    if ending == "drop":
        await simulation.drop(0)
    else:
        await simulation.stop(asked)
    await simulation.settle()
    await simulation.edit(asked, CLEAR.format(2), mention=True)
    await simulation.settle()

    await simulation.retry(0)
    await simulation.settle()

    assert [] == await broken(simulation)
    (answer,) = simulation.ours
    assert "The answer to c2 is 26 days" in text_of(answer)


async def test_what_was_said_to_an_earlier_choice_is_forgotten_where_the_later_one_is_dropped(
    simulation: Simulation,
) -> None:
    await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    (card,) = simulation.ours
    await simulation.click(card, label="Desk")
    await simulation.settle()
    await simulation.click(simulation.messages[card["ts"]], label="Pine")
    await simulation.carry_all(simulation.hosts[0])

    assert await simulation.drop(0)
    await simulation.settle()

    assert [] == await broken(simulation)


@pytest.mark.parametrize("wish", ["answer after all", "edit"])
async def test_what_was_stopped_before_it_ran_is_answered_in_the_same_message(
    simulation: Simulation, wish: str
) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.carry_all(simulation.hosts[0])
    await simulation.react(asked)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.settle()
    for host in list(simulation.hosts):
        await simulation.kill(host)
    (stopped,) = simulation.ours

    if wish == "edit":
        await simulation.edit(asked, CLEAR.format(2), mention=True)
    else:
        await simulation.click(stopped, label="Answer after all")
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [stopped["ts"]] == [one["ts"] for one in simulation.ours]
    assert "26 days" in text_of(simulation.ours[0])


async def test_a_choice_that_was_stopped_and_changed_is_not_answered_beside_the_other(simulation: Simulation) -> None:
    asked = await chosen(simulation)
    (host, _) = simulation.hosts
    await simulation.work(host, pause_at="before chat.startStream")
    (card,) = simulation.ours
    await simulation.click(card, label="Pine")
    await simulation.react(asked)
    await simulation.carry_all(host)
    await simulation.hear_of_changes(host)
    await simulation.settle()
    assert "stopped" == await status_of(simulation, "reply")

    await simulation.retry(0)
    await simulation.settle()

    assert [] == await broken(simulation)
    (revised,) = [one for one in simulation.ours if is_answer(one)]
    assert "instead of *Desk*" in text_of(revised)


async def test_what_a_choice_has_shown_that_was_killed_and_changed_gives_way_to_the_other(
    simulation: Simulation,
) -> None:
    await chosen(simulation)
    (host, _) = simulation.hosts
    await simulation.work(host, pause_at="after chat.startStream")
    (card, _) = simulation.ours
    await simulation.click(card, label="Pine")
    await simulation.kill(host)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert 1 == len([one for one in simulation.ours if is_answer(one)])


@pytest.mark.parametrize("ending", ["stop", "drop", "fail"])
async def test_the_card_of_a_question_that_nobody_answered_is_closed_though_its_answer_came_to_nothing(
    simulation: Simulation, ending: str
) -> None:
    asked = await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    simulation.slack.clock.advance(3 * 24 * 3600.0)
    await simulation.job(simulation.hosts[0])

    match ending:
        case "stop":
            await simulation.react(asked)
        case "drop":
            await simulation.drop(0)
        case _:
            await simulation.fail_for_good()
    await simulation.settle()

    assert [] == await broken(simulation)
    (card,) = [one for one in simulation.ours if "Nobody answered." in text_of(one)]
    assert not is_open_card(card)


async def test_what_changed_a_choice_is_stopped_at_the_answer_whose_place_it_takes(simulation: Simulation) -> None:
    await chosen(simulation)
    await simulation.settle()
    (card, answer) = simulation.ours
    await simulation.click(card, label="Pine")
    await simulation.carry_all(simulation.hosts[0])

    await simulation.react(answer["ts"])
    await simulation.settle()

    assert "stopped" == await status_of(simulation, "revision")
    assert "*Pine*" in text_of(simulation.ours[0])
    await simulation.click(simulation.ours[0], label="Desk")
    await simulation.settle()
    assert [] == await broken(simulation)
    assert 2 == await count_of(simulation, "revision")


async def test_what_follows_a_question_that_is_edited_is_answered_in_its_own_place(simulation: Simulation) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.say(CLEAR.format(2), root=root, person=BEN)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="before a commit")
    await simulation.edit(root, CLEAR.format(3), mention=True)
    await simulation.say(CLEAR.format(4), root=root)
    await simulation.carry_all(simulation.hosts[0])

    await simulation.settle()

    assert [] == await broken(simulation)
    assert [["c3"], ["c2"], ["c4"]] == [tags_in(text_of(one)) for one in simulation.ours]


async def test_a_question_whose_card_nobody_could_see_is_not_open(simulation: Simulation) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])
    await simulation.fail_for_good()
    assert [] == await broken(simulation)

    await simulation.say("Desk", root=root, mention=False)
    await simulation.pass_days()

    assert [] == await broken(simulation)
    (failure,) = simulation.ours
    assert "Retry" in labels_of(failure)


@pytest.mark.parametrize("how", ["deleted", "edited"])
async def test_what_was_only_overheard_is_forgotten_when_it_is_deleted_or_edited(
    simulation: Simulation, how: str
) -> None:
    root = await simulation.say(CLEAR.format(1))
    overheard = await simulation.say("lunch s2?", root=root, person=BEN, mention=False)
    await simulation.settle()
    assert ["lunch s2?"] == await remembered_remarks(simulation)

    if how == "deleted":
        await simulation.delete(overheard)
    else:
        await simulation.edit(overheard, "dinner s3?", mention=False)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ([] if how == "deleted" else ["dinner s3?"]) == await remembered_remarks(simulation)


async def test_of_what_was_overheard_together_only_what_is_deleted_is_forgotten(simulation: Simulation) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.say(CLEAR.format(2), root=root)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="before a commit")
    await simulation.say("lunch s3?", root=root, person=BEN, mention=False)
    second = await simulation.say("sushi s4?", root=root, person=BEN, mention=False)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.settle()
    assert ["lunch s3?\nsushi s4?"] == await remembered_remarks(simulation)

    await simulation.delete(second)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["lunch s3?"] == await remembered_remarks(simulation)


async def test_a_part_that_was_also_read_from_the_thread_is_forgotten_when_it_is_deleted(
    simulation: Simulation,
) -> None:
    root = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.edit(root, "lunch s2?", mention=False)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="before a commit")
    await simulation.say("pizza s3?", root=root, person=BEN, mention=False)
    part = await simulation.say("sushi s4?", root=root, person=BEN, mention=False)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.say(CLEAR.format(5), root=root)
    await simulation.settle()
    assert ["lunch s2?", "pizza s3?", "sushi s4?"] == await remembered_remarks(simulation)

    await simulation.delete(part)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["lunch s2?", "pizza s3?"] == await remembered_remarks(simulation)


async def test_what_was_read_from_the_thread_is_forgotten_when_it_is_deleted_before_it_came_in(
    simulation: Simulation,
) -> None:
    root = await simulation.say(CLEAR.format(1))
    late = list(simulation.letters)
    simulation.letters.clear()
    await simulation.say(CLEAR.format(2), root=root, person=BEN)
    await simulation.settle()
    assert [CLEAR.format(1)] == await remembered_remarks(simulation)

    await simulation.delete(root)
    await simulation.carry_all(simulation.hosts[0])
    simulation.letters.extend(late)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == await remembered_remarks(simulation)


async def test_a_reminder_of_a_question_goes_as_the_question_is_edited(simulation: Simulation) -> None:
    asked = await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    simulation.slack.clock.advance(4.5 * 3600)
    await simulation.settle()
    assert [one for one in simulation.ours if "still waits" in text_of(one)]

    await simulation.edit(asked, CLEAR.format(2), mention=True)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert [] == [one for one in simulation.ours if "still waits" in text_of(one)]


async def test_what_was_said_before_the_bot_came_is_forgotten_when_it_is_deleted(simulation: Simulation) -> None:
    root = await simulation.say("lunch s1?", mention=False)
    early = await simulation.say("pizza s2?", root=root, person=BEN, mention=False)
    await simulation.say(CLEAR.format(3), root=root)
    await simulation.settle()
    assert ["lunch s1?", "pizza s2?"] == await remembered_remarks(simulation)

    await simulation.delete(early)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["lunch s1?"] == await remembered_remarks(simulation)


async def test_a_question_that_was_edited_until_it_said_nothing_is_answered_when_it_is_edited_again(
    simulation: Simulation,
) -> None:
    asked = await simulation.say(CLEAR.format(1))
    await simulation.settle()
    await simulation.edit(asked, "", mention=True)
    await simulation.settle()
    assert [] == simulation.ours

    await simulation.edit(asked, CLEAR.format(2), mention=True)
    await simulation.settle()

    assert [] == await broken(simulation)
    (answer,) = simulation.ours
    assert ["c2"] == tags_in(text_of(answer))


async def test_called_again_into_a_thread_it_reads_what_was_said_where_the_first_call_was_taken_back(
    simulation: Simulation,
) -> None:
    root = await simulation.say("lunch s1?", mention=False)
    first = await simulation.say(CLEAR.format(2), root=root, person=BEN)
    await simulation.delete(first)
    await simulation.settle()

    await simulation.say(CLEAR.format(3), root=root, person=BEN)
    await simulation.settle()

    assert [] == await broken(simulation)
    assert ["lunch s1?"] == await remembered_remarks(simulation)


@pytest.mark.parametrize("is_shown", [False, True])
async def test_words_that_had_answered_a_card_answer_it_also_where_they_were_stopped_first(
    simulation: Simulation, *, is_shown: bool
) -> None:
    root = await simulation.say(AMBIGUOUS.format(1))
    await simulation.settle()
    words = await simulation.say("Pine", root=root, mention=not is_shown)
    await simulation.carry_all(simulation.hosts[0])
    if is_shown:
        await simulation.work(simulation.hosts[0], pause_at="after chat.startStream")
        await simulation.kill(simulation.hosts[0])
    await simulation.react(words)
    await simulation.settle()
    (card, stopped) = simulation.ours
    assert "*Pine*" in text_of(card)
    assert ["Answer after all"] == labels_of(stopped)

    await simulation.click(stopped, label="Answer after all")
    await simulation.settle()

    assert [] == await broken(simulation)
    (card, answer) = simulation.ours
    assert "*Pine*" in text_of(card)
    assert "The answer to a1" in text_of(answer)


async def test_what_a_stop_said_that_was_killed_and_taken_back_gives_way_to_the_answer(simulation: Simulation) -> None:
    asked = await simulation.say("What is the limit for l1?")
    await simulation.react(asked)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="before a commit")
    await simulation.kill(simulation.hosts[0])
    (stopped,) = simulation.ours

    await simulation.click(stopped, label="Answer after all")
    await simulation.carry_all(simulation.hosts[0])
    await simulation.work(simulation.hosts[0], pause_at="before a commit")
    await simulation.settle()

    assert [] == await broken(simulation)
    (first, second) = simulation.ours
    assert (["l1"], []) == (tags_in(text_of(first)), tags_in(text_of(second)))
