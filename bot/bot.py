"""The bot without a surface: it gives a run its database, documents and models."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

from bot.audience import is_direct
from bot.conversation.address import Address, ChannelId, NamesAt
from bot.conversation.asks.call_store import Write
from bot.conversation.asks.channel_store import PresetsAt
from bot.conversation.asks.review import ReviewChannel
from bot.conversation.inputs import Message
from bot.conversation.intake import Intake
from bot.conversation.items import Item, Surface
from bot.conversation.ports import Output
from bot.conversation.reconcile import Reconciler
from bot.conversation.schedule import Retention, ScheduledJobs
from bot.conversation.traces.recorder import RunObserver, note_search
from bot.conversation.work import Engine
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.knowledge.audience_store import Reader
from bot.knowledge.places.lookup import PlaceLookup
from bot.knowledge.reuse import KeptSearches, ReusingSearch
from bot.knowledge.search import Library, Search
from bot.knowledge.verified.answers import VerifiedAnswers
from bot.models.bands import Bands, banded
from bot.models.choice import ServingEmbedding
from bot.models.embedding import Embedding
from bot.models.grading import CalibratedGrader
from bot.models.logged import LoggedUnderstander
from bot.models.offline.likeness import likeness
from bot.models.offline.strictness import StrictGrader
from bot.models.offline.understanding.examples import read_examples
from bot.models.offline.writing.writer import QuotingWriter
from bot.models.opened import Models, offline_models
from bot.models.orders import without_orders
from bot.models.reranking import SignalReranker
from bot.models.sureness import sure_grader
from bot.parts import intake_of, rules_of
from bot.postgres.pool import Database
from bot.postgres.standby import Standby
from bot.settings import Settings
from bot.slack.channel_modes.modes import UntaggedVerdict
from bot.slack.channel_modes.watcher import Judge, verdict_on
from bot.slack.message_search import MessageSearch, SearchingTools
from bot.telemetry.spans import SpansOf
from bot.tools.mcp.connected import ConnectedServers
from bot.tools.toolbox import Toolbox, built_in
from graph.builder import compiled_graph
from graph.context import Clock, Context, Profiles, Reranker, Retriever, Tools, WebSearcher
from graph.tools import ToolCall, ToolResult


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
    clock: Clock
    models: Models
    searches: KeptSearches = field(default_factory=lambda: KeptSearches(size=0))
    tool_servers: ConnectedServers = field(default_factory=ConnectedServers)
    web: WebSearcher | None = None
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
        """Wait until every server was tried, then return a function that calls a tool that writes."""
        await self.tool_servers.wait_until_tried()
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
        # Nobody asked the bot, so it speaks only if the documents say something.
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


def read_at(address: Address) -> Address:
    """Return where somebody reads. The answer to an untagged question may be shared in its channel."""
    return address.asked_at if address.untagged and address.asked_at else address


def judge_of(bot: Bot, names_of: NamesAt) -> Judge:
    """Return the judge that tells whether the documents answer an untagged question."""

    async def judge(message: Message) -> UntaggedVerdict | None:
        # With a reviewer a run admits what it does not know, instead of suggesting documents.
        context = bot.context_of(bot.settings.workspace, partial(names_of, message.address), has_reviewer=True)
        context = replace(context, review_below=0.0, offers_follow_ups=False)
        understander, writers, validator = offline_models(bot.embedder.local, read_examples(bot.settings.examples))
        rules = replace(context, understander=understander, writers=writers, validator=validator)
        return await verdict_on(message, context, rules)

    return judge
