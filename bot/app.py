"""The composition root: opens everything, connects it, and closes it."""

from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

import structlog

from bot.audience import is_direct
from bot.clock import SystemClock
from bot.conversation.address import Address, ChannelId, NamesAt
from bot.conversation.asks.call_store import Write
from bot.conversation.asks.channel_store import PresetsAt
from bot.conversation.asks.review import ReviewChannel
from bot.conversation.intake import Intake
from bot.conversation.items import Item, Surface
from bot.conversation.ports import Output
from bot.conversation.reconcile import Reconciler
from bot.conversation.schedule import Cadence, Retention, ScheduledJobs
from bot.conversation.traces.recorder import RunObserver, note_call, note_search
from bot.conversation.work import Engine
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.forget import forget_store
from bot.knowledge.audience_store import Reader
from bot.knowledge.embeddings.store import serving_model
from bot.knowledge.places.lookup import PlaceLookup
from bot.knowledge.reuse import KeptSearches, ReusingSearch
from bot.knowledge.search import Library, Search
from bot.knowledge.upkeep import Upkeep
from bot.knowledge.verified.answers import VerifiedAnswers
from bot.links import vouched_page
from bot.models.bands import Bands, banded, read_bands
from bot.models.choice import OpenedEmbeddings, ServingEmbedding, chosen_model, demanded_model
from bot.models.embedding import Embedding
from bot.models.grading import CalibratedGrader
from bot.models.llm.servers import models_of
from bot.models.llm.usage import Usage, log_usage
from bot.models.logged import LoggedUnderstander
from bot.models.offline.likeness import likeness
from bot.models.offline.strictness import StrictGrader
from bot.models.offline.understanding.examples import read_examples
from bot.models.offline.writing.writer import QuotingWriter
from bot.models.opened import Models, offline_models, opened_models
from bot.models.orders import without_orders
from bot.models.reranking import SignalReranker
from bot.models.sureness import sure_grader
from bot.postgres.pool import Database
from bot.postgres.standby import Standby
from bot.receiver import (
    Installation,
    flag_intake_of,
    intake_of,
    maintain_intake_of,
    memberships_of,
    open_slack,
    readers_of,
    receiving,
    rules_of,
)
from bot.settings import Price, Settings
from bot.slack.api.pace import Pace
from bot.slack.channel_modes.judging import Judging
from bot.slack.channel_modes.watcher import Judge, ModeWatcher
from bot.slack.flag_news import FlagNews
from bot.slack.message_search import MessageSearch, SearchingTools
from bot.slack.presenter.output import SlackOutput
from bot.slack.profiles.profiles import SlackProfiles
from bot.slack.review_channel import SlackReviewChannel
from bot.slack.verified_news import VerifiedNews
from bot.telemetry import metrics
from bot.telemetry.spans import SpansOf, opened_spans
from bot.tools.mcp.allowed import allowed_servers
from bot.tools.mcp.connected import ConnectedServers, connected
from bot.tools.toolbox import Toolbox, built_in
from bot.tools.web import opened_web
from graph.builder import compiled_graph
from graph.context import Context, Profiles, Reranker, Retriever, Tools, Web
from graph.tools import ToolCall, ToolResult
from graph.trace import Call
from graph.turn import Remark

CONNECTIONS = 12
"""Database connections of a process, however many questions it answers: a run borrows one for each short access, and
one shows that the process lives.
"""


@dataclass(frozen=True, kw_only=True)
class SurfacePorts:
    """What a worker needs of the surface on which people ask."""

    surface: Surface
    output: Output
    """Shows answers."""
    names_of: NamesAt
    review_channel: ReviewChannel | None = None
    """Shows reviews."""
    may_write: bool = False
    """Whether people can approve there what changes something."""
    search_of: Callable[[Item], MessageSearch | None] = lambda _item: None
    """Returns what searches the surface's messages for a question, if that is possible."""
    profiles: Profiles | None = None
    """Knows who asks, if the surface may tell."""


@dataclass(frozen=True, kw_only=True)
class Bot:
    """Everything except a surface: database, documents and models."""

    settings: Settings
    database: Database
    serving: ServingEmbedding
    clock: SystemClock
    models: Models
    searches: KeptSearches = field(default_factory=lambda: KeptSearches(size=0))
    tool_servers: ConnectedServers = field(default_factory=ConnectedServers)
    web: Web | None = None
    spans_of: SpansOf | None = None
    standby: Standby | None = None
    bands: Bands | None = None

    @property
    def embedder(self) -> Embedding:
        """The embedding that searches use now."""
        return self.serving.now

    def context_of(
        self, workspace: str, reader: Reader, *, alone: Reader | None = None, has_reviewer: bool = False
    ) -> Context:
        """Return the context of a run that answers from what the asker may read where they asked; `alone`, from all."""
        understander, writers, validator = self.models
        library = self._library(workspace, reader, self.settings.link_hosts)
        # A run ranks with the embedding that it began with, even if another one serves meanwhile.
        embedder = self.embedder
        retriever, reranker = self._finding(library, embedder)
        grader, sure = CalibratedGrader(embedder), sure_grader(embedder)
        bands = self.bands if self.bands and self.bands.embedding == embedder.model else None
        return Context(
            retriever=retriever,
            reranker=reranker,
            grader=grader,
            # The bands are for the grades that decide.
            strict=StrictGrader(grader if sure else banded(grader, bands)),
            sure=StrictGrader(banded(sure, bands)) if sure else None,
            understander=LoggedUnderstander(understander),
            writers=writers,
            validator=validator,
            clock=self.clock,
            tools=self.tools(may_write=False),
            places=PlaceLookup(library),
            verified=VerifiedAnswers(library, embedder, self.clock),
            observer=RunObserver(),
            private=Search(self._library(workspace, alone), embedder, embedder_of=self.serving.of) if alone else None,
            quoter=QuotingWriter(likeness(embedder.local)),
            first_word_seconds=self.settings.first_word_seconds,
            has_reviewer=has_reviewer,
            offers_follow_ups=self.settings.follow_ups,
            review_below=self.settings.review_below if has_reviewer else 0.0,
        )

    def tools(self, *, may_write: bool) -> Toolbox:
        """Return the tools of a run; those that write only if somebody can approve their calls."""
        return Toolbox(built_in(), self.tool_servers, may_write=may_write)

    async def writing_tools(self) -> Write:
        """Return what calls a tool that writes, once every server was tried."""
        await self.tool_servers.settle()
        tools = self.tools(may_write=True)

        async def write(call: ToolCall) -> ToolResult:
            result = await tools.write(call)
            # The thread's memory keeps the answer, and models read it.
            return {**result, "text": without_orders(result["text"], result["title"])}

        return write

    def _library(self, workspace: str, reader: Reader, link_hosts: Collection[str] = ()) -> Library:
        return Library(self.database, workspace, reader=reader, link_hosts=link_hosts, standby=self.standby)

    def _finding(self, library: Library, embedder: Embedding) -> tuple[Retriever, Reranker]:
        search = Search(library, embedder, embedder_of=self.serving.of)
        reranker = SignalReranker(embedder)
        if not self.searches.size:
            return search, reranker
        reusing = ReusingSearch(search, reranker, self.searches, note_search)
        return reusing, reusing

    def intake(self, surface: Surface) -> Intake:
        """Return the intake of a surface."""
        return intake_of(self.settings, self.database, surface)

    def worker(self, ports: SurfacePorts, slots: int) -> Worker:
        """Return a worker that answers up to `slots` questions of a surface at a time."""
        engine = Engine(
            database=self.database,
            clock=self.clock,
            output=ports.output,
            review_channel=ports.review_channel,
            reviews_expire_after=timedelta(seconds=self.settings.review_expire_after_seconds),
            graph=compiled_graph(),
            context_of=partial(self._context_for, ports),
            rules=rules_of(self.settings, ports.surface),
            mode=self.settings.mode,
            writing_tools=self.writing_tools if ports.may_write else None,
            keeps_runs=self.settings.keep_runs_days > 0,
            spans_of=self.spans_of,
        )
        limits = WorkerLimits(slots=slots, ceiling_seconds=self.settings.run_ceiling_seconds)
        return Worker(self.database, Reconciler(engine), self.clock, surface=ports.surface, limits=limits)

    def _context_for(self, ports: SurfacePorts, item: Item) -> Context:
        address = item.address
        has_reviewer = ports.review_channel is not None and not address.is_held
        reader = partial(ports.names_of, read_at(address))
        is_alone = is_direct(read_at(address).channel)
        alone = None if is_alone else partial(ports.names_of, replace(address, channel=ChannelId("D")))
        context = self.context_of(item.workspace, reader, alone=alone, has_reviewer=has_reviewer)
        presets = PresetsAt(
            database=self.database, workspace=item.workspace, address=address, elsewhere=self.settings.preset
        )
        can_approve = ports.may_write and self.settings.mode == "conversational" and not address.untagged
        tools: Tools = self.tools(may_write=True) if can_approve else context.tools
        if search := ports.search_of(item):
            tools = SearchingTools(tools, search)
        # Among people, only what the documents say is worth a word that nobody asked for.
        web = None if address.untagged else self.web
        return replace(context, presets=presets, tools=tools, web=web, profiles=ports.profiles)

    def scheduled_jobs(self, surface: Surface) -> ScheduledJobs:
        """Return the scheduled jobs of a surface."""
        retention = Retention(
            checkpoints=timedelta(hours=self.settings.prune_after_hours),
            runs=timedelta(days=self.settings.keep_runs_days),
        )
        return ScheduledJobs(
            self.database, self.clock, workspace=self.settings.workspace, surface=surface, retention=retention
        )


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
    memberships = memberships_of(bot.settings, bot.database, slack)
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
        names_of=names_of,
        me=slack.me,
        look_seconds=cadence.verified_news_seconds,
    )
    flag_news = FlagNews(
        flags=flag_intake_of(bot.settings, bot.database),
        messenger=slack.messenger,
        names_at=names_of,
        names_in=readers.names_in,
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


def read_at(address: Address) -> Address:
    """Return where somebody reads: what is told of an untagged question may be shared in its channel."""
    return address.asked_at if address.untagged and address.asked_at else address


def judge_of(bot: Bot, names_of: NamesAt) -> Judge:
    """Return what tells whether the documents answer an untagged question."""

    def context_at(address: Address) -> Context:
        # With a reviewer a run admits what it does not know, instead of suggesting documents.
        context = bot.context_of(bot.settings.workspace, partial(names_of, address), has_reviewer=True)
        return replace(context, review_below=0.0, offers_follow_ups=False)

    def without_model(context: Context) -> Context:
        understander, writers, validator = offline_models(bot.embedder.local, read_examples(bot.settings.examples))
        return replace(context, understander=understander, writers=writers, validator=validator)

    return Judging(context_at=context_at, without_model=without_model).judge


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
