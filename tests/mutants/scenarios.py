"""The purpose of each guard as a short story in the simulation. A scenario returns the broken promises."""

import asyncio
import copy
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

from psycopg import OperationalError
from psycopg.types.json import Jsonb

from bot.audience import EVERYONE, Names
from bot.clock import SystemClock
from bot.conversation.address import PersonId
from bot.conversation.asks.call_store import ApprovedCall
from bot.conversation.schedule import Cadence
from bot.conversation.workers.worker import Worker
from bot.knowledge.flags.flagging import DatabaseFlagIntake
from graph.tools import PlannedChange, ToolCall, ToolResult
from playground.wire import Json
from tests.journeys.harness import LOOK, is_answer, is_open_card, labels_of, text_of
from tests.simulation.harness import PEOPLE, Simulation
from tests.simulation.host import Deed
from tests.simulation.promises import broken
from tests.support.flagged import FLAGGED

ADA, BEN = PEOPLE
CLEAR, AMBIGUOUS = "What is the limit for c{0}?", "Where do I find w{0} a{0}?"
LONG_SECONDS = 5 * 3600
OFTEN = Cadence(deadlines_seconds=0.2, pruning_seconds=0.2)
PATIENCE_SECONDS = 60.0
"""Time for what happens by itself within two seconds on an idle machine."""
_CLOSED = "SELECT FROM asks WHERE workspace = %(workspace)s AND status = 'superseded'"


async def a_mention_comes_as_two_events(simulation: Simulation) -> list[str]:
    """Slack sends `app_mention` and `message` for one post, each to another process."""
    await simulation.say(CLEAR.format(1))
    for letter, host in zip([*simulation.letters], simulation.hosts, strict=True):
        await simulation.carry(letter, host)
    return await calm(simulation)


async def two_machines_remind_at_once(simulation: Simulation) -> list[str]:
    """Two jobs read at the same time, and both see the same due question."""
    await asked_back(simulation)
    simulation.slack.clock.advance(LONG_SECONDS)
    first, second = simulation.hosts
    await simulation.job(first, pause_at="before a commit")
    await simulation.job(second)
    faults = await calm(simulation)
    reminders = [one for one in simulation.messages.values() if "still waits" in text_of(one)]
    return faults + [f"{len(reminders)} reminders"] * (len(reminders) != 1)


async def a_process_dies_in_the_middle_of_a_call(simulation: Simulation) -> list[str]:
    """Nobody knows whether the call has arrived, so the next run does not make it again."""
    await simulation.say(CLEAR.format(1))
    faults = await calm(simulation)
    change = PlannedChange(tool="tracker.create", title="Tracker: create", arguments={})
    (ask,) = await simulation.rows(
        """
        INSERT INTO asks (workspace, kind, token, inbox_id, thread_id, channel, interrupt_id, payload, status, decision,
                          asked_at, due_at)
        SELECT workspace, 'clarification', 'call', id, thread_id, 'C0', 'i', %(payload)s, 'decided',
               '{"value": "allow"}', now(), now()
        FROM inbox WHERE workspace = %(workspace)s RETURNING id
        """,
        payload=Jsonb({"change": change}),
    )
    calls: list[ToolCall] = []

    async def dying(call: ToolCall) -> ToolResult:
        calls.append(call)
        raise asyncio.CancelledError

    async def connected():  # noqa: ANN202
        return dying

    approved = ApprovedCall(
        database=simulation.database,
        workspace=simulation.workspace,
        ask_id=ask["id"],
        connected=connected,
        clock=SystemClock(),
    )
    for _ in range(2):
        with suppress(asyncio.CancelledError):
            await approved.make(change)
    return faults + [f"{len(calls)} calls"] * (len(calls) != 1)


async def a_question_is_stopped_before_its_approved_call_begins(simulation: Simulation) -> list[str]:
    """The run that is about to make the call has not heard of the stop yet."""
    root = await simulation.say("Please create t1?")
    assert [] == await calm(simulation)
    first, second = simulation.hosts
    await simulation.click(cards(simulation)[0], label=LOOK)
    await simulation.carry_all(first)
    for view in list(simulation.slack.views.values()):
        simulation.submit(view, {})
    await simulation.carry_all(first)
    await simulation.work(first, pause_at="before the tools are there")
    await simulation.stop(root)
    await simulation.carry_all(second)
    faults = await calm(simulation)
    return faults + ["a stopped call was made"] * bool(simulation.slack.created)


async def two_processes_tell_the_owner_of_a_flagged_document(simulation: Simulation) -> list[str]:
    """Both have seen that nobody was told."""
    await _flagged(simulation)
    return await _told_by_two(lambda tell: _flag_intake(simulation).tell_next(tell, _Owners()))


async def two_processes_tell_who_reported_a_document(simulation: Simulation) -> list[str]:
    """Both have seen that the owner said that the document is right."""
    await _flagged(simulation)
    await simulation.rows(
        "UPDATE flags SET told_at = now(), settled_at = now() WHERE workspace = %(workspace)s RETURNING id"
    )
    return await _told_by_two(lambda tell: _flag_intake(simulation).answer_next(tell, _Owners().names_of))


async def questions_come_the_wrong_way_round(simulation: Simulation) -> list[str]:
    """The later of two questions of a thread arrives first."""
    root = await simulation.say(CLEAR.format(1))
    await simulation.say(CLEAR.format(2), root=root, person=BEN)
    for letter in simulation.letters[::-1]:
        await simulation.carry(letter, simulation.hosts[0])
    faults = await calm(simulation)
    answers = [text_of(one) for one in simulation.messages.values() if is_answer(one)]
    in_order = ["c1" in answer for answer in answers] == [True, False]
    return faults + [f"answered as {answers}"] * (not in_order)


async def an_earlier_question_is_edited_while_a_later_one_is_answered(simulation: Simulation) -> list[str]:
    """Two hosts would run in one thread at once, and the checkpoint that is written last would win."""
    root = await simulation.say(CLEAR.format(1))
    await calm(simulation)
    await simulation.say(CLEAR.format(2), root=root)
    first, second = simulation.hosts
    await simulation.carry_all(first)
    await simulation.work(first, pause_at="before chat.startStream")
    await simulation.edit(root, CLEAR.format(3), mention=True)
    await simulation.carry_all(second)
    for _ in range(2):
        await simulation.work(second)
    return await calm(simulation)


async def two_people_click_at_once(simulation: Simulation) -> list[str]:
    """Two hosts receive a click on the same card at the same moment."""
    card = await asked_back(simulation)
    await simulation.click(card, label="Desk")
    await simulation.click(card, person=BEN, label="Pine")
    first, second = simulation.letters
    await simulation.carry(first, simulation.hosts[0], pause_at="before a commit")
    await simulation.carry(second, simulation.hosts[1])
    return await calm(simulation)


async def somebody_clicks_on_what_was_answered(simulation: Simulation) -> list[str]:
    """A click comes after the one that counted."""
    card = await asked_back(simulation)
    await simulation.click(card, label="Desk")
    await calm(simulation)
    await simulation.click(card, person=BEN, label="Pine")
    return await calm(simulation)


async def the_process_dies_before_it_knows_where_its_answer_is(simulation: Simulation) -> list[str]:
    """Slack has accepted the message, and nothing has recorded its place."""
    await simulation.say(CLEAR.format(1))
    await dies(simulation, "after chat.startStream")
    return await calm(simulation)


async def the_process_dies_before_its_card_is_posted(simulation: Simulation) -> list[str]:
    """The run has ended in a question back whose card is not posted yet."""
    await simulation.say(AMBIGUOUS.format(1))
    await dies(simulation, "before chat.postMessage")
    return await calm(simulation)


async def the_process_dies_before_a_card_shows_that_its_question_is_closed(simulation: Simulation) -> list[str]:
    """A newer message has closed the question. That is committed, and Slack does not know it yet."""
    await simulation.say(CLEAR.format(2), root=(await asked_back(simulation))["thread_ts"])
    await dies_closing(simulation)
    return await calm(simulation)


async def the_process_dies_before_a_card_shows_that_a_click_has_closed_its_question(
    simulation: Simulation,
) -> list[str]:
    """A person has asked a question by a button while another one waits."""
    first = await asked_back(simulation)
    await simulation.say(AMBIGUOUS.format(2), root=first["thread_ts"])
    assert [] == await calm(simulation)
    await simulation.click(simulation.messages[first["ts"]], label="Ask this again")
    await dies_closing(simulation)
    return await calm(simulation)


async def the_process_dies_before_a_card_shows_that_its_question_is_given_up(simulation: Simulation) -> list[str]:
    """Its asker has said "never mind", and no run is needed for that."""
    card = await asked_back(simulation)
    await simulation.say("never mind", root=card["thread_ts"], mention=False)
    await dies_closing(simulation)
    faults = await calm(simulation)
    shown = [text_of(one) for one in simulation.ours]
    return faults + [f"shown: {shown}"] * (len(shown) != 1 or "needs no answer any more" not in shown[0])


async def a_person_writes_again_after_the_process_died_before_a_card_shows_what_they_closed(
    simulation: Simulation,
) -> list[str]:
    """The message that has closed the question waited for a run, so a later one could be joined to it."""
    root, host = await simulation.say(AMBIGUOUS.format(1)), simulation.hosts[0]
    await simulation.carry_all(host)
    await simulation.say("Can I park there?", root=root)
    await simulation.carry_all(host)
    for _ in range(2):
        await simulation.work(host)
    (card,) = cards(simulation)
    await dies_closing(simulation)
    await simulation.say(labels_of(card)[0], root=root)
    faults = await calm(simulation)
    decided = "SELECT FROM asks WHERE workspace = %(workspace)s AND status = 'decided'"
    return faults + ["a question that was closed is decided"] * len(await simulation.rows(decided))


async def a_message_is_stopped_after_the_process_died_before_a_card_shows_what_it_closed(
    simulation: Simulation,
) -> list[str]:
    """The message that has closed the question does not run again."""
    newer = await simulation.say(CLEAR.format(2), root=(await asked_back(simulation))["thread_ts"])
    await dies_closing(simulation)
    await simulation.react(newer, "x")
    return await calm(simulation)


async def a_message_that_has_closed_a_question_is_stopped_and_fails_much_later(simulation: Simulation) -> list[str]:
    """Its failure must not open the question again. It was closed when the message was stopped."""
    newer = await simulation.say(CLEAR.format(2), root=(await asked_back(simulation))["thread_ts"])
    host = simulation.hosts[0]
    await simulation.carry_all(host)
    await simulation.work(host, pause_at="before chat.startStream")
    await simulation.react(newer, "x")
    await simulation.carry_all(simulation.hosts[1])
    await simulation.hear_of_changes(host)
    assert [] == await calm(simulation)
    (stopped,) = [one for one in simulation.ours if "Answer after all" in labels_of(one)]
    await simulation.click(stopped, label="Answer after all")
    # Another process has not heard of the stop, so it ends no run because of that.
    await simulation.kill(host)
    await simulation.carry_all(simulation.hosts[0])
    await simulation.fail_for_good()
    faults = await calm(simulation)
    return faults + ["an old question is open again"] * bool(cards(simulation))


async def a_card_is_clicked_as_soon_as_it_is_there(simulation: Simulation) -> list[str]:
    """A person clicks before the card is recorded."""
    await simulation.say(AMBIGUOUS.format(1))
    first, second = simulation.hosts
    await simulation.carry_all(first)
    for _ in range(2):
        await simulation.work(first, pause_at="after chat.postMessage")
    (card,) = cards(simulation)
    await simulation.click(copy.deepcopy(card), label="Pine")
    await simulation.carry_all(second)
    faults = await calm(simulation)
    return faults + ["the click was lost"] * bool(cards(simulation))


async def every_run_takes_its_process_along(simulation: Simulation) -> list[str]:
    """A question that kills each process ends in a failure message."""
    await simulation.say(CLEAR.format(1))
    for _ in range(3):
        await dies(simulation, "after a commit")
    faults = await calm(simulation)
    failed = [one for one in simulation.ours if "Retry" in labels_of(one)]
    return faults + ["nobody counted"] * (not failed)


async def a_message_is_deleted_that_a_process_died_over(simulation: Simulation) -> list[str]:
    """Slack's acceptance was never recorded, and nothing will run again."""
    asked = await simulation.say(CLEAR.format(1))
    await dies(simulation, "after chat.startStream")
    await simulation.delete(asked)
    return await calm(simulation)


async def a_later_question_joins_an_earlier_one_after_its_process_died(simulation: Simulation) -> list[str]:
    """The message of its own run would stay beside the answer to both."""
    root = await simulation.say(CLEAR.format(1))
    await calm(simulation)
    await simulation.say(CLEAR.format(2), root=root)
    late = list(simulation.letters)
    simulation.letters.clear()
    await simulation.say(CLEAR.format(3), root=root)
    await dies(simulation, "before chat.stopStream")
    simulation.letters.extend(late)
    # The earlier one waits behind a run, like every item that can be joined.
    await simulation.edit(root, CLEAR.format(4), mention=True)
    return await calm(simulation)


async def a_change_takes_its_process_along(simulation: Simulation) -> list[str]:
    """If an edit is given up silently, the answer to the old words stays."""
    asked = await simulation.say(CLEAR.format(1))
    await calm(simulation)
    await simulation.edit(asked, AMBIGUOUS.format(2), mention=True)
    for _ in range(3):
        await dies(simulation, "after a statement")
    return await calm(simulation)


async def an_answer_is_taken_back_and_given_anew(simulation: Simulation) -> list[str]:
    """A click answers a reopened question whose run no longer waits. The click must not be lost."""
    root = await simulation.say(AMBIGUOUS.format(1))
    typed = await simulation.say("1", root=root, mention=False)
    await calm(simulation)
    await simulation.edit(typed, "hmm", mention=False)
    await calm(simulation)
    (card,) = cards(simulation)
    await simulation.click(card, label="Pine")
    return await calm(simulation)


async def a_run_loses_its_claim_while_it_waits_for_its_turn(simulation: Simulation) -> list[str]:
    """Another host answers while this run waits for the rate limit."""
    await simulation.say(CLEAR.format(1))
    first, second = simulation.hosts
    await simulation.carry_all(first)
    await simulation.work(first, pause_at="before chat.startStream")
    await simulation.cut_off(first)
    first.worker.life.doubt()
    await simulation.work(second)
    await simulation.live(first)
    return await calm(simulation)


async def a_run_is_stopped_that_has_not_noticed_that_its_claim_is_lost(simulation: Simulation) -> list[str]:
    """A run that does not know of its lost claim may post an answer beside the message that it was stopped."""
    root = await simulation.say(CLEAR.format(1))
    first, second = simulation.hosts
    await simulation.carry_all(first)
    await simulation.work(first, pause_at="before chat.startStream")
    await simulation.cut_off(first)
    await simulation.stop(root)
    await simulation.carry_all(second)
    stopping = asyncio.create_task(simulation.work(second))
    while not (stopping.done() or any(map(hesitates, second.deeds))):  # noqa: ASYNC110 - Nobody tells.
        await asyncio.sleep(0.01)
    if not stopping.done():
        first.worker.life.doubt()
    await stopping
    await simulation.live(first)
    return await calm(simulation)


async def somebody_presses_a_button_of_another_company(simulation: Simulation) -> list[str]:
    """A person guesses a token, or copies it from another workspace in the same database."""
    card = await asked_back(simulation)
    async with simulation.beside() as other:
        forged = await asked_back(other)
        stolen = buttons_of(card)[0]["value"]
        buttons_of(forged)[0]["value"] = stolen
        assert await other.click(forged, value=stolen)
        faults = await calm(other)
    chosen = await simulation.rows("SELECT FROM asks WHERE workspace = %(workspace)s AND status <> 'open'")
    return [*faults, *await calm(simulation), *("a stranger has chosen" for _ in chosen)]


async def connections_break_under_the_jobs(simulation: Simulation) -> list[str]:
    """The scheduler loses its connections in the middle of its work, and still keeps the deadlines."""
    await asked_back(simulation)
    async with simulation.hosts[0].jobs.running(OFTEN):
        for _ in range(30):
            await simulation.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            await asyncio.sleep(0.05)
        simulation.slack.clock.advance(LONG_SECONDS)
        if not await comes(simulation.waiting):
            return ["nobody looks at deadlines any more"]
    return await calm(simulation)


async def connections_break_under_the_slots(simulation: Simulation) -> list[str]:
    """Each slot loses its connection, and still answers later messages."""
    host = simulation.hosts[0]
    async with host.worker.running():
        while host.worker.life.number is None:  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0.01)
        host.database.fail_next(4, OperationalError("The connection broke."))
        while host.database.failures:  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0.01)
        await simulation.say(CLEAR.format(1))
        await simulation.carry_all(host)
        if not await comes(lambda: nothing_waits(simulation)):
            return ["nobody works any more"]
    return await broken(simulation)


async def asked_back(simulation: Simulation) -> Json:
    """Ask an ambiguous question; return its card."""
    await simulation.say(AMBIGUOUS.format(1))
    assert [] == await calm(simulation)
    (card,) = cards(simulation)
    return copy.deepcopy(card)


async def calm(simulation: Simulation) -> list[str]:
    """Run everything to its end; return the broken promises."""
    try:
        await simulation.settle()
    except AssertionError as error:
        return [str(error)]
    return await broken(simulation)


async def dies(simulation: Simulation, at: str) -> None:
    """Let a process receive and handle everything, and kill it at a moment."""
    host = simulation.hosts[0]
    await simulation.carry_all(host)
    await simulation.work(host, pause_at=at)
    await simulation.kill(host)


async def dies_closing(simulation: Simulation) -> None:
    """Let a process close a question, and kill it once that is committed, before Slack knows."""
    host = simulation.hosts[0]
    was = await simulation.rows(_CLOSED)
    await simulation.carry_all(host)
    await simulation.work(host, pause_at="before chat.update")

    async def closed() -> bool:
        return len(await simulation.rows(_CLOSED)) > len(was)

    assert await comes(closed)
    await simulation.kill(host)


def hesitates(deed: Deed) -> bool:
    """Tell whether a worker waits between claim and work. It waits for Slack's rate limit elsewhere."""
    waits_for: Any = deed.task.get_coro()
    names = list[str]()
    while waits_for is not None:
        names.append(getattr(waits_for, "__name__", ""))
        waits_for = getattr(waits_for, "cr_await", None)
    return (Worker._handle.__name__, asyncio.sleep.__name__) in pairwise(names)


async def comes(awaited: Callable[[], Awaitable[object]]) -> bool:
    """Wait for a result that nothing announces; return whether it came."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await awaited():  # noqa: ASYNC110 - As said above.
                await asyncio.sleep(0.05)
    except TimeoutError:
        return False
    return True


async def nothing_waits(simulation: Simulation) -> bool:
    """Tell whether every item is done."""
    return not await simulation.waiting()


def buttons_of(card: Json) -> list[Json]:
    """Return a card's buttons."""
    return [one for block in card["blocks"] for one in block.get("elements", []) if "value" in one]


def cards(simulation: Simulation) -> list[Json]:
    """Return the open cards."""
    return [one for one in simulation.messages.values() if is_open_card(one)]


class _Owners:
    """Everybody reads what is for everyone."""

    async def named(self, text: str) -> PersonId | None:
        return None

    async def names_of(self, recipient: str) -> Names:
        return frozenset({EVERYONE})


def _flag_intake(simulation: Simulation) -> DatabaseFlagIntake:
    return DatabaseFlagIntake(
        database=simulation.database, clock=SystemClock(), workspace=simulation.workspace, review_channel="C0PEOPLE"
    )


async def _told_by_two(look: Callable[[Callable[..., Awaitable[bool]]], Awaitable[bool]]) -> list[str]:
    """Let a second process look while the first one tells; return how often somebody was told, if not once."""
    told: list[str] = []

    async def tell_too(*_notice: object) -> bool:
        told.append("by the second")
        return True

    async def tell(*_notice: object) -> bool:
        told.append("by the first")
        await look(tell_too)
        return True

    await look(tell)
    return [f"told {told}"] * (told != ["by the first"])


async def _flagged(simulation: Simulation) -> None:
    """Let a reader have flagged a document."""
    await simulation.say(CLEAR.format(1))
    await calm(simulation)
    await simulation.rows(f"{FLAGGED} RETURNING id", owner=None)
