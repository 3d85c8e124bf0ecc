"""One fake for each port. The test says what a run finds, understands and writes."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from graph.context import Brief, Case, Context, Hints, ModelError, Verdict
from graph.passages import DocumentFilter, Passage, Topics
from graph.places import Place, PlaceQuestion, Spot
from graph.state import TurnInput, TurnState, Understanding
from graph.tools import Offer, ToolCall, ToolError, ToolResult
from graph.verified import Candidate, Telling, Verified


class TurnedClock:
    """A clock that moves only by hand."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def turn(self, **ahead: float) -> None:
        self._now += timedelta(**ahead)


def passage(id_: int, text: str, **given: object) -> Passage:
    """Return a passage with defaults for everything that the test does not set."""
    whole = {
        "id": id_,
        "document_id": id_,
        "title": f"Document {id_}",
        "path": f"document-{id_}.md",
        "heading_path": [],
        "text": text,
        "language": "en",
        "url": f"https://handbook.example/{id_}",
        "dated": "2026-01-01",
        "attributes": {},
        "score": 1.0,
    }
    return Passage(**{**whole, **given})


def turn_input(question: str, *, asker: str = "U0ADA") -> TurnInput:
    """Return what a run is given of a message to the bot."""
    return TurnInput(
        question=question,
        asker=asker,
        addressed=True,
        mentions_others=False,
        is_muted=False,
        earlier=[],
        unread=[],
        mode="conversational",
        key="1",
    )


def understanding(question: str, **given: object) -> Understanding:
    """Return an understanding that retrieves by default."""
    whole = {
        "route": "retrieve",
        "confidence": 1.0,
        "reason": "The test says so.",
        "standalone": question,
        "subquestions": [],
        "clarification": None,
        "reply": "",
        "assumption": "",
    }
    return Understanding(**{**whole, **given})


@dataclass
class FoundPassages:
    """A retriever that finds the same for every query, and records the queries."""

    passages: Sequence[Passage] = ()
    by_query: Mapping[str, Sequence[Passage]] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    """Ids of passages that are gone after a person has chosen."""
    about: Sequence[str] = ("Leave", "Travel")
    """What the documents cover."""
    by_words: bool = False

    async def still_there(self, ids: list[int]) -> set[int]:
        return set(ids) - self.gone

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        self.queries.append(query)
        return list(self.by_query.get(query, self.passages))[:limit]

    async def topics(self) -> Topics:
        return Topics(list(self.about))

    async def languages(self) -> list[str]:
        return ["en"]


class AsFound:
    """A reranker that keeps the order."""

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        return passages[:keep]


@dataclass
class Graded:
    """A grader that gives the test's grade to everything."""

    relevance: float = 0.9

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [self.relevance for _ in passages]


@dataclass
class Understood:
    """An understander that answers by a function of the case, and records the cases."""

    decide: Callable[[Case], Understanding] = lambda case: understanding(case["question"])
    cases: list[Case] = field(default_factory=list)

    async def understand(self, case: Case) -> Understanding:
        self.cases.append(case)
        return self.decide(case)


@dataclass
class Written:
    """A writer that writes its drafts one after another. An exception in a draft is raised at its place."""

    drafts: Sequence[Sequence[str | Exception]] = (("It is 25 days [1].",),)
    note: str = ""
    judges: bool = False
    briefs: list[Brief] = field(default_factory=list)

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        draft = self.drafts[min(len(self.briefs), len(self.drafts) - 1)]
        self.briefs.append(brief)
        for piece in draft:
            if isinstance(piece, Exception):
                raise piece
            yield piece


@dataclass
class Quoted:
    """A quoter that returns the test's text, and records its passages."""

    said: str = ""
    passages: list[Passage] = field(default_factory=list)

    async def nearest(self, question: str, passages: list[Passage]) -> str:
        self.passages = passages
        return self.said


@dataclass
class Validated:
    """A validator that gives its verdicts one after another."""

    verdicts: Sequence[Verdict | ModelError] = (Verdict(faithful=1.0, responsive=1.0, issues=[]),)
    asked: int = 0

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        verdict = self.verdicts[min(self.asked, len(self.verdicts) - 1)]
        self.asked += 1
        if isinstance(verdict, ModelError):
            raise verdict
        return verdict


class NoTools:
    """Tools that do nothing."""

    async def offers(self) -> list[Offer]:
        """Return none."""
        return []

    def takes(self, call: ToolCall) -> bool:
        """Return `False`."""
        del call
        return False

    async def use(self, call: ToolCall) -> list[ToolResult]:
        """Raise `ToolError`."""
        raise ToolError(f"There is no tool {call['tool']}.")


class NoPlaces:
    """An empty directory."""

    async def kinds(self) -> list[str]:
        """Return nothing."""
        return []

    async def spots(self, near: str) -> list[Spot]:
        """Return nothing."""
        del near
        return []

    async def around(self, asked: PlaceQuestion, spots: list[Spot]) -> list[list[Place]]:
        """Return nothing."""
        del asked
        return [[] for _ in spots]


class NoVerifiedAnswers:
    """Nobody kept anything."""

    async def candidates(self, question: str) -> list[Candidate]:
        """Return none."""
        del question
        return []

    async def use(self, answer_id: int, to: Telling) -> Verified | None:
        """Return none."""
        del answer_id, to
        return None

    async def dispute(self, answer_id: int, passage: Passage) -> None:
        """Note nothing."""
        del answer_id, passage


class NoObserver:
    """Records nothing."""

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        """Do nothing."""

    def note_failure(self, retriever: str, error: BaseException) -> None:
        """Do nothing."""


def context(**given: object) -> Context:
    """Return a context of fakes, except for the test's own ports."""
    whole = {
        "retriever": FoundPassages([passage(1, "Everybody has 25 days of vacation.")]),
        "reranker": AsFound(),
        "grader": Graded(),
        "understander": Understood(),
        "writers": (Written(),),
        "validator": Validated(),
        "clock": TurnedClock(),
        "tools": NoTools(),
        "places": NoPlaces(),
        "verified": NoVerifiedAnswers(),
        "observer": NoObserver(),
    }
    return Context(**{**whole, **given})


async def all_are(_connection: object, _passages: object) -> bool:
    """Take all passages for everyone's: documents have no audiences here."""
    return True
