"""Human review: the packet that a reviewer sees, and the turn after the reviewer's decision (pure)."""

from collections.abc import Callable

from graph.answer.draft import in_order, with_known_citations
from graph.answer.evidence import sources_of
from graph.answer.guard import vouched
from graph.answer.notes import unread_note
from graph.events import AnswerCompleted, AnswerEvent, TextWritten
from graph.memory import standalone
from graph.passages import Source
from graph.routing import preset_of
from graph.state import Excerpt, ReviewPacket, TurnInput, TurnState, new_turn, plainly, without_keys
from graph.text.grounding import citations, sentences, support
from graph.text.wording import (
    AS_LAST_TIME,
    AS_OWN,
    CAVEAT,
    CONSULTED,
    NOT_CONFIRMED,
    OUTDATED,
    UNREVIEWED,
    spoken,
)
from graph.text.words import language_of
from graph.turn import ReviewDecision

EXCERPT_CHARACTERS = 300
_MOST_SENTENCES = 3
"""Sentences of a draft that choose the excerpt of one passage."""


def packet_of(turn: TurnState) -> ReviewPacket:
    """Return the review packet of a turn that has its answer."""
    admits = turn["outcome"] == "admitted"
    understanding = turn["understanding"]
    notes = [
        understanding["assumption"] if understanding else "",
        unread_note(turn, language_of(turn["question"])),
        *turn["notes"],
    ]
    excerpts = _excerpts(turn, turn["sources"] if admits else sources_of(turn["passages"], turn["question"]))
    draft, sources = in_order(turn["answer"] if admits else turn["draft"], excerpts)
    return ReviewPacket(
        asker=turn["asker"],
        question=turn["question"],
        standalone=standalone(turn),
        key=turn["key"],
        mode=turn["mode"],
        outcome="admitted" if admits else "answered",
        draft=draft,
        sources=sources,
        issues=turn["issues"],
        scores=turn.get("scores", {}),
        confidence=turn["confidence"],
        is_unsure=turn["confidence"] < preset_of(turn).confident,
        notes=[note for note in notes if note],
        of_writer=turn["notes"],
        recalled=recalled(turn),
    )


def recalled(turn: TurnState) -> str:
    """Return the sentence about what was assumed without asking, in this run or in the one under review."""
    choice, packet, language = turn["choice"], turn.get("packet"), language_of(turn["question"])
    if choice and "own" in choice:
        return spoken(AS_OWN[choice["own"]], language, label=choice["label"])
    if choice and choice.get("recalled"):
        return spoken(AS_LAST_TIME, language, label=choice["label"])
    return packet["recalled"] if packet else ""


def turn_of(packet: ReviewPacket, decision: ReviewDecision) -> TurnState:
    """Return a turn that only needs to be finished as decided, because the waiting run is gone."""
    known = TurnInput(
        question=packet["question"],
        asker=packet["asker"],
        addressed=True,
        mentions_others=False,
        is_muted=False,
        earlier=[],
        unread=[],
        mode=packet["mode"],
        key=packet["key"],
    )
    understanding = plainly("retrieve", packet["standalone"], reason="It was answered before.", confidence=1.0)
    return {
        **new_turn(known),
        "understanding": understanding,
        "notes": packet["notes"],
        "packet": packet,
        "decision": decision,
    }


def decided(turn: TurnState, packet: ReviewPacket, decision: ReviewDecision) -> TurnState:
    """Return the turn with the answer that follows from the decision."""
    kind, text = decision["kind"], packet["draft"]
    if kind == "rejected":
        refused = spoken(NOT_CONFIRMED, language_of(turn["question"]), reason=vouched(decision["text"]))
        return {
            **turn,
            "decision": decision,
            "outcome": "rejected",
            "draft": "",
            "answer": refused,
            "sources": [],
            "confidence": 1.0,
            "notes": _not_of_writer(turn, packet),
        }
    notes = turn["notes"]
    if kind == "edited":
        notes = _not_of_writer(turn, packet)
        known = [source["number"] for source in packet["sources"]]
        text = vouched(with_known_citations(decision["text"], known))
    expired = kind == "expired"
    return {
        **turn,
        "decision": decision,
        "outcome": "answered" if kind == "edited" else packet["outcome"],
        "draft": text,
        "answer": text,
        "sources": shown_sources(packet, text, is_own=kind != "edited"),
        "confidence": packet["confidence"] if expired else 1.0,
        "notes": [*notes, UNREVIEWED] if expired else notes,
    }


def outdated(decision: ReviewDecision) -> ReviewDecision:
    """Turn an approval into a rejection, because the asker may no longer read the answer's documents."""
    return {**decision, "kind": "rejected", "text": OUTDATED}


def _not_of_writer(turn: TurnState, packet: ReviewPacket) -> list[str]:
    return [note for note in turn["notes"] if note not in packet["of_writer"]]


def shown_sources(packet: ReviewPacket, text: str, *, is_own: bool = True) -> list[Source]:
    """Return the sources below a text: the cited ones, or the nearest if the text admits that nothing answers."""
    cited = set(citations(text))
    nearest = is_own and packet["outcome"] == "admitted"
    return [without_keys(one, "text") for one in packet["sources"] if nearest or one["number"] in cited]


def consulted(packet: ReviewPacket) -> AnswerCompleted:
    """Return a shown answer with the note that a colleague was asked to look at it."""
    text, language = packet["draft"], language_of(packet["question"])
    notes = [*packet["notes"], *([CAVEAT] if packet["is_unsure"] else []), CONSULTED]
    return AnswerCompleted(
        outcome=packet["outcome"],
        text=text,
        sources=tuple(shown_sources(packet, text)),
        notes=tuple(spoken(note, language) for note in notes),
        recalled=packet["recalled"],
    )


def withholding(emit: Callable[[AnswerEvent], None]) -> Callable[[AnswerEvent], None]:
    """Return an emitter that drops text, because a reviewer may have to see it first. Steps are still shown."""

    def tell(event: AnswerEvent) -> None:
        if not isinstance(event, TextWritten):
            emit(event)

    return tell


def _excerpts(turn: TurnState, sources: list[Source]) -> list[Excerpt]:
    passages = {passage["id"]: passage for passage in (*turn["found"], *turn["passages"])}

    def taken_from(source: Source) -> str:
        passage = passages.get(source["passage_id"])
        return excerpt(passage["text"], turn["draft"], source["number"], passage["language"]) if passage else ""

    return [Excerpt(**source, text=taken_from(source)) for source in sources]


def excerpt(passage: str, draft: str, number: int, language: str = "en") -> str:
    """Return the sentences of a passage that a draft's citations rest on; its beginning if there are none."""
    text = " ".join(passage.split())
    if len(text) <= EXCERPT_CHARACTERS:
        return text
    cited = [said for said in sentences(draft, language) if number in citations(said)][:_MOST_SENTENCES]
    parts = sentences(text, language)
    kept = sorted({_nearest(said, parts) for said in cited}) or [0]
    return _joined(parts, _widened(parts, kept))


def _nearest(said: str, parts: list[str]) -> int:
    """Return the index of the sentence that supports the statement best, the first of equals."""
    return max(range(len(parts)), key=lambda place: (support(said, parts[place]), -place))


def _widened(parts: list[str], kept: list[int]) -> list[int]:
    """Add the next and previous sentences if there is room."""
    places = list(kept)
    for place in [*(place + 1 for place in kept), *(place - 1 for place in kept)]:
        room = EXCERPT_CHARACTERS - sum(len(parts[one]) + 1 for one in places)
        if 0 <= place < len(parts) and place not in places and len(parts[place]) <= room:
            places.append(place)
    return sorted(places)


def _joined(parts: list[str], places: list[int]) -> str:
    """Return the sentences in order, with an ellipsis for each gap."""
    shown: list[str] = [] if places[0] == 0 else ["…"]
    for before, place in zip([places[0] - 1, *places], places, strict=False):
        shown += ["…"] if place > before + 1 else []
        shown.append(_cut(parts[place]))
    return " ".join(shown if places[-1] == len(parts) - 1 else [*shown, "…"])


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= EXCERPT_CHARACTERS else f"{sentence[:EXCERPT_CHARACTERS]}…"
