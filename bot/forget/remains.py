"""What remains of a thread's state once something is forgotten (pure)."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from graph import patterns
from graph.memory import without_person, without_texts
from graph.state import Memory, State, TurnState

SENTENCE: Final = 20
"""Characters of a piece of a verified answer that is looked for in memory: shorter ones are in other answers, too."""
_PIECES: Final = patterns.compile(r"\s*\[\d+\]\s*|[.!?]\s+|\n+")


def without_words_of(state: State, *, person: str, keys: Collection[str], texts: Sequence[str]) -> Memory | None:
    """Return a thread's memory without a person, or None if the state holds nothing of them.

    `keys` are the keys of what they said and decided there, `texts` pieces of the answers that they kept.
    """
    memory = memory_of(state)
    left = without_texts(without_person(memory, person, keys), texts)
    is_named = json.dumps(person) in json.dumps(state)
    return left if is_named or left != memory else None


def memory_of(state: State) -> Memory:
    """Return a thread's memory."""
    return state.get("memory") or Memory(exchanges=[], overheard=[], people=[])


def passages_in(state: State) -> set[int]:
    """Return the ids of the passages that a thread's state holds or rests on."""
    ids = {id_ for exchange in memory_of(state)["exchanges"] for id_ in exchange["passages"]}
    # The turn of a run that has ended is not stored.
    return ids | _passages_of(state["turn"]) if "turn" in state else ids


def _passages_of(turn: TurnState) -> set[int]:
    lists = (turn["found"], turn["passages"], turn.get("nearest", []))
    sources = (*turn["sources"], *turn.get("packet", {}).get("sources", []))
    return {passage["id"] for passages in lists for passage in passages} | {one["passage_id"] for one in sources}


def pieces_of(texts: Iterable[str]) -> list[str]:
    """Return the pieces of some answers by which their words are found, whatever their citations are."""
    return [piece for text in texts for piece in _PIECES.split(text) if len(piece) >= SENTENCE]
