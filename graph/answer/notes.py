"""The notes below an answer, one sentence each: what people must know to rely on it (pure)."""

from datetime import date

from graph.documents.terms import above, ended
from graph.documents.versions import replacement
from graph.passages import Source
from graph.routing import preset_of
from graph.state import TurnState, understood
from graph.text.wording import (
    BY_WORDS,
    CAVEAT,
    EFFORTS,
    FROM_WEB,
    TAKEN_FOR_A_WISH,
    UNREAD,
    UNSEARCHED,
    WAS_VALID,
    day_in,
    spoken,
)
from graph.tools import are_of_web, in_documents


def notes_below(turn: TurnState, sources: list[Source], language: str) -> list[str]:
    """Return the notes of a turn, in order: what was assumed, how sure the answer is, and what it had to do without."""
    notes = [
        understood(turn)["assumption"],
        spoken(CAVEAT, language) if turn["confidence"] < preset_of(turn).confident else "",
        spoken(FROM_WEB, language) if turn["outcome"] == "answered" and are_of_web(turn["passages"]) else "",
        unread_note(turn, language),
        spoken(_failed_search(turn, sources), language),
        *_effort(turn, language),
        *(spoken(note, language) for note in turn["notes"]),
    ]
    return [note for note in notes if note]


def unread_note(turn: TurnState, language: str) -> str:
    """Name the attachments that were not read; empty if there were none."""
    return spoken(UNREAD, language, names=", ".join(turn["unread"])) if turn["unread"] else ""


def ended_documents(turn: TurnState, cited: list[Source], today: date, language: str) -> list[str]:
    """Say of each cited document whose own time is over that it is, if no newer version was found."""
    if turn["outcome"] not in ("answered", "admitted") or "verified" in turn:
        return []
    known = {one["id"]: one for one in (*turn["found"], *turn["passages"], *turn.get("nearest", []))}
    said: list[str] = []
    for passage in (known[one["passage_id"]] for one in cited if one["passage_id"] in known):
        until = ended(above(passage, known.values()), today, turn["question"])
        if until and not replacement(passage, list(known.values())):
            said.append(spoken(WAS_VALID, language, title=passage["title"], day=day_in(until, language)))
    return list(dict.fromkeys(said))


def _failed_search(turn: TurnState, sources: list[Source]) -> str:
    """Say how far documents could be searched for an answer that may rest on them; empty if nothing failed."""
    if turn["outcome"] not in ("answered", "admitted") or "verified" in turn or "place" in understood(turn):
        return ""
    if turn.get("unsearched"):
        return UNSEARCHED
    is_computed = bool(sources) and not any(in_documents({one["passage_id"]}) for one in sources)
    return BY_WORDS if turn.get("by_words") and not is_computed else ""


def _effort(turn: TurnState, language: str) -> list[str]:
    """Say if the answer got less or more work than usual, and which words asked for it."""
    if turn["outcome"] not in ("answered", "admitted"):
        return []
    # Without a model, all presets give the same answer.
    effort = "" if turn.get("quoting") == "offline" else EFFORTS.get(turn.get("preset", ""), "")
    wished = turn.get("wished")
    return [spoken(effort, language), spoken(TAKEN_FOR_A_WISH, language, phrase=wished) if wished else ""]
