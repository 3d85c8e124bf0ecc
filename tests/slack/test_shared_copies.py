"""Copies of shared answers: however slow Slack is and whenever a process dies, each is posted once."""

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient
from structlog.testing import capture_logs

from bot.clock import SystemClock
from bot.conversation.address import Address, ChannelId, PersonId, Placed, Ts
from bot.conversation.intake import Intake
from bot.errors import MessageKeptError, OutcomeUnknownError, SlackBusyError, SlackError
from bot.postgres.pool import Database
from bot.receiver import RECEIVER_CONNECTIONS
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.blocks.elements import Block
from bot.slack.blocks.share_cards import GIVEN_UP
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.share_listeners import ShareListeners
from bot.slack.payloads.buttons import SHARE, disliked_value
from bot.slack.payloads.shapes import Payload
from bot.slack.sharing.copies import SharedCopies
from bot.slack.sharing.share_store import LEASE, LONGEST_PAUSE, MOST_ATTEMPTS
from tests.conversation.test_intake import message
from tests.slack.payloads import US, action
from tests.slack.recording import Acquainted, RecordingIntake
from tests.slack.test_listeners import answered, as_anybody, may_read
from tests.support.fakes import TurnedClock
from tests.support.waiting import PATIENCE

BY_RATING = {"type": "context_actions", "elements": [{"negative_button": {"value": disliked_value([1])}}]}


class Killed(BaseException):
    """The process ends here: nothing after this point is done."""


class OneChannel(Messenger):
    """A Slack with one channel: its messages by id, each with its key. It may be slow, or the end of the process."""

    def __init__(self) -> None:
        super().__init__(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace())
        self.there: dict[Ts, str] = {}
        self.posting = 0
        self.hears = asyncio.Semaphore(0)
        """Released by each post that has arrived."""
        self.answers = asyncio.Event()
        self.answers.set()
        self.ends_at = ""
        self.keeps = False
        self.is_away = False
        self.error: Exception = OutcomeUnknownError("away")
        self.refuses_to_tell: SlackError | None = None
        self.before_find: Coroutine[None, None, None] | None = None
        """What happens while the next search for a copy is under way."""
        self.told: list[str] = []

    def step(self, name: str) -> None:
        """Pass a step, at which the process may end, once."""
        if self.is_away:
            raise self.error
        if name == self.ends_at:
            self.ends_at = ""
            raise Killed(name)

    async def channels_of(self, person: PersonId) -> frozenset[str]:
        return frozenset({"C0"})

    async def message(self, channel: str, thread_ts: str, ts: str) -> Payload | None:
        self.step("look")
        return {"ts": ts, "blocks": [BY_RATING]}

    async def find(
        self, channel: str, key: str, *, oldest: str | None = None, thread_ts: str | None = None
    ) -> Ts | None:
        if during := self.before_find:
            self.before_find = None
            await during
        self.step("find")
        return next((ts for ts, known in self.there.items() if known == key), None)

    async def post(
        self, channel: str, *, text: str, blocks: Sequence[Block], thread_ts: str | None = None, key: str = ""
    ) -> Ts:
        self.step("post")
        self.posting += 1
        number = self.posting
        self.hears.release()
        await self.answers.wait()
        ts = Ts(f"9.{number:06}")
        self.there[ts] = key
        self.step("posted")
        return ts

    async def delete(self, channel: str, ts: str) -> None:
        self.step("delete")
        if self.keeps or not self.there.pop(Ts(ts), None):
            raise MessageKeptError("chat.delete: message_not_found")
        self.step("deleted")

    async def post_ephemeral(self, address: Address, text: str, blocks: Sequence[Block] = ()) -> None:
        if self.is_away:
            raise self.error
        if self.refuses_to_tell:
            raise self.refuses_to_tell
        self.told.append(text)
        self.step("told")


def copies_of(database: Database, slack: OneChannel, tasks: BackgroundTasks, clock: TurnedClock) -> SharedCopies:
    """Return the copies as one process sees them."""
    storing = partial(database.transaction, "one")
    return SharedCopies(storing, slack, tasks, clock, names_of=as_anybody, may_read=may_read)


async def recorded(database: Database) -> list[tuple[Any, ...]]:
    """Return of each copy where it is, whether it was taken back, and whether something is to be done."""
    async with database.transaction("one") as connection:
        rows = await connection.execute(
            "SELECT ts, taken_back_at IS NOT NULL AS gone, due_at IS NOT NULL AS due FROM shared_answers ORDER BY id"
        )
        return [(row["ts"], row["gone"], row["due"]) for row in await rows.fetchall()]


async def begin(database: Database) -> tuple[Address, Placed]:
    """Let a question be answered in a direct message; return its address and the answer."""
    await answered(database, "1.000001", "2.5")
    return message(ts="1.000001", person="UADA").address, Placed(channel=ChannelId("D1"), ts=Ts("2.5"))


async def lives(slack: OneChannel, database: Database, clock: TurnedClock) -> None:
    """Let another process do what is due, first before and then after the lease of the dead one."""
    async with BackgroundTasks() as tasks:
        other = copies_of(database, slack, tasks, clock)
        before = list(slack.there)
        await other.do_next()
        assert before == list(slack.there)
        clock.turn(seconds=LEASE.total_seconds())
        while await other.do_next():
            pass


async def test_a_slow_slack_and_many_shares_keep_no_event_from_being_stored(app_url: str) -> None:
    number, slack = RECEIVER_CONNECTIONS + 1, OneChannel()
    slack.answers.clear()
    async with (
        Database.open(app_url, size=RECEIVER_CONNECTIONS, workspace="one") as database,
        BackgroundTasks() as tasks,
    ):
        for one in range(number):
            await answered(database, f"1.{one:06}", f"2.{one:06}")
        storing, check = (
            partial(database.transaction, "one"),
            AccessCheck(Acquainted(slack, US), slack, tasks, SystemClock()),
        )
        copies = SharedCopies(storing, slack, tasks, SystemClock(), names_of=as_anybody, may_read=may_read)
        shares = ShareListeners(storing, RecordingIntake(), check, copies)
        presses: list[dict[str, Any]] = [
            action(SHARE, "answer", channel={"id": "D1"}, container={"message_ts": f"2.{one:06}"})
            for one in range(number)
        ]
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as clicks:
            for press in presses:
                clicks.create_task(shares.act(press))

        async with asyncio.timeout(PATIENCE):
            for _ in range(RECEIVER_CONNECTIONS):
                await slack.hears.acquire()
            intake = Intake(database, SystemClock(), workspace="one", surface="slack")
            await intake.receive(message(ts="5.000001"))
        assert {} == slack.there
        slack.answers.set()
        await tasks.finish()
        assert [(False, False)] * number == [row[1:] for row in await recorded(database)]

    assert number == len(slack.there)


@pytest.mark.parametrize("end", ["find", "look", "post", "posted"])
async def test_killed_between_any_two_steps_a_copy_is_neither_lost_nor_doubled(database: Database, end: str) -> None:
    # Killed before the first commit, nothing was acknowledged, and the click failed where its person sees it. Later the
    # row is there: whoever finds it due looks for its key before it posts.
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.ends_at = end
    async with BackgroundTasks() as tasks:
        await copies_of(database, slack, tasks, clock).share(asked, answer)
    assert [(None, False, True)] == await recorded(database)

    await lives(slack, database, clock)
    async with BackgroundTasks() as tasks:
        await copies_of(database, slack, tasks, clock).share(asked, answer)

    (ts,) = slack.there
    assert [(ts, False, False)] == await recorded(database)


@pytest.mark.parametrize("end", ["delete", "deleted"])
async def test_killed_while_a_copy_is_taken_back_it_goes_all_the_same(database: Database, end: str) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
    slack.ends_at = end
    async with BackgroundTasks() as tasks:
        await copies_of(database, slack, tasks, clock).take_back("C0:1.000001")

    await lives(slack, database, clock)

    assert {} == slack.there
    assert [("9.000001", True, False)] == await recorded(database)


@pytest.mark.parametrize(("end", "left"), [("post", []), ("posted", [("9.000001", True, False)])])
async def test_a_copy_of_which_only_slack_knows_goes_with_its_question(
    database: Database, end: str, left: list[tuple[Any, ...]]
) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.ends_at = end
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        await copies.take_back("C0:1.000001")

    await lives(slack, database, clock)

    assert {} == slack.there
    assert left == await recorded(database)


async def test_a_question_that_is_changed_while_its_copy_is_posted_takes_it_along(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.answers.clear()
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await asyncio.wait_for(slack.hears.acquire(), PATIENCE)
        await copies.take_back("C0:1.000001")
        # The new answer has the same message, and is another copy.
        await copies.share(asked, answer)
        slack.answers.set()

    assert ["9.000002"] == list(slack.there)
    assert [("9.000001", True, False), ("9.000002", False, False)] == await recorded(database)


async def test_a_copy_that_slack_does_not_delete_keeps_nothing_waiting(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.keeps = True
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        await copies.take_back("C0:1.000001")

    assert [("9.000001", True, False)] == await recorded(database)


async def later(copies: SharedCopies, clock: TurnedClock, pause: timedelta = LEASE) -> bool:
    """Look again when the lease of the last attempt is over."""
    clock.turn(seconds=pause.total_seconds())
    return await copies.do_next()


async def give_up(database: Database, slack: OneChannel, clock: TurnedClock, copies: SharedCopies) -> None:
    """Let Slack be away until the copy, of which one attempt was made, is given up."""
    slack.is_away = True
    for _ in range(MOST_ATTEMPTS - 1):
        assert [(None, False, True)] == await recorded(database)
        assert await later(copies, clock)
    slack.is_away = False


def test_a_share_is_tried_for_more_than_an_hour_as_its_sharer_is_told() -> None:
    assert (MOST_ATTEMPTS - 1) * LEASE > timedelta(hours=1)


async def test_if_slack_stays_away_a_share_is_given_up_told_once_and_can_be_pressed_again(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.is_away = True
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        with capture_logs() as logs:
            await give_up(database, slack, clock, copies)
            slack.is_away = True
            assert await later(copies, clock)
        await tasks.finish()
        assert [] == slack.told
        assert ["share_given_up"] == [one["event"] for one in logs if one["event"] != "sharing_failed"]

        slack.is_away = False
        assert await later(copies, clock)
        assert not await later(copies, clock, LONGEST_PAUSE)
        assert [GIVEN_UP] == slack.told
        assert {} == slack.there
        await copies.share(asked, answer)

    (ts,) = slack.there
    assert [(ts, False, False)] == await recorded(database)


async def test_who_has_shared_an_answer_again_is_not_told_that_it_was_given_up(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.is_away = True
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        await give_up(database, slack, clock, copies)
        await copies.share(asked, answer)
        await tasks.finish()
        assert await later(copies, clock)

    assert [] == slack.told
    assert 1 == len(slack.there)


@pytest.mark.parametrize(("refused", "told"), [(SlackError("no_permission"), 0), (SlackBusyError(), 1)])
async def test_a_sharer_is_told_later_if_slack_is_busy_and_not_at_all_if_it_refuses(
    database: Database, refused: SlackError, told: int
) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.is_away = True
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        await give_up(database, slack, clock, copies)
        slack.refuses_to_tell = refused
        assert await later(copies, clock)
        slack.refuses_to_tell = None
        assert bool(told) == await later(copies, clock, LONGEST_PAUSE)

    assert [GIVEN_UP] * told == slack.told
    assert [] == await recorded(database)


@pytest.mark.parametrize("end", ["find", "delete", "deleted", "told"])
async def test_killed_after_a_share_was_given_up_its_sharer_is_told_all_the_same(database: Database, end: str) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.ends_at = "posted"
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        await give_up(database, slack, clock, copies)
        slack.ends_at = end
        clock.turn(seconds=LEASE.total_seconds())
        with pytest.raises(Killed):
            await copies.do_next()

    await lives(slack, database, clock)

    assert {} == slack.there
    assert [GIVEN_UP] * (1 + (end == "told")) == slack.told
    assert [] == [row for row in await recorded(database) if row[2]]


async def test_what_an_attempt_has_left_goes_if_the_share_is_given_up(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.ends_at = "posted"
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        await give_up(database, slack, clock, copies)
        assert await later(copies, clock)

    assert {} == slack.there
    assert [("9.000001", True, False)] == await recorded(database)


async def test_a_copy_that_must_go_is_tried_until_slack_takes_it_at_last_once_an_hour(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        slack.is_away = True
        await copies.take_back("C0:1.000001")
        await tasks.finish()
        minutes = [3, 6, 12, 24, 48, *[60] * MOST_ATTEMPTS]
        for pause in minutes:
            assert not await later(copies, clock, timedelta(minutes=pause - 1))
            assert await later(copies, clock, timedelta(minutes=1))
        slack.is_away = False
        assert await later(copies, clock, LONGEST_PAUSE)

    assert {} == slack.there
    assert [("9.000001", True, False)] == await recorded(database)
    assert [] == slack.told


async def test_a_share_whose_question_changes_at_the_last_attempt_is_not_given_up(database: Database) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.is_away = True
    async with BackgroundTasks() as tasks:
        copies = copies_of(database, slack, tasks, clock)
        await copies.share(asked, answer)
        await tasks.finish()
        for _ in range(MOST_ATTEMPTS - 2):
            assert await later(copies, clock)
        slack.before_find = copies.take_back("C0:1.000001")
        with capture_logs() as logs:
            assert await later(copies, clock)
        await tasks.finish()
        slack.is_away = False
        assert await later(copies, clock, LONGEST_PAUSE)
        await tasks.finish()

    assert {"sharing_failed"} == {one["event"] for one in logs}
    assert [] == slack.told
    assert [] == await recorded(database)


@pytest.mark.parametrize("error", [OutcomeUnknownError("away"), KeyError("text")])
async def test_a_share_that_fails_for_whatever_reason_holds_up_no_other(database: Database, error: Exception) -> None:
    clock, slack = TurnedClock(), OneChannel()
    asked, answer = await begin(database)
    slack.is_away, slack.error = True, error
    async with BackgroundTasks() as tasks:
        await copies_of(database, slack, tasks, clock).share(asked, answer)
        await tasks.finish()
        await answered(database, "3.000001", "4.5")
        other = message(ts="3.000001", person="UADA").address
        await copies_of(database, slack, tasks, clock).share(other, Placed(channel=ChannelId("D1"), ts=Ts("4.5")))
        await tasks.finish()
        clock.turn(seconds=LEASE.total_seconds())
        copies = copies_of(database, slack, tasks, clock)

        assert [True, True, False] == [await copies.do_next() for _ in range(3)]
