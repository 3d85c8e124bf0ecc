"""The composition root: opens everything, connects it, and closes it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from functools import partial

import structlog

from bot.bot import Bot, SurfacePorts, judge_of, read_at
from bot.clock import SystemClock
from bot.conversation.address import Address, ChannelId, NamesAt
from bot.conversation.items import Item
from bot.conversation.schedule import Cadence
from bot.conversation.traces.recorder import note_call
from bot.forget import forget_store
from bot.knowledge.embeddings.store import serving_model
from bot.knowledge.reuse import KeptSearches
from bot.knowledge.upkeep import Upkeep
from bot.links import vouched_page
from bot.models.bands import read_bands
from bot.models.choice import OpenedEmbeddings, ServingEmbedding, chosen_model, demanded_model
from bot.models.llm.servers import models_of
from bot.models.llm.usage import Usage, log_usage
from bot.models.opened import opened_models
from bot.parts import flag_intake_of, maintain_intake_of, memberships_of, readers_of
from bot.postgres.pool import Database
from bot.postgres.standby import Standby
from bot.receiver import Installation, open_slack, receiving
from bot.settings import Price, Settings
from bot.slack.api.pace import Pace
from bot.slack.channel_modes.watcher import ModeWatcher
from bot.slack.flag_news import FlagNews
from bot.slack.message_search import MessageSearch
from bot.slack.people.profiles import SlackProfiles
from bot.slack.presenter.output import SlackOutput
from bot.slack.review_channel import SlackReviewChannel
from bot.slack.verified_news import VerifiedNews
from bot.telemetry import metrics
from bot.telemetry.spans import opened_spans
from bot.tools.mcp.allowed import allowed_servers
from bot.tools.mcp.connected import connected
from bot.tools.web import opened_web
from graph.trace import Call
from graph.turn import Remark

CONNECTIONS = 12
"""Database connections of a process, however many questions it answers: a run borrows one for each access, at most half
of them while Slack is called, and one shows that the process lives.
"""


@asynccontextmanager
async def open_bot(settings: Settings, url: str) -> AsyncGenerator[Bot]:
    """Open a migrated database and the models. Raises `AskbackError` that says what to do."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(
            Database.open(url, size=CONNECTIONS - 1, workspace=settings.workspace, pooler=settings.pooler)
        )
        async with database.transaction() as connection:
            now = await serving_model(connection)
        count = partial(_count, settings.prices)
        embeddings = stack.enter_context(closing(OpenedEmbeddings(settings.of_embedding, count=count)))
        embedder = embeddings.of(chosen_model(settings.of_embedding, now))
        serving = ServingEmbedding(embedder, embeddings.of)
        serving.of(now or embedder.model)
        models = await stack.enter_async_context(opened_models(settings, embedder.local, count=count))
        # Rules name no tool of a server, so without a model none is started.
        servers = allowed_servers(settings) if models_of(settings) else {}
        vouched = partial(vouched_page, hosts=settings.link_hosts, site=None)
        yield Bot(
            settings=settings,
            database=database,
            serving=serving,
            clock=SystemClock(),
            models=models,
            searches=KeptSearches(size=settings.reused_searches),
            tool_servers=await stack.enter_async_context(connected(servers)),
            web=await stack.enter_async_context(opened_web(settings, vouched)),
            spans_of=await stack.enter_async_context(opened_spans(settings)),
            standby=await stack.enter_async_context(_opened_standby(settings)),
            bands=read_bands(settings.bands) if settings.bands else None,
        )


@asynccontextmanager
async def _opened_standby(settings: Settings) -> AsyncGenerator[Standby | None]:
    if not settings.search_url:
        yield None
        return
    url = settings.search_url.get_secret_value()
    async with Standby.open(url, size=CONNECTIONS - 1, workspace=settings.workspace) as standby:
        yield standby


@asynccontextmanager
async def serving_slack(bot: Bot, *, pace: Pace | None = None, cadence: Cadence | None = None) -> AsyncGenerator[None]:
    """Listen to Slack and answer there while the context is open, at Slack's pace by default."""
    async with (
        open_slack(bot.settings, bot.database, pace=pace) as slack,
        working(bot, slack, cadence=cadence),
        receiving(bot.database, slack, bot.settings),
    ):
        yield


@asynccontextmanager
async def working(bot: Bot, slack: Installation, *, cadence: Cadence | None = None) -> AsyncGenerator[None]:
    """Answer waiting questions and run scheduled jobs while the context is open."""
    memberships = memberships_of(bot.settings, bot.database, slack.messenger)
    readers = readers_of(bot.settings, bot.database, slack.people, memberships)
    names_of = readers.names_of
    worker = bot.worker(_ports_of(bot, slack, names_of), bot.settings.worker_slots)
    cadence = cadence or Cadence()
    watcher = ModeWatcher(
        partial(bot.database.transaction, bot.settings.workspace),
        bot.intake(slack.surface),
        judge_of(bot, names_of),
        bot.clock,
        messenger=slack.messenger,
        people=slack.people,
    )
    verified_news = VerifiedNews(
        intake=maintain_intake_of(bot.settings, bot.database),
        messenger=slack.messenger,
        names_of=readers.names_of_person,
        look_seconds=cadence.verified_news_seconds,
    )
    flag_news = FlagNews(
        flags=flag_intake_of(bot.settings, bot.database),
        messenger=slack.messenger,
        readers=readers,
        channels_of=memberships.channels_of,
        me=slack.me,
        look_seconds=cadence.flag_news_seconds,
    )
    async with (
        worker.running(),
        bot.scheduled_jobs(slack.surface).running(cadence),
        _upkeep_of(bot, cadence).running(),
        watcher.running(look_seconds=cadence.modes_seconds),
        verified_news.running(),
        flag_news.running(),
    ):
        structlog.get_logger().info("worker_started", team=slack.me.team, slots=bot.settings.worker_slots)
        yield


def _upkeep_of(bot: Bot, cadence: Cadence) -> Upkeep:
    return Upkeep(
        bot.database,
        bot.settings,
        model=demanded_model(bot.settings.of_embedding),
        look_seconds=cadence.sources_seconds,
        niceness=cadence.sources_niceness,
    )


def _ports_of(bot: Bot, slack: Installation, names_of: NamesAt) -> SurfacePorts:
    channel, keeps = bot.settings.review_channel, bot.settings.verified_days > 0
    return SurfacePorts(
        surface=slack.surface,
        output=SlackOutput(slack.messenger, slack.people, partial(_unforgotten, bot)),
        names_of=names_of,
        review_channel=SlackReviewChannel(slack.messenger, ChannelId(channel), keeps=keeps) if channel else None,
        may_write=True,
        search_of=partial(_search_of, bot, slack, names_of),
        profiles=SlackProfiles(slack.messenger, slack.people) if bot.settings.read_profiles else None,
    )


def _search_of(bot: Bot, slack: Installation, names_of: NamesAt, item: Item) -> MessageSearch | None:
    """Return what searches Slack's messages in the asker's name, if the question's message allows it."""
    token = item.turn.search_token if item.kind == "turn" else ""
    if not (token and bot.settings.search_messages):
        return None
    names = partial(names_of, read_at(item.address))
    return MessageSearch(slack.messenger, slack.people, partial(_unforgotten, bot), item.address, token, names)


async def _unforgotten(bot: Bot, address: Address, said: tuple[Remark, ...]) -> tuple[Remark, ...]:
    async with bot.database.transaction(bot.settings.workspace) as connection:
        return await forget_store.unforgotten(connection, address, said)


def _count(prices: Mapping[str, Price], usage: Usage) -> None:
    log_usage(usage)
    call = Call(
        model=usage.model, tokens_in=usage.tokens_in, tokens_out=usage.tokens_out, ms=round(usage.seconds * 1000)
    )
    if price := prices.get(usage.model):
        call["cost"] = usage.cost(price)
        metrics.MODEL_COST.labels(usage.model).inc(call["cost"])
    metrics.MODEL_CALLS.labels(usage.model).inc()
    metrics.MODEL_SECONDS.labels(usage.model).inc(usage.seconds)
    metrics.MODEL_TOKENS.labels(usage.model, "in").inc(usage.tokens_in)
    metrics.MODEL_TOKENS.labels(usage.model, "out").inc(usage.tokens_out)
    note_call(call)
