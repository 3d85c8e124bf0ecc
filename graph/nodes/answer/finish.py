"""Finish the turn: yield the whole answer, remember it, and drop intermediate data."""

from functools import partial

from langgraph.runtime import Runtime

from graph.answer.draft import in_order
from graph.answer.evidence import RELEVANT, SURE, relevance_of, sources_of
from graph.answer.follow_ups import MOST, follow_ups
from graph.answer.guard import vouched_links
from graph.answer.notes import ended_documents, notes_below
from graph.answer.place_list import LISTED
from graph.answer.review import packet_of, recalled
from graph.context import Context
from graph.events import AnswerCompleted
from graph.memory import WITHHELD, language_asked, remember_exchange, standalone
from graph.passages import Source
from graph.routing import preset_of
from graph.search import CANDIDATES, or_nothing, weighed_for
from graph.state import Memory, State, TurnState, Update, understood, without_keys
from graph.sufficiency import UNSAID
from graph.text.grounding import citations
from graph.text.wording import UNANSWERED, spoken
from graph.text.words import language_of
from graph.tools import in_documents

_SEVERAL = 2
"""Questions of one message of which an answer may leave one open."""


async def finish(state: State, runtime: Runtime[Context]) -> Update:
    """End the run with its answer."""
    turn = state["turn"]
    outcome = turn["outcome"]
    if outcome == "silent":
        raise LookupError("A silent turn has no answer to finish.")
    text, sources = in_order(
        turn["draft"] if outcome == "answered" else turn["answer"], turn["sources"] or _cited(turn)
    )
    language = language_asked(state)
    left_open = [
        spoken(UNANSWERED, language, question=part) for part in await _left_open(turn, sources, runtime.context)
    ]
    shown = [source for source in sources if source["number"] in citations(text)]
    over = ended_documents(turn, shown, runtime.context.today(turn), language)
    notes = [*over, *notes_below(turn, sources, language), *left_open]
    decision = turn.get("decision")
    may_be_reviewed = outcome in ("answered", "admitted") and decision is None
    runtime.stream_writer(
        AnswerCompleted(
            outcome=outcome,
            text=text,
            sources=tuple(sources),
            notes=tuple(notes),
            recalled=recalled(turn),
            follow_ups=await _follow_ups(turn, text, sources, runtime.context),
            packet=packet_of(turn) if may_be_reviewed and runtime.context.has_reviewer_for(turn) else None,
            reviewer=decision["by"] if decision else "",
            links=_links(turn, text),
            has_wish=bool(turn.get("wished")) and outcome in ("answered", "admitted"),
            knows_more=await _knows_more(turn, runtime.context),
            is_whole=_is_whole(turn, sources) and not over,
        )
    )
    return {"memory": _remembered(state, text, sources), "turn": _lightened(turn)}


def _remembered(state: State, text: str, sources: list[Source]) -> Memory:
    """Return the memory with this answer, without words that later readers of the thread may not read."""
    turn = state["turn"]
    if "place" in understood(turn):
        return remember_exchange(state, answer=LISTED, sources=[])
    # Where it was written says who may read it, and memory cannot ask that again.
    is_withheld = turn.get("verified", {}).get("restricted", False)
    return remember_exchange(state, answer=WITHHELD if is_withheld else text, sources=sources)


async def _left_open(turn: TurnState, sources: list[Source], context: Context) -> list[str]:
    """Return those of several questions that no cited passage answers, of an answer in the documents' own sentences.

    A model says itself what it did not find.
    """
    parts = understood(turn)["subquestions"]
    cited = {source["passage_id"] for source in sources}
    passages = [passage for passage in turn["passages"] if passage["id"] in cited]
    is_quoted = bool(turn.get("quoting")) and turn["outcome"] == "answered" and cited == in_documents(cited)
    if not is_quoted or not passages or len(parts) < _SEVERAL:
        return []
    best = [max(map(relevance_of, await weighed_for(context, [part], passages))) for part in parts]
    return [part for part, relevance in zip(parts, best, strict=True) if relevance < RELEVANT]


async def _knows_more(turn: TurnState, context: Context) -> str:
    """Return the question if a document that the asker may read, but not everybody here, surely answers it."""
    if context.private is None or turn["outcome"] != "admitted":
        return ""
    question = standalone(turn)
    found = await or_nothing(partial(context.private.search, question, limit=CANDIDATES), [], "private", context)
    ranked = await weighed_for(context, [question], found) if found else []
    known = {passage["id"] for passage in turn["found"]}
    is_known = bool(ranked) and ranked[0]["id"] not in known and relevance_of(ranked[0]) >= SURE
    return question if is_known else ""


def _links(turn: TurnState, text: str) -> tuple[str, ...]:
    """Return the addresses that people may click because a colleague wrote them."""
    decision, verified = turn.get("decision"), turn.get("verified")
    if decision and decision["kind"] in ("edited", "rejected"):
        return tuple(vouched_links(text))
    return tuple(verified["links"]) if verified else ()


async def _follow_ups(turn: TurnState, text: str, sources: list[Source], context: Context) -> tuple[str, ...]:
    """Return the questions to offer: those that their own passage answers surely, and better than all others."""
    if not context.offers_follow_ups or turn["outcome"] != "answered":
        return ()
    cited = {source["passage_id"] for source in sources}
    language = language_of(turn["question"])
    kept: list[str] = []
    for question, passage in follow_ups(standalone(turn), text, turn["found"], cited=cited, language=language):
        if len(kept) == MOST:
            break
        (best, *_) = await weighed_for(context, [question], turn["found"])
        if best["id"] == passage["id"] and relevance_of(best) >= SURE:
            kept.append(question)
    return tuple(kept)


def _is_whole(turn: TurnState, sources: list[Source]) -> bool:
    """Tell whether documents alone answer the question. A writer that cannot say how far they do quotes sure ones."""
    cited = {source["passage_id"] for source in sources}
    is_sure = turn["outcome"] == "answered" and turn["confidence"] >= preset_of(turn).confident
    is_partial = turn.get("sufficiency", UNSAID)["level"] in ("part", "none")
    is_narrowed = bool(understood(turn)["assumption"] or turn["unread"] or recalled(turn) or turn.get("by_words"))
    return is_sure and bool(cited) and cited == in_documents(cited) and not (is_partial or is_narrowed)


def _cited(turn: TurnState) -> list[Source]:
    cited = set(citations(turn["draft"]))
    return [source for source in sources_of(turn["passages"], turn["question"]) if source["number"] in cited]


def _lightened(turn: TurnState) -> TurnState:
    # The evidence may be large, and the next turn searches again.
    light = without_keys(turn, "results", "packet", "best", "nearest", "candidates", "verified", "near")
    return {
        **light,
        "earlier": [],
        "found": [],
        "facets": [],
        "passages": [],
        "understanding": None,
        "draft": "",
    }
