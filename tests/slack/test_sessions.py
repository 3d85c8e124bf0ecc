"""A session's states are sent in order, only if they change, and left out if Slack is busy."""

import asyncio

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.workers import permit
from bot.errors import PermitLostError
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import SESSIONS, Messenger
from bot.slack.api.pace import CALLS_PER_MINUTE, Pace
from bot.slack.api.sessions import REFUSED_SECONDS, Session, Sessions
from playground import Playground


@pytest.fixture
async def address(playground: Playground) -> Address:
    ts = Ts(await playground.person("U0ADA").post("C0SUPPORT", "How long?"))
    return Address(
        team=TeamId(playground.team_id),
        channel=ChannelId("C0SUPPORT"),
        thread_ts=ts,
        message_ts=ts,
        person=PersonId("U0ADA"),
        person_team=TeamId(playground.team_id),
    )


def told(playground: Playground) -> list[str]:
    return [call.arguments["status"] for call in playground.calls(SESSIONS)]


async def test_a_run_that_said_nothing_ends_without_a_word(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    async with BackgroundTasks() as tasks:
        Session(Sessions(messenger), address, tasks).close()

    assert [] == told(playground)


async def test_states_are_told_in_order_and_each_once(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    playground.faults.delay(SESSIONS, 0.2)
    async with BackgroundTasks() as tasks:
        session = Session(Sessions(messenger), address, tasks)
        session.work()
        session.work()
        session.close()

    assert ["processing", "active"] == told(playground)


async def test_a_session_that_waits_is_left_waiting(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    async with BackgroundTasks() as tasks:
        session = Session(Sessions(messenger), address, tasks)
        session.suspend()
        session.close()

    assert ["suspended"] == told(playground)


async def test_what_another_run_has_left_is_ended(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    async with BackgroundTasks() as tasks:
        session = Session(Sessions(messenger), address, tasks)
        session.take_over()
        assert session.closing_state is None
        session.close()

    assert ["active"] == told(playground)


async def test_the_end_of_a_stream_says_it_where_slack_has_heard_of_the_session(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    async with BackgroundTasks() as tasks:
        session = Session(Sessions(messenger), address, tasks)
        session.work()
        await playground.until(lambda: session.closing_state)
        assert "active" == session.closing_state
        session.closed_with_stream()
        session.close()

    assert ["processing"] == told(playground)


async def test_a_call_that_may_have_been_heard_is_taken_back_by_a_call(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    playground.faults.lose_answer(SESSIONS)
    async with BackgroundTasks() as tasks:
        session = Session(Sessions(messenger), address, tasks)
        session.work()
        await tasks.finish()
        assert session.closing_state is None
        session.close()

    assert ["processing", "active"] == told(playground)


@pytest.mark.parametrize("error", ["ratelimited", "not_in_channel"])
async def test_what_slack_refuses_for_now_or_here_is_tried_again_elsewhere(
    playground: Playground, messenger: Messenger, address: Address, error: str
) -> None:
    playground.faults.fail(SESSIONS, error)
    sessions = Sessions(messenger, patience_seconds=30.0)

    assert "unheard" == await sessions.tell(address, "suspended")
    assert "heard" == await sessions.tell(address, "active")
    assert 2 == len(told(playground))


async def test_a_workspace_that_refuses_sessions_is_asked_again_after_ten_minutes(
    playground: Playground, client: AsyncWebClient, address: Address
) -> None:
    now = [1.0]
    sessions = Sessions(Messenger(client, pace=Pace(now=lambda: now[0])))
    playground.faults.fail(SESSIONS, "unknown_method")

    assert ["unheard"] * 2 == [await sessions.tell(address, "suspended"), await sessions.tell(address, "active")]
    assert 1 == len(told(playground))

    now[0] += REFUSED_SECONDS
    assert "heard" == await sessions.tell(address, "active")


async def test_the_end_takes_what_is_kept_free(
    playground: Playground, client: AsyncWebClient, address: Address
) -> None:
    pace = Pace(now=lambda: 1.0)
    sessions = Sessions(Messenger(client, pace=pace))
    while await pace.may(SESSIONS):
        pass

    assert "unheard" == await sessions.tell(address, "processing")
    assert "heard" == await sessions.tell(address, "active")


async def test_an_end_that_is_given_up_takes_no_room_from_the_next(
    playground: Playground, client: AsyncWebClient, address: Address
) -> None:
    now = [1.0]
    pace = Pace(now=lambda: now[0])
    messenger = Messenger(client, pace=pace)
    for _ in range(CALLS_PER_MINUTE[SESSIONS]):
        await pace.wait(SESSIONS, "")

    hasty = Sessions(messenger, patience_seconds=0.5)
    given_up = await asyncio.gather(*(hasty.tell(address, "active") for _ in range(5)))
    assert ["perhaps"] * 5 == given_up
    assert [] == told(playground)

    now[0] += 2 * 60 / CALLS_PER_MINUTE[SESSIONS]
    assert "heard" == await Sessions(messenger).tell(address, "active")


async def test_an_end_that_comes_too_fast_for_slack_is_told_a_little_later(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    playground.faults.fail(SESSIONS, "ratelimited")

    assert "heard" == await Sessions(messenger, patience_seconds=30.0).tell(address, "active")
    assert 2 == len(told(playground))


async def test_where_there_is_no_room_for_it_a_state_is_left_out(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    await messenger.pace.close(SESSIONS, 60)

    assert "unheard" == await Sessions(messenger).tell(address, "processing")
    assert [] == told(playground)


async def test_a_run_that_may_say_nothing_more_is_no_refusal_of_slacks(
    playground: Playground, messenger: Messenger, address: Address
) -> None:
    sessions = Sessions(messenger)
    with permit.taken() as ours:
        ours.lose()
        with pytest.raises(PermitLostError):
            await sessions.tell(address, "active")

    assert "heard" == await sessions.tell(address, "active")
    assert ["active"] == told(playground)
