"""What a run needs from outside: the ports. Each port has an offline and a remote adapter."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import NotRequired, Protocol, TypedDict

from graph.asking.clarification import Ambiguity
from graph.asking.profiles import today_for
from graph.passages import DocumentFilter, Facet, Passage, Topics
from graph.places import Place, PlaceQuestion, Spot
from graph.state import ChoiceState, Memory, PresetName, TurnState, Understanding
from graph.tools import CallOutcome, Offer, PlannedChange, ToolCall, ToolResult
from graph.turn import Profile
from graph.verified import Candidate, Telling, Verified


class ModelError(Exception):
    """A model could not be asked, or its response was invalid. The run continues without it."""


class TextRefusedError(ModelError):
    """A model refuses one of these very texts, and would refuse it again."""


class TextCutError(ModelError):
    """A text reached the token limit. Its complete sentences may be used."""


class Case(TypedDict):
    """The input of `understand`."""

    question: str
    memory: Memory
    passages: list[Passage]
    """What the first search found, best first."""
    facets: list[Facet]
    """The readings in these passages. Only these may be offered."""
    topics: Topics
    """What the documents cover, for "what can you do" and for declining."""
    languages: list[str]
    """The languages of all documents as two letters, the most frequent first."""
    addressed: bool
    may_ask: bool
    """`False` after the person was asked back in this turn."""
    candidates: list[Candidate]
    """Verified answers that may be meant."""
    choice: NotRequired[ChoiceState]
    """The person's answer to the question back; missing until then."""
    today: str
    """ISO date."""
    profile: NotRequired[Profile]
    """What is known of the asker; missing if nothing is."""
    kinds: list[str]
    """The kinds of places in the directory; none if it is empty."""
    tools: list[Offer]
    """The tools of other servers."""


class Brief(TypedDict):
    """The input of `write`."""

    question: str
    passages: list[Passage]
    """Numbered from 1 in this order."""
    memory: Memory
    issues: list[str]
    """The faults of the last draft; empty for the first one."""
    draft: NotRequired[str]
    """The last draft, if there is one."""
    seconds: NotRequired[float]
    """The time limit for the first word."""
    temperature: NotRequired[float]
    """How freely a model may choose its words (0–1); 0 by default: the likeliest ones."""
    today: str
    """ISO date where the asker is. A writer learns nothing else of them, because an answer may be for others later."""


class Verdict(TypedDict):
    """The validator's judgement of a draft."""

    faithful: float
    """0–1: how much of the draft the passages support."""
    responsive: float
    """0–1: how well the draft answers the question."""
    issues: list[str]
    refuted: NotRequired[list[str]]
    """The draft's sentences that no passage supports. Missing if the validator cannot name them."""


class Hints(TypedDict):
    """What a validator gets besides the draft and its passages."""

    today: str
    """ISO date."""
    doubts: list[str]
    """The doubts of the audit."""
    found: list[Passage]
    """All found passages, to check a sentence like "the documents do not say"."""
    quoted: bool
    """Whether the draft consists of the documents' own sentences."""
    by_rules: NotRequired[bool]
    """Whether rules must judge, without a model."""
    answers: NotRequired[bool]
    """Whether the writer says that the passages answer the question, or a part of it."""


class Retriever(Protocol):
    """Searches the documents that the run may read."""

    @property
    def by_words(self) -> bool:
        """Whether a search of this run compared words alone, because the embedding failed."""
        ...

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        """Return up to `limit` passages, best first, fused from full-text and embedding search.

        `only` leaves the passages of some documents.
        """
        ...

    async def still_there(self, ids: list[int]) -> set[int]:
        """Return the ids of passages that still exist, unchanged and readable."""
        ...

    async def topics(self) -> Topics:
        """Return up to eight short names of what the documents cover, and how many more there are."""
        ...

    async def languages(self) -> list[str]:
        """Return the languages of the documents as two letters, the most frequent first."""
        ...


class Reranker(Protocol):
    """Orders passages by reading the question and each text together."""

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        """Return the best `keep` passages with new scores, best first."""
        ...


class Grader(Protocol):
    """Computes how likely a passage is relevant to a question."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return a calibrated probability (0–1) for each passage, in order."""
        ...


class Understander(Protocol):
    """Decides what a turn is, in one structured call."""

    async def understand(self, case: Case) -> Understanding:
        """Return the understanding. Raises `ModelError` if the model fails."""
        ...


class Writer(Protocol):
    """Writes answers."""

    @property
    def note(self) -> str:
        """A note below every answer of this writer; may be empty."""
        ...

    @property
    def judges(self) -> bool:
        """Whether the writer says itself if the passages suffice. A quoting writer does not, so grades decide."""
        ...

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield pieces of Markdown with [n] citations. Raises `ModelError` if the model fails."""
        ...


class Quoter(Protocol):
    """Quotes the nearest sentences if the passages are not sure enough for an answer."""

    async def nearest(self, question: str, passages: list[Passage]) -> str:
        """Return sentences of the passages as Markdown with [n] citations; empty if there are none. Never fails."""
        ...


class Validator(Protocol):
    """Judges a draft against its passages."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Return the verdict. Raises `ModelError` if the model fails."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the current time with its zone."""
        ...


class Tools(Protocol):
    """Computes what documents do not say."""

    async def offers(self) -> list[Offer]:
        """Return the tools that a model may name besides those of the prompt, once they have started."""
        ...

    def takes(self, call: ToolCall) -> bool:
        """Tell whether a call's arguments fit its tool."""
        ...

    async def use(self, call: ToolCall) -> list[ToolResult]:
        """Return the results in time, best first. Raises `ToolError` if there is none, or if the tool writes."""
        ...


class WebSearcher(Protocol):
    """Searches the web by an outside service."""

    async def search(self, query: str) -> list[ToolResult]:
        """Return the results in time, best first. Raises `ToolError` if the service fails."""
        ...


class Places(Protocol):
    """The directory of places that the run may read."""

    async def kinds(self) -> list[str]:
        """Return the kinds of places in it; none if it is empty."""
        ...

    async def spots(self, near: str) -> list[Spot]:
        """Return what a city, postcode or name of a place may mean, the likeliest first; none if nobody knows."""
        ...

    async def around(self, asked: PlaceQuestion, spots: list[Spot]) -> list[list[Place]]:
        """Return the places near each spot, those that fit first; if none is near any, those around the first one."""
        ...


class Preferences(Protocol):
    """Recalls people's choices."""

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return the label that the asker chose last among the same labels; `None` if they never chose.

        Empty if they want to be asked.
        """
        ...


class Profiles(Protocol):
    """Knows who asks."""

    async def of(self, person: str) -> Profile | None:
        """Return a person's profile as far as it is known in time. Never fails."""
        ...


class ApprovedCalls(Protocol):
    """Makes what the asker approved."""

    async def make(self, change: PlannedChange) -> CallOutcome:
        """Make the change at most once for each approval, and return what came of it."""
        ...


class VerifiedAnswers(Protocol):
    """The answers that people kept, as far as the asker may read them."""

    async def candidates(self, question: str) -> list[Candidate]:
        """Return the few answers that may be meant, the likeliest first."""
        ...

    async def use(self, answer_id: int, to: Telling) -> Verified | None:
        """Return an answer that is told now, and note whom; `None` if it may not be told any more."""
        ...

    async def dispute(self, answer_id: int, passage: Passage) -> None:
        """Note that a passage, which was told beside an answer, says otherwise."""
        ...


class Presets(Protocol):
    """Says how much work an answer gets in the run's channel."""

    async def usual(self) -> PresetName:
        """Return the default preset."""
        ...


class Observer(Protocol):
    """Records what each node did, and what it had to do without."""

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        """Record a node's run; `after` is missing if the node did not finish. Never fails."""
        ...

    def note_failure(self, retriever: str, error: BaseException) -> None:
        """Record that a retriever failed in the current node. Never fails."""
        ...


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a run needs from outside."""

    retriever: Retriever
    reranker: Reranker
    grader: Grader
    understander: Understander
    writers: tuple[Writer, ...]
    """In order; if one fails, the next one takes over."""
    validator: Validator
    clock: Clock
    tools: Tools
    places: Places
    verified: VerifiedAnswers
    observer: Observer
    strict: Grader | None = None
    """The grader for quoted answers, if it is another one."""
    sure: Grader | None = None
    """The grader that decides whether passages surely answer, if it is another one than `strict`."""
    preferences: Preferences | None = None
    """Without it, no earlier choice is assumed."""
    profiles: Profiles | None = None
    presets: Presets | None = None
    """Without it, every answer is balanced."""
    web: WebSearcher | None = None
    """Asked if no document answers."""
    approved: ApprovedCalls | None = None
    """Makes what an asker approved; without it, nothing is changed."""
    private: Retriever | None = None
    """Searches all that the asker may read; `None` where the run searches that anyway."""
    quoter: Quoter | None = None
    """Without it, only the titles of the nearest documents are shown."""
    first_word_seconds: float = 10.0
    """Time limit from the question to the first word (requirement A9)."""
    has_reviewer: bool = False
    """Whether a colleague can be asked to review an answer."""
    offers_follow_ups: bool = False
    """Whether an answer offers questions to ask next."""
    review_below: float = 0.0
    """A last draft with a lower confidence (0–1) waits for a reviewer; 0: none does."""

    @property
    def has_model(self) -> bool:
        """Whether a writer can tell if the evidence suffices."""
        return any(writer.judges for writer in self.writers)

    def has_reviewer_for(self, turn: TurnState) -> bool:
        """Tell whether a colleague can review the turn's answer. Reviewers may read only what is for everybody."""
        return self.has_reviewer and not turn.get("restricted")

    def today(self, turn: TurnState) -> date:
        """Return the date where the turn's asker is."""
        return today_for(self.clock.now(), turn.get("profile"))
