"""A local Slack for each test, and the real clients to talk to it."""

from collections.abc import AsyncGenerator

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import SystemClock
from bot.conversation.address import PersonId
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.api.sockets import connect
from bot.slack.api.tokens import identify
from bot.slack.app import build_app
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.knowledge_listeners import KnowledgeListeners
from bot.slack.listeners.membership_listeners import MembershipListeners
from bot.slack.listeners.review_listeners import ReviewListeners
from bot.slack.payloads import buttons
from bot.slack.payloads.identity import Identity
from bot.slack.people.people import People
from bot.slack.people.reviewers import Reviewers
from playground import Playground
from tests.slack.asking import Asked, ask
from tests.slack.recording import NoMemberships, RecordingAdding, RecordingIntake, RecordingReviews
from tests.support.listening import bare_listeners
from tests.support.waiting import be_patient

ACK_SECONDS = 60.0
"""So long Slack waits for an acknowledgement. A test that waits for it moves the clock."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot be patient with Slack."""
    be_patient(monkeypatch)


@pytest.fixture
async def playground() -> AsyncGenerator[Playground]:
    """The sample workspace, served. An unacknowledged event is repeated at once, by the playground's clock."""
    async with Playground.open(ack_seconds=ACK_SECONDS, retry_pauses=(0.0, 0.1, 0.1)) as playground:
        yield playground


@pytest.fixture
async def client(playground: Playground) -> AsyncGenerator[AsyncWebClient]:
    """The bot's Web API client, over one session."""
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(playground.bot_token, base_url=playground.api_url, session=session)


@pytest.fixture
def messenger(client: AsyncWebClient) -> Messenger:
    """A messenger that is a hundred times as fast as Slack allows."""
    return Messenger(client, pace=Pace(speed=100))


@pytest.fixture
async def me(client: AsyncWebClient) -> Identity:
    """The bot's identity."""
    return await identify(client)


@pytest.fixture
def people(messenger: Messenger, me: Identity) -> People:
    """The people of the workspace."""
    return People(messenger, me)


@pytest.fixture
def intake() -> RecordingIntake:
    """An intake that records its inputs."""
    return RecordingIntake()


@pytest.fixture
async def app(
    client: AsyncWebClient, messenger: Messenger, people: People, intake: RecordingIntake
) -> AsyncGenerator[AsyncApp]:
    """The real app."""
    async with BackgroundTasks() as tasks:
        access_check = AccessCheck(people, messenger, tasks, SystemClock())
        reviews = ReviewListeners(RecordingReviews(), access_check, Reviewers("", messenger, channel="C1"))
        knowledge = KnowledgeListeners(RecordingAdding(), access_check, may_add="anyone", is_reviewer=nobody)
        yield build_app(
            client,
            bare_listeners(intake, access_check),
            memberships=MembershipListeners(NoMemberships(), people.me),
            offer=knowledge.offer,
            actions={
                buttons.ADD_TO_KNOWLEDGE: knowledge.choose,
                buttons.FORGET_THIS: knowledge.choose,
                buttons.OF_REVIEWS: reviews.act,
                buttons.OF_ADDED: knowledge.act,
            },
            modals={buttons.OF_REVIEWS: reviews.submit},
        )


async def nobody(person: PersonId) -> bool:
    """Nobody is a reviewer."""
    return False


@pytest.fixture
async def listening(app: AsyncApp, playground: Playground) -> AsyncGenerator[Playground]:
    """The playground, with the real app connected to it."""
    async with connect(app, playground.app_token, ping_seconds=2.0):
        yield playground


@pytest.fixture
async def asked(playground: Playground, messenger: Messenger) -> Asked:
    """A question in a channel."""
    return await ask(playground, messenger)
