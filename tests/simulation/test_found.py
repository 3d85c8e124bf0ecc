"""What lives in the village have found: each was once a way to break a promise."""

import gc
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.conversation.turns.retry import ATTEMPTS
from bot.slack.presenter.multipart import WITHDRAWN
from tests.journeys.town import is_answer, is_open_card, labels_of, text_of
from tests.simulation.harness import PEOPLE, Village
from tests.simulation.mind import tags_in
from tests.simulation.promises import broken, memory_of

ADA, BEN = PEOPLE
CLEAR, AMBIGUOUS = "What is the limit for c{0}?", "Where do I find w{0} a{0}?"


@contextmanager
def left_running() -> Iterator[list[str]]:
    """Give the names of asynchronous generators that nobody has closed before they were collected."""
    names: list[str] = []
    usual = sys.get_asyncgen_hooks()

    def collected(left: AsyncGenerator[Any, Any]) -> None:
        names.append(left.ag_code.co_qualname)
        if usual.finalizer:
            usual.finalizer(left)

    sys.set_asyncgen_hooks(usual.firstiter, collected)
    yield names
    gc.collect()
    sys.set_asyncgen_hooks(*usual)


async def chosen(village: Village) -> str:
    """Let a choice be made that is not answered yet; return the question's ts."""
    asked = await village.say(AMBIGUOUS.format(1))
    await village.settle()
    (card,) = village.ours
    await village.click(card, label="Desk")
    await village.carry_all(village.hosts[0])
    return asked


async def remembered_remarks(village: Village) -> list[str]:
    """Return what the one thread remembers to have overheard."""
    (root,) = {one.get("thread_ts", ts) for ts, one in village.messages.items()}
    return [remark["text"] for remark in (await memory_of(village, root))["overheard"]]


async def count_of(village: Village, kind: str) -> int:
    """Return how many items of a kind there are."""
    return len(await village.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND kind = %(kind)s", kind=kind))


async def status_of(village: Village, kind: str) -> str:
    """Return what became of the one item of a kind."""
    (item,) = await village.rows(
        "SELECT status FROM inbox WHERE workspace = %(workspace)s AND kind = %(kind)s", kind=kind
    )
    return item["status"]


async def test_a_typed_answer_that_is_edited_into_a_question_leaves_nothing_of_itself_in_memory(
    village: Village,
) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    typed = await village.say("1", root=root, mention=False)
    await village.settle()

    await village.edit(typed, CLEAR.format(2), mention=False)
    await village.settle()

    assert [] == await broken(village)


async def test_a_typed_answer_that_is_edited_into_nothing_opens_the_question_again(village: Village) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    typed = await village.say("1", root=root, mention=False)
    await village.settle()

    await village.edit(typed, "hmm", mention=False)
    await village.settle()

    assert [] == await broken(village)
    assert [one for one in village.messages.values() if is_open_card(one)]


async def test_a_typed_answer_that_is_edited_answers_its_own_question_though_another_was_asked_since(
    village: Village,
) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    typed = await village.say("1", root=root, mention=False)
    await village.settle()
    await village.say(AMBIGUOUS.format(2), root=root, person=BEN)
    await village.settle()

    await village.edit(typed, "2", mention=False)
    await village.settle()

    assert [] == await broken(village)
    assert [one for one in village.messages.values() if is_open_card(one) and "a2" in text_of(one)]


async def test_a_question_that_is_answered_late_takes_its_place_in_memory(village: Village) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    await village.say(CLEAR.format(2), root=root, mention=False)
    await village.settle()

    await village.edit(root, CLEAR.format(3), mention=True)
    await village.settle()

    assert [] == await broken(village)


@pytest.mark.parametrize("method", ["chat.startStream", "chat.postMessage"])
async def test_a_draft_of_which_nobody_knows_whether_slack_took_it_is_found(village: Village, method: str) -> None:
    faults = village.slack.faults
    if method == "chat.postMessage":
        faults.fail("chat.startStream")
        faults.fail(method)
    faults.lose_answer(method)
    await village.say(CLEAR.format(1))
    for letter in list(village.letters):
        await village.carry(letter, village.hosts[0])
    await village.work(village.hosts[0])

    await village.settle()

    assert [] == await broken(village)


async def test_an_answered_question_that_is_edited_into_an_ambiguous_one_is_forgotten(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    await village.say(CLEAR.format(2), root=root, person=BEN)
    await village.settle()
    await village.edit(root, AMBIGUOUS.format(3), mention=True)
    await village.settle()

    await village.say(CLEAR.format(4), root=root)
    await village.settle()

    assert [] == await broken(village)


async def test_a_card_that_is_clicked_before_anybody_knows_of_it_says_so_all_the_same(village: Village) -> None:
    first, second = village.hosts
    await village.say(AMBIGUOUS.format(1))
    await village.carry_all(first)
    await village.work(first)
    await village.work(first, pause_at="after chat.postMessage")
    await village.kill(first)

    (card,) = [one for one in village.messages.values() if is_open_card(one)]
    await village.click(card, label="Desk")
    await village.carry_all(second)
    await village.settle()

    assert [] == await broken(village)
    assert [] == [one for one in village.messages.values() if is_open_card(one)]


async def test_a_click_counts_though_what_people_say_is_being_read_in_this_moment(village: Village) -> None:
    first, second = village.hosts
    root = await village.say(AMBIGUOUS.format(1))
    await village.settle()
    (card,) = village.ours
    await village.say("Ben, can you tell?", root=root, mention=False)
    await village.carry_all(first)
    await village.work(first, pause_at="before a commit")

    await village.click(card, label="Desk")
    await village.carry_all(second)
    await village.settle()

    assert [] == await broken(village)
    assert [] == [one for one in village.ours if is_open_card(one)]


async def test_a_status_goes_with_the_thread_that_is_deleted_while_it_is_answered(village: Village) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_after=8)
    assert village.slack.kept_up

    await village.delete(asked)
    await village.settle()

    assert [] == await broken(village)


async def test_a_status_that_a_dead_process_left_is_for_slack_to_take_away(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    asked = await village.say(CLEAR.format(2), root=root)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[1], pause_after=8)
    assert village.slack.kept_up

    await village.kill(village.hosts[1])
    await village.delete(asked)
    await village.settle()

    assert [] == await broken(village)


async def test_a_question_that_is_edited_again_and_again_does_not_fail_of_it(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    await village.say(CLEAR.format(2), root=root)
    await village.settle()

    for number in range(3, 6):
        await village.edit(root, CLEAR.format(number), mention=True)
        await village.carry_all(village.hosts[0])
    await village.settle()

    assert [] == await broken(village)
    assert [] == await village.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND status = 'failed'")


async def test_what_is_heard_late_of_changes_uses_up_no_attempts(village: Village) -> None:
    await village.say(CLEAR.format(1))
    await village.carry_all(village.hosts[0])
    item = (await village.waiting())[0]["id"]

    for _ in range(4):
        village.hosts[0].overtake([item])
        await village.work(village.hosts[0])
    await village.settle()

    assert [] == await broken(village)
    assert [] == await village.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND status = 'failed'")


@pytest.mark.parametrize("pause", ["before a commit", "after chat.update"])
async def test_a_change_that_was_killed_again_and_again_comes_into_force(village: Village, pause: str) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    await village.settle()
    await village.edit(root, CLEAR.format(2), mention=True)
    await village.carry_all(village.hosts[0])

    for _ in range(3):
        await village.work(village.hosts[0], pause_at=pause)
        await village.kill(village.hosts[0])
    await village.settle()

    assert [] == await broken(village)
    assert [] == await village.rows("SELECT FROM inbox WHERE workspace = %(workspace)s AND status = 'failed'")


@pytest.mark.parametrize("pause", ["before chat.appendStream", "before chat.stopStream"])
async def test_what_a_killed_run_has_shown_is_not_left_behind_as_its_question_joins_an_edited_one(
    village: Village, pause: str
) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    await village.say(CLEAR.format(2), root=root)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at=pause)
    await village.kill(village.hosts[0])

    await village.edit(root, CLEAR.format(3), mention=True)
    await village.settle()

    assert [] == await broken(village)


async def test_what_a_killed_run_has_shown_goes_with_its_question_though_nobody_knew_of_it(village: Village) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at="after chat.startStream")
    await village.kill(village.hosts[0])

    await village.delete(asked)
    await village.settle()

    assert [] == await broken(village)
    assert [] == village.ours


@pytest.mark.parametrize("pause", ["after chat.postMessage", "after chat.update"])
async def test_what_says_that_an_answer_was_stopped_says_it_once(village: Village, pause: str) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.carry_all(village.hosts[0])
    if pause == "after chat.update":
        await village.work(village.hosts[0], pause_at="after chat.startStream")
        await village.kill(village.hosts[0])
    await village.react(asked)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at=pause)
    await village.kill(village.hosts[0])

    await village.settle()

    assert [] == await broken(village)
    assert ["Stopped."] == [one["text"] for one in village.ours]


async def test_a_stop_that_slack_was_not_told_of_is_told_again(village: Village) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.react(asked)
    village.slack.faults.fail("chat.postMessage", times=2)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])

    await village.settle()

    assert ["Stopped."] == [one["text"] for one in village.ours]


@pytest.mark.parametrize("pause", ["", "before chat.update", "after chat.update"])
async def test_what_an_edited_question_was_answered_before_stays_with_its_stop_and_is_no_answer(
    village: Village, pause: str
) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.settle()
    await village.edit(asked, CLEAR.format(2), mention=True)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])
    if pause:
        await village.work(village.hosts[0], pause_at=pause)
        await village.kill(village.hosts[0])

    await village.react(asked)
    await village.settle()

    assert [] == await broken(village)
    (stopped,) = village.ours
    # Killed before its commit, the new answer was there: nobody can tell.
    assert f"The answer to c{2 if pause == 'after chat.update' else 1} is 26 days" in text_of(stopped)
    assert "before this was answered anew" in text_of(stopped)


async def test_what_an_edited_question_was_answered_before_is_no_answer_where_it_was_about_to_ask_back(
    village: Village,
) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.settle()
    await village.edit(asked, AMBIGUOUS.format(2), mention=True)
    await village.carry_all(village.hosts[0])
    for _change_and_run in range(2):
        await village.work(village.hosts[0])
    assert ["asking"] == [one["status"] for one in await village.waiting()]

    await village.react(asked)
    await village.settle()

    assert [] == await broken(village)
    (stopped,) = village.ours
    assert "before this was answered anew" in text_of(stopped)


async def test_an_answer_in_several_messages_to_earlier_words_says_so_below_the_last(village: Village) -> None:
    asked = await village.say("What is the limit for l1?")
    await village.settle()
    await village.edit(asked, CLEAR.format(2), mention=True)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])

    await village.react(asked)
    await village.settle()

    assert [] == await broken(village)
    *above, below = village.ours
    assert above
    assert [False] * len(above) == ["before this was answered anew" in text_of(one) for one in above]
    assert "before this was answered anew" in text_of(below)


async def test_what_slack_keeps_of_a_deleted_question_is_withdrawn_and_nobody_takes_it_over(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    beside = await village.say(CLEAR.format(2), root=root, person=BEN)
    await village.settle()
    village.slack.faults.fail("chat.delete", "compliance_exports_prevent_deletion")
    await village.delete(root)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])

    await village.edit(beside, "What is the limit for l3?", mention=True)
    await village.settle()

    assert [] == await broken(village)
    kept, *answer = village.ours
    assert WITHDRAWN == kept["text"]
    assert "c1" not in text_of(kept)
    assert "l3" in text_of(answer[0])


async def test_a_choice_whose_question_is_edited_counts_no_more_though_slack_keeps_its_card(village: Village) -> None:
    asked = await chosen(village)
    await village.settle()
    village.slack.faults.fail("chat.delete", "compliance_exports_prevent_deletion")
    await village.edit(asked, CLEAR.format(2), mention=True)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])

    await village.settle()

    assert [] == await broken(village)
    assert 1 == [one["text"] for one in village.ours].count(WITHDRAWN)


@pytest.mark.parametrize("change", ["edit", "removal"])
async def test_a_change_comes_into_force_though_slack_neither_takes_a_message_away_nor_overwrites_it(
    village: Village, change: str
) -> None:
    asked = await chosen(village)
    await village.settle()
    if change == "edit":
        await village.edit(asked, AMBIGUOUS.format(2), mention=True)
    else:
        await village.delete(asked)
    for method in ("chat.delete", "chat.update"):
        village.slack.faults.fail(method, "invalid_auth", times=99)
    await village.carry_all(village.hosts[0])
    for _ in range(ATTEMPTS):
        await village.work(village.hosts[0])
        village.slack.clock.advance(5.0)

    (turn, changed) = await village.rows(
        "SELECT id, status FROM inbox WHERE kind IN ('turn', 'edit', 'removal') ORDER BY kind = 'turn' DESC"
    )
    assert ("waiting" if change == "edit" else "removed", "finished") == (turn["status"], changed["status"])
    # What stands there is known, or the next run would take it for its own.
    known = await village.rows("SELECT ts FROM messages")
    assert {one["ts"] for one in village.ours} == {row["ts"] for row in known}
    await village.settle()
    if change == "edit":
        assert [] == await broken(village)
        assert [True] == [is_open_card(one) for one in village.ours]


async def test_a_drop_that_slack_was_not_told_of_is_told_again(village: Village) -> None:
    await village.say(CLEAR.format(1))
    await village.carry_all(village.hosts[0])
    village.slack.faults.fail("chat.postMessage", times=2)
    assert await village.drop(0)
    await village.work(village.hosts[0])

    await village.settle()

    (dropped,) = village.ours
    assert "An administrator has dropped" in text_of(dropped)


async def test_a_choice_that_is_dropped_before_it_was_answered_can_be_pressed_no_more(village: Village) -> None:
    await chosen(village)

    assert await village.drop(0)
    await village.settle()

    assert [] == await broken(village)
    assert [] == [one for one in village.ours if is_open_card(one)]


@pytest.mark.parametrize("pause", ["before chat.startStream", "before chat.stopStream", "after chat.stopStream"])
async def test_what_a_run_that_is_ended_still_stores_goes_with_it(village: Village, pause: str) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    await village.say(CLEAR.format(2), root=root)
    (host, _) = village.hosts
    await village.carry_all(host)
    with left_running() as left:
        await village.work(host, pause_at=pause)
        assert await village.drop(0)
        await village.hear_of_changes(host)
        await village.settle()

    # A run stores its state as it ends. One that is left to be collected does so at any time, in any transaction.
    assert [] == [name for name in left if name != "PregelRunner.atick"], "LangGraph's own stores nothing."
    assert [{"count": 1}] == await village.rows("SELECT count(*) FROM checkpoints")
    assert [] == await broken(village)


@pytest.mark.parametrize("ending", ["drop", "stop"])
async def test_a_choice_that_came_to_nothing_is_not_tried_again_once_its_question_was_edited(
    village: Village, ending: str
) -> None:
    asked = await chosen(village)
    if ending == "drop":
        await village.drop(0)
    else:
        await village.stop(asked)
    await village.settle()
    await village.edit(asked, CLEAR.format(2), mention=True)
    await village.settle()

    await village.retry(0)
    await village.settle()

    assert [] == await broken(village)
    (answer,) = village.ours
    assert "The answer to c2 is 26 days" in text_of(answer)


async def test_what_was_said_to_an_earlier_choice_is_forgotten_where_the_later_one_is_dropped(village: Village) -> None:
    await village.say(AMBIGUOUS.format(1))
    await village.settle()
    (card,) = village.ours
    await village.click(card, label="Desk")
    await village.settle()
    await village.click(village.messages[card["ts"]], label="Pine")
    await village.carry_all(village.hosts[0])

    assert await village.drop(0)
    await village.settle()

    assert [] == await broken(village)


@pytest.mark.parametrize("wish", ["answer after all", "edit"])
async def test_what_was_stopped_before_it_ran_is_answered_in_the_same_message(village: Village, wish: str) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.carry_all(village.hosts[0])
    await village.react(asked)
    await village.carry_all(village.hosts[0])
    await village.settle()
    for host in list(village.hosts):
        await village.kill(host)
    (stopped,) = village.ours

    if wish == "edit":
        await village.edit(asked, CLEAR.format(2), mention=True)
    else:
        await village.click(stopped, label="Answer after all")
    await village.settle()

    assert [] == await broken(village)
    assert [stopped["ts"]] == [one["ts"] for one in village.ours]
    assert "26 days" in text_of(village.ours[0])


async def test_a_choice_that_was_stopped_and_changed_is_not_answered_beside_the_other(village: Village) -> None:
    asked = await chosen(village)
    (host, _) = village.hosts
    await village.work(host, pause_at="before chat.startStream")
    (card,) = village.ours
    await village.click(card, label="Pine")
    await village.react(asked)
    await village.carry_all(host)
    await village.hear_of_changes(host)
    await village.settle()
    assert "stopped" == await status_of(village, "reply")

    await village.retry(0)
    await village.settle()

    assert [] == await broken(village)
    (revised,) = [one for one in village.ours if is_answer(one)]
    assert "instead of *Desk*" in text_of(revised)


async def test_what_a_choice_has_shown_that_was_killed_and_changed_gives_way_to_the_other(village: Village) -> None:
    await chosen(village)
    (host, _) = village.hosts
    await village.work(host, pause_at="after chat.startStream")
    (card, _) = village.ours
    await village.click(card, label="Pine")
    await village.kill(host)
    await village.settle()

    assert [] == await broken(village)
    assert 1 == len([one for one in village.ours if is_answer(one)])


@pytest.mark.parametrize("ending", ["stop", "drop", "fail"])
async def test_the_card_of_a_question_that_nobody_answered_is_closed_though_its_answer_came_to_nothing(
    village: Village, ending: str
) -> None:
    asked = await village.say(AMBIGUOUS.format(1))
    await village.settle()
    village.slack.clock.advance(3 * 24 * 3600.0)
    await village.sweep(village.hosts[0])

    match ending:
        case "stop":
            await village.react(asked)
        case "drop":
            await village.drop(0)
        case _:
            await village.fail_for_good()
    await village.settle()

    assert [] == await broken(village)
    (card,) = [one for one in village.ours if "Nobody answered." in text_of(one)]
    assert not is_open_card(card)


async def test_what_changed_a_choice_is_stopped_at_the_answer_whose_place_it_takes(village: Village) -> None:
    await chosen(village)
    await village.settle()
    (card, answer) = village.ours
    await village.click(card, label="Pine")
    await village.carry_all(village.hosts[0])

    await village.react(answer["ts"])
    await village.settle()

    assert "stopped" == await status_of(village, "revision")
    assert "*Pine*" in text_of(village.ours[0])
    await village.click(village.ours[0], label="Desk")
    await village.settle()
    assert [] == await broken(village)
    assert 2 == await count_of(village, "revision")


async def test_what_follows_a_question_that_is_edited_is_answered_in_its_own_place(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    await village.say(CLEAR.format(2), root=root, person=BEN)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at="before a commit")
    await village.edit(root, CLEAR.format(3), mention=True)
    await village.say(CLEAR.format(4), root=root)
    await village.carry_all(village.hosts[0])

    await village.settle()

    assert [] == await broken(village)
    assert [["c3"], ["c2"], ["c4"]] == [tags_in(text_of(one)) for one in village.ours]


async def test_a_question_whose_card_nobody_could_see_is_not_open(village: Village) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])
    await village.fail_for_good()
    assert [] == await broken(village)

    await village.say("Desk", root=root, mention=False)
    await village.pass_days()

    assert [] == await broken(village)
    (failure,) = village.ours
    assert "Retry" in labels_of(failure)


@pytest.mark.parametrize("how", ["deleted", "edited"])
async def test_what_was_only_overheard_is_forgotten_when_it_is_deleted_or_edited(village: Village, how: str) -> None:
    root = await village.say(CLEAR.format(1))
    overheard = await village.say("lunch s2?", root=root, person=BEN, mention=False)
    await village.settle()
    assert ["lunch s2?"] == await remembered_remarks(village)

    if how == "deleted":
        await village.delete(overheard)
    else:
        await village.edit(overheard, "dinner s3?", mention=False)
    await village.settle()

    assert [] == await broken(village)
    assert ([] if how == "deleted" else ["dinner s3?"]) == await remembered_remarks(village)


async def test_of_what_was_overheard_together_only_what_is_deleted_is_forgotten(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    await village.say(CLEAR.format(2), root=root)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at="before a commit")
    await village.say("lunch s3?", root=root, person=BEN, mention=False)
    second = await village.say("sushi s4?", root=root, person=BEN, mention=False)
    await village.carry_all(village.hosts[0])
    await village.settle()
    assert ["lunch s3?\nsushi s4?"] == await remembered_remarks(village)

    await village.delete(second)
    await village.settle()

    assert [] == await broken(village)
    assert ["lunch s3?"] == await remembered_remarks(village)


async def test_a_part_that_was_also_read_from_the_thread_is_forgotten_when_it_is_deleted(village: Village) -> None:
    root = await village.say(CLEAR.format(1))
    await village.settle()
    await village.edit(root, "lunch s2?", mention=False)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])
    await village.work(village.hosts[0], pause_at="before a commit")
    await village.say("pizza s3?", root=root, person=BEN, mention=False)
    part = await village.say("sushi s4?", root=root, person=BEN, mention=False)
    await village.carry_all(village.hosts[0])
    await village.say(CLEAR.format(5), root=root)
    await village.settle()
    assert ["lunch s2?", "pizza s3?", "sushi s4?"] == await remembered_remarks(village)

    await village.delete(part)
    await village.settle()

    assert [] == await broken(village)
    assert ["lunch s2?", "pizza s3?"] == await remembered_remarks(village)


async def test_what_was_read_from_the_thread_is_forgotten_when_it_is_deleted_before_it_came_in(
    village: Village,
) -> None:
    root = await village.say(CLEAR.format(1))
    late = list(village.letters)
    village.letters.clear()
    await village.say(CLEAR.format(2), root=root, person=BEN)
    await village.settle()
    assert [CLEAR.format(1)] == await remembered_remarks(village)

    await village.delete(root)
    await village.carry_all(village.hosts[0])
    village.letters.extend(late)
    await village.settle()

    assert [] == await broken(village)
    assert [] == await remembered_remarks(village)


async def test_a_reminder_of_a_question_goes_as_the_question_is_edited(village: Village) -> None:
    asked = await village.say(AMBIGUOUS.format(1))
    await village.settle()
    village.slack.clock.advance(4.5 * 3600)
    await village.settle()
    assert [one for one in village.ours if "still waits" in text_of(one)]

    await village.edit(asked, CLEAR.format(2), mention=True)
    await village.settle()

    assert [] == await broken(village)
    assert [] == [one for one in village.ours if "still waits" in text_of(one)]


async def test_what_was_said_before_the_bot_came_is_forgotten_when_it_is_deleted(village: Village) -> None:
    root = await village.say("lunch s1?", mention=False)
    early = await village.say("pizza s2?", root=root, person=BEN, mention=False)
    await village.say(CLEAR.format(3), root=root)
    await village.settle()
    assert ["lunch s1?", "pizza s2?"] == await remembered_remarks(village)

    await village.delete(early)
    await village.settle()

    assert [] == await broken(village)
    assert ["lunch s1?"] == await remembered_remarks(village)


async def test_a_question_that_was_edited_until_it_said_nothing_is_answered_when_it_is_edited_again(
    village: Village,
) -> None:
    asked = await village.say(CLEAR.format(1))
    await village.settle()
    await village.edit(asked, "", mention=True)
    await village.settle()
    assert [] == village.ours

    await village.edit(asked, CLEAR.format(2), mention=True)
    await village.settle()

    assert [] == await broken(village)
    (answer,) = village.ours
    assert ["c2"] == tags_in(text_of(answer))


async def test_called_again_into_a_thread_it_reads_what_was_said_where_the_first_call_was_taken_back(
    village: Village,
) -> None:
    root = await village.say("lunch s1?", mention=False)
    first = await village.say(CLEAR.format(2), root=root, person=BEN)
    await village.delete(first)
    await village.settle()

    await village.say(CLEAR.format(3), root=root, person=BEN)
    await village.settle()

    assert [] == await broken(village)
    assert ["lunch s1?"] == await remembered_remarks(village)


@pytest.mark.parametrize("is_shown", [False, True])
async def test_words_that_had_answered_a_card_answer_it_also_where_they_were_stopped_first(
    village: Village, *, is_shown: bool
) -> None:
    root = await village.say(AMBIGUOUS.format(1))
    await village.settle()
    words = await village.say("Pine", root=root, mention=not is_shown)
    await village.carry_all(village.hosts[0])
    if is_shown:
        await village.work(village.hosts[0], pause_at="after chat.startStream")
        await village.kill(village.hosts[0])
    await village.react(words)
    await village.settle()
    (card, stopped) = village.ours
    assert "*Pine*" in text_of(card)
    assert ["Answer after all"] == labels_of(stopped)

    await village.click(stopped, label="Answer after all")
    await village.settle()

    assert [] == await broken(village)
    (card, answer) = village.ours
    assert "*Pine*" in text_of(card)
    assert "The answer to a1" in text_of(answer)


async def test_what_a_stop_said_that_was_killed_and_taken_back_gives_way_to_the_answer(village: Village) -> None:
    asked = await village.say("What is the limit for l1?")
    await village.react(asked)
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at="before a commit")
    await village.kill(village.hosts[0])
    (stopped,) = village.ours

    await village.click(stopped, label="Answer after all")
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0], pause_at="before a commit")
    await village.settle()

    assert [] == await broken(village)
    (first, second) = village.ours
    assert (["l1"], []) == (tags_in(text_of(first)), tags_in(text_of(second)))
