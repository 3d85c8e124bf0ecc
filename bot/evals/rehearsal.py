"""Asks the graph questions in temporary threads, and clicks options."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace

from bot.evals.tasks import Told
from graph.asking.clarification import SUGGESTED
from graph.asking.facets import find_facets, open_in_table
from graph.asking.replies import read_reply
from graph.context import Context, Retriever
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested
from graph.passages import DocumentFilter, Passage, Topics
from graph.run import run_alone
from graph.search import find
from graph.turn import Choice, Reply, Turn


class Rehearsal:
    """Runs with one context, each in a new thread."""

    def __init__(self, context: Context) -> None:
        self._found = _Noting(context.retriever)
        self._context = replace(context, retriever=self._found)
        self._said: list[str] = []
        self._say = self.thread()

    async def ask(self, question: str, click: str | None) -> Told:
        """Ask one question. `click` is the label of the option to choose."""
        run = run_alone(self._context)
        ended = await _last(run.start(Turn(question=question, asker="you", addressed=True)))
        if isinstance(ended, ClarificationRequested) and click is not None:
            option = next(option for option in ended.options if option.label == click)
            choice = Choice(kind="option", value=option.id, label=option.label)
            ended = await _last(run.resume(Reply(interrupt_id=ended.interrupt_id, choice=choice)))
        return await self._told(question, ended)

    async def converse(self, messages: Sequence[str]) -> Told:
        """Send messages in one thread, and return the result of the last one.

        If those before it are what was said last, it goes on in that thread.
        """
        *earlier, last = messages
        if not earlier or earlier != self._said:
            self._say = self.thread()
            for message in earlier:
                await self._say(message)
        self._said = []
        told = await self._say(last)
        self._said = [*messages]
        return told

    def thread(self) -> Callable[[str], Awaitable[Told]]:
        """Begin a thread, and return what says something in it: an answer to an open question back, or a question."""
        run, asked, question = run_alone(self._context), None, ""

        async def say(message: str) -> Told:
            nonlocal asked, question
            choice = _choice(message, question, asked) if asked else None
            if asked and choice:
                ended = await _last(run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice)))
            else:
                question = message
                ended = await _last(run.start(Turn(question=message, asker="you", addressed=True)))
            asked = ended if isinstance(ended, ClarificationRequested) else None
            return await self._told(question, ended)

        return say

    async def _told(self, question: str, ended: AnswerEvent | None) -> Told:
        if isinstance(ended, ClarificationRequested):
            return Told(outcome="asked", text=ended.question, options=await self._behind(question, ended))
        if not isinstance(ended, AnswerCompleted):
            return Told(outcome="silent")
        documents = tuple(self._found.paths.get(source["passage_id"], "") for source in ended.sources)
        sections = tuple((one["title"], one["heading"].split(" › ")[-1]) for one in ended.sources)
        return Told(
            outcome=ended.outcome, text=ended.text, documents=documents, sections=sections, offers=ended.follow_ups
        )

    async def _behind(self, question: str, asked: ClarificationRequested) -> tuple[tuple[str, frozenset[str]], ...]:
        """Return each option's label with its documents, from the run's first search."""
        passages = await find(self._context, [question])
        paths = {passage["id"]: passage["path"] for passage in passages}
        facets = [*find_facets(question, passages), *open_in_table(question, passages)]
        behind = {facet["id"]: facet["passages"] for facet in facets}
        return tuple(
            (option.label, frozenset(paths[id_] for id_ in behind.get(option.id.removeprefix(SUGGESTED), [])))
            for option in asked.options
        )


def _choice(message: str, question: str, asked: ClarificationRequested) -> Choice | None:
    return read_reply(message, question=question, options=[(option.id, option.label) for option in asked.options])


class _Noting:
    """A retriever that keeps the paths of found passages, because a source has no path."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.paths: dict[int, str] = {}

    @property
    def by_words(self) -> bool:
        return self._retriever.by_words

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        found = await self._retriever.search(query, limit=limit, only=only)
        self.paths.update((passage["id"], passage["path"]) for passage in found)
        return found

    async def still_there(self, ids: list[int]) -> set[int]:
        return await self._retriever.still_there(ids)

    async def topics(self) -> Topics:
        return await self._retriever.topics()

    async def languages(self) -> list[str]:
        return await self._retriever.languages()


async def _last(stream: AsyncIterator[AnswerEvent]) -> AnswerEvent | None:
    last: AnswerEvent | None = None
    async for event in stream:
        last = event
    return last
