"""What a run needs from outside: the ports, each with an offline and a remote adapter."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NotRequired, Protocol, TypedDict

from graph.asking.preferences import NoPreferences, Preferences
from graph.passages import Facet, Passage
from graph.state import Choosing, Memory, PresetName, TurnState, Understanding


class ModelError(Exception):
    """A model could not be asked, or did not answer as it must; the run degrades and goes on."""


class TextCutError(ModelError):
    """A text ended for want of room; the sentences that came before may stand."""


class Case(TypedDict):
    """Everything `understand` may look at."""

    question: str
    memory: Memory
    passages: list[Passage]
    """What the first search found, best first."""
    facets: list[Facet]
    """The readings those passages hold; the only ones that may be offered."""
    topics: list[str]
    """What the documents cover, for "what can you do" and for declining."""
    addressed: bool
    may_ask: bool
    """False once a person was asked in this turn."""
    choice: NotRequired[Choosing]
    """What the person answered when asked what was meant."""
    today: str
    """ISO date."""


class Brief(TypedDict):
    """What `write` works from."""

    question: str
    passages: list[Passage]
    """Numbered from 1 in this order."""
    memory: Memory
    issues: list[str]
    """What was wrong with the last draft; empty the first time."""
    draft: NotRequired[str]
    """The last draft, where there was one."""
    seconds: NotRequired[float]
    """Within which the first word is expected."""
    today: str


class Verdict(TypedDict):
    """What the validator thinks of a draft."""

    faithful: float
    """0–1: how much of it the passages support."""
    responsive: float
    """0–1: how well it answers the question."""
    issues: list[str]
    refuted: NotRequired[list[str]]
    """The sentences of the draft that no passage supports, if the validator can name them; else any may be meant."""


class Hints(TypedDict):
    """What a validator may want to know beyond the draft and its passages."""

    today: str
    """ISO date."""
    doubts: list[str]
    """What the audit could not decide."""
    found: list[Passage]
    """All that was found, of which the passages were chosen: "the documents do not say" is judged by it."""
    quoted: bool
    """Whether the draft is made of the documents' own sentences."""
    by_rules: NotRequired[bool]
    """Whether no model is to be asked."""


class Retriever(Protocol):
    """Finds passages in the documents that the run may read."""

    async def search(self, query: str, *, limit: int) -> list[Passage]:
        """Return up to `limit` passages, fused over text and embedding, best first."""
        ...

    async def still_there(self, ids: list[int]) -> set[int]:
        """Return those of some passages' ids whose passages are as they were found."""
        ...

    async def topics(self) -> list[str]:
        """Return up to eight short names of what the documents cover."""
        ...


class Reranker(Protocol):
    """Puts passages in a better order, looking at question and text together."""

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        """Return the best `keep` passages with new scores, best first."""
        ...


class Grader(Protocol):
    """Says how likely a passage bears on a question."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return one calibrated probability (0–1) a passage, in their order."""
        ...


class Understander(Protocol):
    """Decides what a turn is: the one structured call."""

    async def understand(self, case: Case) -> Understanding:
        """Raise `ModelError` where the model fails."""
        ...


class Writer(Protocol):
    """Writes answers."""

    @property
    def note(self) -> str:
        """A sentence that every answer of this writer carries; may be empty."""
        ...

    @property
    def judges(self) -> bool:
        """Whether it says itself how far the passages suffice; one that quotes gets only what was graded as enough."""
        ...

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield pieces of Markdown with [n] citations; raise `ModelError` where the model fails."""
        ...


class Quoter(Protocol):
    """Quotes what comes near an answer where nothing is sure enough to write one."""

    async def nearest(self, question: str, passages: list[Passage]) -> str:
        """Return the passages' own words as Markdown with [n] citations; empty if there are none; never fails."""
        ...


class Validator(Protocol):
    """Judges a draft against its passages."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Raise `ModelError` where the model fails."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the current time, with its zone."""
        ...


class Presets(Protocol):
    """Says how much work answers are worth where the run is."""

    async def usual(self) -> PresetName:
        """Return the preset of questions that ask for none."""
        ...


class Balanced:
    """Lets all answers be balanced."""

    async def usual(self) -> PresetName:
        """Return `balanced`."""
        return "balanced"


class Observer(Protocol):
    """Is told what each node did."""

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        """Take note of a node that ran, without `after` where it came to no end; never fail."""
        ...


class NoObserver:
    """Looks away."""

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        """Take no note."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a run needs from outside."""

    retriever: Retriever
    reranker: Reranker
    grader: Grader
    understander: Understander
    writers: tuple[Writer, ...]
    """Asked in this order; the next takes over where one fails."""
    validator: Validator
    clock: Clock
    strict: Grader | None = None
    """Grades where the documents are quoted, if it is not the same."""
    habits: Preferences = field(default_factory=NoPreferences)
    presets: Presets = field(default_factory=Balanced)
    observer: Observer = field(default_factory=NoObserver)
    quoter: Quoter | None = None
    """Without one, only the titles of the nearest documents are shown."""
    first_word_seconds: float = 10.0
    """From the question to the first word, whatever models do (requirement A9)."""
    has_reviewer: bool = False
    """Whether a person can be asked to look at an answer."""
    review_below: float = 0.0
    """A draft that is less sure than this (0–1), with none to follow it, waits for a reviewer; 0 where none does."""

    @property
    def has_model(self) -> bool:
        """Whether somebody writes who can tell if the evidence suffices."""
        return any(writer.judges for writer in self.writers)
