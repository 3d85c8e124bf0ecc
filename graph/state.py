"""The graph's state: `memory`, which is kept and bounded, and `turn`, which every run starts afresh.

All values are plain JSON. A run starts from `Given`, a node reads `State` and returns `Update`.
"""

from collections.abc import Mapping
from typing import Final, Literal, NotRequired, TypedDict, TypeVar, cast, get_type_hints

from graph.passages import DocumentFilter, Facet, Passage, Source
from graph.places import PlaceQuestion
from graph.sufficiency import Sufficiency
from graph.tools import PlannedChange, ToolCall
from graph.turn import ChoiceKind, Mode, Profile, ReviewDecision, Unit
from graph.verified import Candidate, NearMiss, Verified

Route = Literal[
    "answer_from_conversation", "retrieve", "clarify", "converse", "out_of_scope", "stay_silent", "look_up_place"
]

PresetName = Literal["quick", "balanced", "thorough"]
"""How much work an answer gets."""


class Exchange(TypedDict):
    """One earlier question and its answer."""

    asker: str
    question: str
    """The person's words."""
    standalone: str
    answer: str
    """The answer; of a long one the beginning and the end."""
    sources: list[str]
    """Titles of the cited documents."""
    cited: NotRequired[list[Source]]
    """The documents that it cites, by their numbers in the whole answer."""
    passages: list[int]
    """Ids of the passages that the answer may rest on. If the asker may not read one, memory withholds the answer."""
    restricted: NotRequired[bool]
    """Whether a passage found for it is not for everybody."""
    key: str
    """The key of the message that asked."""


class RemarkState(TypedDict):
    """A message that the bot was not asked to answer; JSON of `graph.turn.Remark`."""

    person: str
    text: str
    key: str


class Memory(TypedDict):
    """What the thread remembers; see `graph.memory` for its bounds."""

    exchanges: list[Exchange]
    overheard: list[RemarkState]
    people: list[str]
    """The people who have written in the thread."""


class PlannedClarification(TypedDict):
    """The question back."""

    question: str
    options: list[str]
    """Ids of facets, best first."""
    named: NotRequired[list[Facet]]
    """Those of them that a model named, beside the turn's own."""
    suggested: NotRequired[bool]
    """Whether nothing answered, and the options are the nearest documents."""
    of_change: NotRequired[bool]
    """Whether it asks what a planned change is to be called with, so that no passage needs to bear on it."""


class Understanding(TypedDict):
    """What the turn is, and what to search for."""

    route: Route
    confidence: float
    reason: str
    standalone: str
    """The question, made self-contained; unchanged if it was self-contained."""
    subquestions: list[str]
    queries: NotRequired[list[str]]
    """Further searches: the question in the documents' words and languages."""
    only: NotRequired[DocumentFilter]
    """Which documents the question is for, if it says so."""
    tools: NotRequired[list[ToolCall]]
    """The calls of tools that the answer needs besides documents."""
    change: NotRequired[PlannedChange]
    """What the message tells the bot to change. Then no other tool is used."""
    place: NotRequired[PlaceQuestion]
    """What the directory of places is asked, on the route `look_up_place`."""
    same_as: NotRequired[int]
    """The id of the verified answer whose question asks the same, as a model sees it."""
    clarification: PlannedClarification | None
    reply: str
    """The reply to small talk, to a declined question, or from the conversation; empty for the default text."""
    cites: NotRequired[list[Source]]
    """The sources that the reply cites; missing if only the earlier answers tell them."""
    assumption: str
    """The sentence about an assumed reading, also in case nobody can be asked; empty without one."""
    assumed: NotRequired[str]
    """The id of this reading. The answer is for this reading only."""


def plainly(route: Route, standalone: str, *, reason: str, confidence: float) -> Understanding:
    """Return an understanding without a question back, a reply or an assumption."""
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


class ChoiceState(TypedDict):
    """A person's answer to a question back; JSON of `graph.turn.Choice`."""

    kind: ChoiceKind
    value: str
    label: str
    recalled: NotRequired[bool]
    """Whether it was assumed, without asking: an earlier choice, or what the asker's profile decides."""
    own: NotRequired[Unit]
    """What of the asker's own it is, if their profile decided."""


class Judged(TypedDict):
    """A draft with its judgement."""

    draft: str
    confidence: float
    issues: list[str]
    notes: list[str]
    scores: dict[str, float]


class TurnInput(TypedDict):
    """The part of a turn that is known before the run."""

    question: str
    asker: str
    addressed: bool
    mentions_others: bool
    is_muted: bool
    earlier: list[RemarkState]
    """Messages in the thread from before the bot was called into it."""
    unread: list[str]
    mode: Mode
    key: str
    """The message's key; empty if the question cannot be asked again."""
    preset: NotRequired[PresetName]
    """How much work the answer gets; `balanced` by default."""
    wished: NotRequired[str]
    """The phrase that asked for the preset; it was removed from the question."""


class Excerpt(Source):
    """A source with the words that the answer may rest on."""

    text: str
    """The sentences that the draft used, with their neighbours; or the beginning of the passage."""


class ReviewPacket(TypedDict):
    """What a reviewer sees, and what is needed to end the turn after the decision, even if the run is gone."""

    asker: str
    question: str
    """The person's words."""
    standalone: str
    key: str
    """The key of the message that asked. The decided answer replaces its exchange in memory."""
    mode: Mode
    outcome: Literal["answered", "admitted"]
    draft: str
    sources: list[Excerpt]
    """The sources that the draft may cite, or the nearest ones."""
    issues: list[str]
    """What is wrong with the draft, one sentence each."""
    scores: dict[str, float]
    """Scores (0–1) by name."""
    confidence: float
    is_unsure: bool
    """Whether this is less than the turn's preset asks for."""
    notes: list[str]
    """The notes below the answer."""
    of_writer: list[str]
    """The notes about the draft's origin. They do not hold for a reviewer's own words."""
    recalled: str
    """The sentence about a reading that was assumed without asking."""


Quoting = Literal["offline", "failed", "unproved"]
"""Why documents are quoted: there is no model, the model failed, or its draft did not match the documents."""


TurnOutcome = Literal["answered", "conversed", "declined", "admitted", "rejected", "silent"]
"""How a turn ends: with an answer of one of the kinds of `graph.events.AnswerOutcome`, or in silence."""


class TurnState(TurnInput):
    """The turn that is being answered. Nodes return a changed copy."""

    found: list[Passage]
    """The result of the search for `searched`, reranked."""
    restricted: NotRequired[bool]
    """Whether anything found or remembered is not for everybody. Reviewers do not see such a turn."""
    unreadable: NotRequired[list[int]]
    """Ids of passages behind remembered answers that are gone, or that the asker may not read."""
    searched: str
    """What `found` was searched with; empty if it has to be searched again."""
    unsearched: NotRequired[bool]
    """Whether the documents could not be searched."""
    by_words: NotRequired[bool]
    """Whether a search compared words alone, because the embedding failed."""
    candidates: NotRequired[list[Candidate]]
    """Verified answers that may be meant, if there are any."""
    reused: NotRequired[int]
    """The id of the one that answers the question."""
    near: NotRequired[NearMiss]
    """The one whose question differs in one word; people are asked about it, once."""
    confirming: NotRequired[bool]
    """Whether they were asked."""
    verified: NotRequired[Verified]
    """The one that was told."""
    facets: list[Facet]
    understanding: Understanding | None
    choice: ChoiceState | None
    """The person's answer to the question back; `None` until then."""
    passages: list[Passage]
    """The passages that the answer may cite, graded, best first."""
    nearest: NotRequired[list[Passage]]
    """The nearest passages, which are quoted if no passage answers."""
    results: NotRequired[list[Passage]]
    """The results of tools; set after the tools were used."""
    may_search_web: NotRequired[bool]
    """Whether the web may be asked if no document answers; missing after it was."""
    drafts: int
    """The number of drafts so far."""
    draft: str
    issues: list[str]
    """The faults of the draft."""
    confidence: float
    outcome: TurnOutcome
    answer: str
    """The text to show if it is not the draft."""
    sources: list[Source]
    """The sources below an answer that is not the draft, or was reviewed."""
    notes: list[str]
    scores: NotRequired[dict[str, float]]
    """The validator's scores of the draft (0–1)."""
    best: NotRequired[Judged]
    """The best judged draft so far."""
    quoting: NotRequired[Quoting]
    """Set when no model may write any more. Then the documents are quoted, by their grades."""
    sufficiency: NotRequired[Sufficiency]
    """What the writer said about its evidence."""
    improvements: NotRequired[int]
    """The number of searches for missing evidence."""
    rewrites: NotRequired[int]
    """The number of drafts that mend faults of the one before."""
    shown: NotRequired[bool]
    """Whether people have seen part of the draft."""
    profile: NotRequired[Profile]
    """What is known of the asker; missing if nothing is."""
    began: NotRequired[float]
    """When the person began to wait, in seconds since the epoch."""
    calls: NotRequired[int]
    """The number of model calls so far."""
    doubts: NotRequired[list[str]]
    """The audit's doubts."""
    disagreements: NotRequired[list[str]]
    """What the draft and a second one disagree about; set after they were compared, empty once that was rewritten."""
    refuted: NotRequired[list[str]]
    """Sentences of an earlier draft that no passage supports, by the validator."""
    needs_review: NotRequired[bool]
    """Whether a reviewer must see the draft first."""
    packet: NotRequired[ReviewPacket]
    """The review packet, if the run that asked for the review is gone."""
    decision: NotRequired[ReviewDecision]
    approval: NotRequired[ChoiceState]
    """The asker's decision about the change, if the run that asked is gone."""


def new_turn(known: TurnInput, choice: ChoiceState | None = None) -> TurnState:
    """Return a turn at the start of its run."""
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


Keyed = TypeVar("Keyed", bound=Mapping[str, object])


def without_keys(known: Keyed, *keys: str) -> Keyed:
    """Return a copy without these keys, which need not be there."""
    return cast("Keyed", {key: value for key, value in known.items() if key not in keys})


_PASSAGES: Final = tuple(name for name, kind in get_type_hints(TurnState).items() if kind == list[Passage])
"""The keys of the turn that hold passages."""


def storable(turn: TurnState) -> TurnState:
    """Return the turn without what may not be stored: the asker's profile, and some passages.

    A run that is resumed after a question back reads the profile again, and has to do without these passages.
    """
    lists = cast("dict[str, list[Passage]]", turn)
    kept = {name: [one for one in lists[name] if not one.get("transient")] for name in _PASSAGES if name in lists}
    return without_keys(cast("TurnState", {**turn, **kept}), "profile")


def queries_of(understanding: Understanding) -> list[str]:
    """Return all queries, each once, the stand-alone question first."""
    every = [understanding["standalone"], *understanding["subquestions"], *understanding.get("queries", [])]
    return list(dict.fromkeys(every))


def understood(turn: TurnState) -> Understanding:
    """Return the turn's understanding. Raises `LookupError` if there is none yet."""
    if turn["understanding"] is None:
        raise LookupError("The turn has not been understood yet.")
    return turn["understanding"]


def is_suggesting(turn: TurnState) -> bool:
    """Tell whether the turn's question back offers the nearest documents."""
    clarification = understood(turn)["clarification"]
    return clarification is not None and clarification.get("suggested", False)


class Given(TypedDict):
    """The input of a run. The thread's memory comes from its checkpoint."""

    turn: TurnState


class Update(TypedDict, total=False):
    """What a node may return."""

    memory: Memory
    turn: TurnState


class State(Given, total=False):
    """What a node may read."""

    memory: Memory
    """Missing in a thread's first turn; `graph.memory.recall` handles this."""
