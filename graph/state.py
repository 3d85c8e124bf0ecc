"""The graph's state: `memory`, kept and bounded, and `turn`, replaced whole at the start of every run.

Everything is JSON-plain. `Given` is what a run starts from, `Update` what a node may add, `State` what it may read.
"""

from typing import Literal, NotRequired, TypedDict

from graph.passages import Facet, Passage, Source
from graph.review_packet import Deciding, ReviewPacket
from graph.sufficiency import Sufficiency

Route = Literal["answer_from_conversation", "retrieve", "clarify", "converse", "out_of_scope", "stay_silent"]

PresetName = Literal["quick", "balanced", "thorough"]
"""How much work an answer is worth."""


class Exchange(TypedDict):
    """One earlier question and what became of it."""

    asker: str
    question: str
    """As it was asked."""
    standalone: str
    answer: str
    """The beginning of the answer."""
    sources: list[str]
    """Titles of the cited documents."""
    passages: list[int]
    """Ids of the passages that it may rest on: who may not read one of them is not told the answer again."""
    restricted: NotRequired[bool]
    """Whether something that was found for it is not for everyone."""
    key: NotRequired[str]
    """Names the message that asked."""


class Remembered(TypedDict):
    """Something people said that the bot was not asked to answer."""

    person: str
    text: str
    key: NotRequired[str]
    """Names the message that said it."""


class Memory(TypedDict):
    """What the thread remembers; see `graph.memory` for its bounds."""

    exchanges: list[Exchange]
    overheard: list[Remembered]
    people: list[str]
    """Who has spoken in the thread, without the bot."""


class Clarification(TypedDict):
    """The question to ask back."""

    question: str
    options: list[str]
    """Ids of facets, best first."""


class Understanding(TypedDict):
    """What the turn is and what to look for."""

    route: Route
    confidence: float
    reason: str
    standalone: str
    """The question made self-contained; byte for byte the same where it was."""
    subquestions: list[str]
    queries: NotRequired[list[str]]
    """What else to search for: the question in the documents' words and languages."""
    clarification: Clarification | None
    reply: str
    """What to say to small talk or when declining; empty for the default text."""
    assumption: str
    """What is said of a reading that was assumed, or would be if nobody could be asked; empty if there is none."""
    assumed: NotRequired[str]
    """The id of that reading: the answer is for it alone."""


def plainly(route: Route, standalone: str, *, reason: str, confidence: float) -> Understanding:
    """Return an understanding with nothing to ask, to say or to assume."""
    return Understanding(
        route=route,
        confidence=confidence,
        reason=reason,
        standalone=standalone,
        subquestions=[],
        clarification=None,
        reply="",
        assumption="",
    )


class Choosing(TypedDict):
    """What a person answered when asked what was meant; JSON of `graph.turn.Choice`."""

    kind: Literal["option", "text", "just_answer"]
    value: str
    label: str
    recalled: NotRequired[bool]
    """Whether they did so earlier, and were not asked this time."""


class Judged(TypedDict):
    """A draft that was judged."""

    draft: str
    confidence: float
    issues: list[str]
    notes: list[str]
    scores: dict[str, float]


class Turning(TypedDict):
    """The part of a turn that is known before its run."""

    question: str
    asker: str
    addressed: bool
    mentions_others: bool
    earlier: list[Remembered]
    """What was said in the thread before the bot was called into it."""
    unread: list[str]
    mode: Literal["conversational", "stateless"]
    key: str
    """Names the message; empty where nothing can be asked again."""
    preset: NotRequired[PresetName]
    """How much work the answer is worth; `balanced` where nobody says otherwise."""
    wished: NotRequired[str]
    """The phrase of the question that asked for the preset, and is no part of it any more."""


Quoting = Literal["offline", "failed", "unproved"]
"""Why nobody but the documents speaks: there is no model, it failed, or what it wrote did not hold."""


Outcome = Literal["answered", "conversed", "declined", "admitted", "rejected", "silent"]


class TurnState(Turning):
    """What is known of the turn that is being answered; nodes return a changed copy."""

    found: list[Passage]
    """What the search for `searched` found, reranked."""
    restricted: NotRequired[bool]
    """Whether anything that was found, or is remembered, is not for everyone: it is not put before reviewers."""
    unreadable: NotRequired[list[int]]
    """Ids of passages that remembered answers rest on, and that are gone, or not for who asks now."""
    searched: str
    facets: list[Facet]
    understanding: Understanding | None
    choice: Choosing | None
    """What the person answered when asked; none while nobody was asked."""
    passages: list[Passage]
    """What the answer may cite, graded, best first."""
    nearest: NotRequired[list[Passage]]
    """What may come near an answer where nothing answers."""
    drafts: int
    """How many drafts were written."""
    draft: str
    issues: list[str]
    """What is wrong with the draft."""
    confidence: float
    outcome: Outcome
    answer: str
    """What to say where it is not the draft."""
    sources: list[Source]
    """What to show below an answer that is not the draft, or was reviewed."""
    notes: list[str]
    scores: NotRequired[dict[str, float]]
    """What the validator thought of the draft (0–1)."""
    best: NotRequired[Judged]
    """The best of the drafts that were judged."""
    quoting: NotRequired[Quoting]
    """Set once no model writes any more: then the documents are quoted, by the grades."""
    sufficiency: NotRequired[Sufficiency]
    """What the writer of the draft said of its evidence."""
    improvements: NotRequired[int]
    """How often it was searched again for what was missing."""
    shown: NotRequired[bool]
    """Whether people have seen a part of the draft."""
    began: NotRequired[float]
    """When the person began to wait, in seconds since the epoch."""
    calls: NotRequired[int]
    """Model calls that the turn has taken."""
    doubts: NotRequired[list[str]]
    """What the audit saw and cannot be certain of."""
    refuted: NotRequired[list[str]]
    """Sentences of an earlier draft that the validator found in no passage."""
    needs_review: NotRequired[bool]
    """Whether a person must look at the draft before anybody sees it."""
    dossier: NotRequired[ReviewPacket]
    """What was put before a reviewer, where the run that did so is gone."""
    ruling: NotRequired[Deciding]


def new_turn(known: Turning, choice: Choosing | None = None) -> TurnState:
    """Return a turn of which nothing has been found out yet."""
    return TurnState(
        **known,
        found=[],
        searched="",
        facets=[],
        understanding=None,
        choice=choice,
        passages=[],
        drafts=0,
        draft="",
        issues=[],
        confidence=1.0,
        outcome="answered",
        answer="",
        sources=[],
        notes=[],
    )


def holding(turn: TurnState, found: list[Passage]) -> TurnState:
    """Return the turn with what was found; what was restricted once stays so."""
    held: TurnState = {**turn, "found": found}
    if any(passage.get("restricted") for passage in found):
        held["restricted"] = True
    return held


def queries_of(understanding: Understanding) -> list[str]:
    """Return all that is searched for, the stand-alone question first, each once."""
    every = [understanding["standalone"], *understanding["subquestions"], *understanding.get("queries", [])]
    return list(dict.fromkeys(every))


def understood(turn: TurnState) -> Understanding:
    """Return the turn's understanding; raise `LookupError` before there is one."""
    if turn["understanding"] is None:
        raise LookupError("The turn has not been understood yet.")
    return turn["understanding"]


class Given(TypedDict):
    """What a run starts from; the memory is the thread's own."""

    turn: TurnState


class Update(TypedDict, total=False):
    """What a node may add."""

    memory: Memory
    turn: TurnState


class State(Given, total=False):
    """What a node may read."""

    memory: Memory
    """Missing in a thread's first turn; `graph.memory.recall` fills it in."""
