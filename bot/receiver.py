"""Connects the bot to Slack: identity, sockets and intake. It loads neither LangGraph nor models."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import SystemClock
from bot.conversation.address import NamesAt
from bot.conversation.intake import Intake
from bot.conversation.items import Surface
from bot.conversation.traces.kept_run import KeptRun
from bot.conversation.traces.trace_store import run_of_message
from bot.knowledge.connectors.slack.heard import HeardThreads
from bot.parts import (
    access_policy_of,
    adding_intake_of,
    flag_intake_of,
    intake_of,
    maintain_intake_of,
    may_read,
    memberships_of,
    readers_of,
    review_intake_of,
    surface_of,
    verify_intake_of,
)
from bot.postgres.pool import Database
from bot.settings import Settings
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.api.shared_budget import SharedBudget
from bot.slack.api.sockets import connect
from bot.slack.api.tokens import identify
from bot.slack.app import build_app
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.event_listeners import EventListeners
from bot.slack.listeners.flag_listeners import FlagListeners
from bot.slack.listeners.knowledge_listeners import KnowledgeListeners
from bot.slack.listeners.maintain_listeners import MaintainListeners
from bot.slack.listeners.membership_listeners import MembershipListeners
from bot.slack.listeners.mode_listeners import ModeListeners
from bot.slack.listeners.review_listeners import ReviewListeners
from bot.slack.listeners.share_listeners import ShareListeners
from bot.slack.listeners.verify_listeners import VerifyListeners
from bot.slack.listeners.why_listeners import WhyListeners
from bot.slack.payloads import buttons
from bot.slack.payloads.identity import Identity
from bot.slack.people.memberships import Memberships
from bot.slack.people.people import People
from bot.slack.people.reviewers import Reviewers
from bot.slack.sharing.copies import SharedCopies

SLACK_TIMEOUT_SECONDS = 30
RECEIVER_CONNECTIONS: Final = 8
"""Database connections of a process that only receives. Each is used for the milliseconds of one commit."""


@dataclass(frozen=True, kw_only=True)
class Installation:
    """The bot in one Slack team."""

    client: AsyncWebClient
    messenger: Messenger
    people: People

    @property
    def me(self) -> Identity:
        """The bot's identity."""
        return self.people.me

    @property
    def surface(self) -> Surface:
        """The surface of its items."""
        return surface_of(self.me)


@asynccontextmanager
async def open_slack(
    settings: Settings, database: Database | None = None, *, pace: Pace | None = None
) -> AsyncGenerator[Installation]:
    """Identify the bot at Slack. Raises `SlackSetupError`.

    The default pace is Slack's rate limit, shared with all processes on the same database.
    """
    bot_token, _ = settings.require_slack()
    timeout = aiohttp.ClientTimeout(total=SLACK_TIMEOUT_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        client = AsyncWebClient(bot_token, base_url=settings.slack_api_url, session=session)
        me = await identify(client)
        budget = SharedBudget(database, SystemClock(), surface=surface_of(me)) if database else None
        messenger = Messenger(client, pace=pace or Pace(budget=budget))
        people = People(messenger, me, access_policy_of(settings))
        yield Installation(client=client, messenger=messenger, people=people)


@asynccontextmanager
async def receiving(database: Database, slack: Installation, settings: Settings) -> AsyncGenerator[None]:
    """Listen to Slack while the context is open, and store everything for a worker in any process."""
    _, app_token = settings.require_slack()
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(BackgroundTasks())
        access_check = AccessCheck(slack.people, slack.messenger, tasks, SystemClock())
        memberships = memberships_of(settings, database, slack.messenger)
        await memberships.may_have_missed()
        storing = partial(database.transaction, settings.workspace)
        names_of = readers_of(settings, database, slack.people, memberships).names_of
        copies = SharedCopies(storing, slack.messenger, tasks, SystemClock(), names_of=names_of, may_read=may_read)
        await stack.enter_async_context(copies.running())
        app = _app_of(settings, database, slack, access_check, memberships, names_of=names_of, copies=copies)
        await stack.enter_async_context(connect(app, app_token, reopened=memberships.may_have_missed))
        structlog.get_logger().info("slack_connected", team=slack.me.team)
        yield


def _app_of(
    settings: Settings,
    database: Database,
    slack: Installation,
    access_check: AccessCheck,
    memberships: Memberships,
    *,
    names_of: NamesAt,
    copies: SharedCopies,
) -> AsyncApp:
    """Return Bolt's app, with a listener for each payload that is for us."""
    intake = intake_of(settings, database, slack.surface)
    reviewers = Reviewers(
        settings.reviewers, slack.messenger, channel=settings.review_channel, channels_of=memberships.channels_of
    )
    verifiers = reviewers if settings.verified_days else Reviewers("", slack.messenger)
    maintaining = maintain_intake_of(settings, database)
    reviews = ReviewListeners(review_intake_of(settings, database), access_check, reviewers)
    verify = VerifyListeners(verify_intake_of(settings, database), access_check, verifiers, liked=maintaining.liked)
    maintain = MaintainListeners(maintaining, access_check, verifiers)
    flags = FlagListeners(flag_intake_of(settings, database), access_check, names_of, reviewers)
    knowledge = KnowledgeListeners(
        adding_intake_of(settings, database),
        access_check,
        may_add=settings.may_add,
        is_reviewer=reviewers.include_anywhere,
    )
    why = WhyListeners(access_check, partial(_run_of, database, settings.workspace))
    shares = ShareListeners(partial(database.transaction, settings.workspace), intake, access_check, copies)
    modes = _mode_listeners(settings, database, access_check, intake, copies)
    note_thread = HeardThreads(database, settings.workspace).note
    return build_app(
        slack.client,
        EventListeners(intake, access_check, verify=verify, modes=modes, flags=flags, note_thread=note_thread),
        memberships=MembershipListeners(memberships, slack.me), offer=knowledge.offer,
        actions={buttons.ADD_TO_KNOWLEDGE: knowledge.choose, buttons.FORGET_THIS: knowledge.choose,
                 buttons.WHY_THIS_ANSWER: why.act,
                 buttons.OF_REVIEWS: reviews.act, buttons.OF_VERIFY: verify.act, buttons.OF_MAINTAIN: maintain.act,
                 buttons.OF_MODES: modes.act, buttons.OF_SHARES: shares.act, buttons.OF_ADDED: knowledge.act,
                 buttons.OF_FLAGS: flags.act},
        modals={buttons.OF_REVIEWS: reviews.submit, buttons.OF_MAINTAIN: maintain.submit,
                buttons.OF_FLAGS: flags.submit},
    )  # fmt: skip


def _mode_listeners(
    settings: Settings, database: Database, access_check: AccessCheck, intake: Intake, copies: SharedCopies
) -> ModeListeners:
    return ModeListeners(
        partial(database.transaction, settings.workspace),
        intake,
        access_check,
        SystemClock(),
        take_back=copies.take_back,
        patience=timedelta(seconds=settings.untagged_after_seconds),
    )


async def _run_of(database: Database, workspace: str, channel: str, ts: str) -> KeptRun | None:
    async with database.transaction(workspace) as connection:
        return await run_of_message(connection, channel, ts)
