"""Which channels others read: Slack is asked when nobody has said, and what is not known counts as shared."""

import asyncio
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import ChannelSharedError, OutcomeUnknownError, PostRefusedError, SlackBusyError
from bot.slack.api.pace import Pace
from bot.slack.api.shared_channels import FRESH_SECONDS, INVITED_SECONDS, SharedChannels
from bot.slack.api.web_api import WebApi
from bot.slack.payloads.shapes import Payload
from playground import Playground
from playground.protocol.faults import FOREVER
from tests.slack.test_people import Watch

HERE = "C0GENERAL"


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def shared(client: AsyncWebClient, watch: Watch) -> SharedChannels:
    return SharedChannels(WebApi(client, pace=Pace(speed=100)), watch)


def asked(playground: Playground) -> int:
    """Return how often Slack was asked for a channel."""
    return len(playground.calls("conversations.info"))


async def test_slack_is_asked_again_after_a_minute(
    playground: Playground, shared: SharedChannels, watch: Watch
) -> None:
    assert not await shared.include(HERE)

    playground.workspace.channels[HERE].is_shared = True
    assert not await shared.include(HERE)

    watch.now = FRESH_SECONDS
    assert await shared.include(HERE)
    with pytest.raises(ChannelSharedError):
        await shared.keep_out(HERE)
    assert 2 == asked(playground)


async def test_an_event_tells_at_once(shared: SharedChannels) -> None:
    assert not await shared.include(HERE)

    shared.told(HERE, is_shared=True)

    assert await shared.include(HERE)


class HeldBack(WebApi):
    """A Web API whose answers arrive when the test lets them, long after Slack gave them."""

    def __init__(self, client: AsyncWebClient) -> None:
        super().__init__(client, pace=Pace(speed=100))
        self.is_answered, self.arrives = asyncio.Event(), asyncio.Event()

    async def call(self, *args: Any, **named: Any) -> Payload:
        answer = await super().call(*args, **named)
        self.is_answered.set()
        await self.arrives.wait()
        return answer


async def test_an_answer_that_was_under_way_does_not_count_against_what_an_event_told_meanwhile(
    client: AsyncWebClient, watch: Watch
) -> None:
    api = HeldBack(client)
    shared = SharedChannels(api, watch)
    asking = asyncio.create_task(shared.include(HERE))
    await api.is_answered.wait()
    shared.told(HERE, is_shared=True)
    api.arrives.set()

    assert [True, True] == [await asking, await shared.include(HERE)]


async def test_events_spare_the_question_for_an_hour(
    playground: Playground, shared: SharedChannels, watch: Watch
) -> None:
    for _ in range(59):
        shared.told(HERE, is_shared=False)
        assert not await shared.include(HERE)
        watch.now += FRESH_SECONDS
    assert 1 == asked(playground)

    playground.workspace.channels[HERE].is_shared_soon = True
    watch.now = INVITED_SECONDS
    shared.told(HERE, is_shared=False)

    assert await shared.include(HERE)


async def test_a_channel_counts_as_shared_as_soon_as_others_are_invited(
    playground: Playground, shared: SharedChannels
) -> None:
    """An event says nothing of an invitation, whether it comes before the question or after it."""
    playground.workspace.channels[HERE].is_shared_soon = True
    for _ in range(2):
        shared.told(HERE, is_shared=False)

        assert await shared.include(HERE)


@pytest.mark.parametrize("error", ["missing_scope", "not_allowed_token_type", "some_new_error"])
async def test_if_slack_refuses_to_say_a_channel_counts_as_shared_unless_an_event_has_just_told(
    playground: Playground, shared: SharedChannels, watch: Watch, error: str
) -> None:
    playground.faults.fail("conversations.info", error, times=FOREVER)
    assert await shared.include(HERE)
    watch.now += FRESH_SECONDS
    shared.told(HERE, is_shared=False)
    assert not await shared.include(HERE)

    watch.now += FRESH_SECONDS
    assert await shared.include(HERE)


@pytest.mark.parametrize(
    ("error", "status"), [("internal_error", 500), ("channel_not_found", 200), ("ratelimited", 429)]
)
async def test_silence_is_no_answer(playground: Playground, shared: SharedChannels, error: str, status: int) -> None:
    playground.faults.fail("conversations.info", error, status=status, times=FOREVER)

    with pytest.raises((OutcomeUnknownError, PostRefusedError, SlackBusyError, TimeoutError)):
        async with asyncio.timeout(5):
            await shared.include(HERE)


async def test_a_direct_message_is_never_shared(playground: Playground, shared: SharedChannels) -> None:
    assert not await shared.include("D0ADA")
    assert 0 == asked(playground)
