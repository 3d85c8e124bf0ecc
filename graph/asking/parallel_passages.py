"""Whether two passages answer one question from places that mirror each other, but differently (pure)."""

from pathlib import PurePosixPath

from graph.passages import Passage
from graph.text.relevance import best_sentence, coverage, words_of
from graph.text.words import content_words, quantities, words

COVERED = 0.4
"""How much of the question's weight a passage must hold to answer it."""
MIRRORED = 0.3
"""How much of their words two sentences share that fill the same place in two documents."""
UNEVEN = 0.4
"""Most of the question's weight that only one of two readings may hold."""
SAME = 0.9
"""Two sentences that share so much of the shorter one say the same."""


def compete(one: Passage, other: Passage, weights: dict[str, float]) -> bool:
    """Tell whether two passages are two answers to a question; `graph.text.relevance.weigh` weighs its words."""
    said = [best_sentence(weights, passage).sentence for passage in (one, other)]
    return (
        one["id"] != other["id"]
        and all(coverage(weights, words_of(passage)) >= COVERED for passage in (one, other))
        and _parallel(one, other, weights)
        and _answers_differ(*said)
    )


def _parallel(one: Passage, other: Passage, weights: dict[str, float]) -> bool:
    """Whether two passages answer the same words of the question, from places that mirror each other."""
    held = [words_of(passage) & weights.keys() for passage in (one, other)]
    if coverage(weights, held[0] ^ held[1]) > UNEVEN:
        return False
    return _same_place(one, other) or (_related(one, other) and _mirrored(one, other, weights))


def _same_place(one: Passage, other: Passage) -> bool:
    if one["heading_path"][-1:] != other["heading_path"][-1:]:
        return False
    named = [PurePosixPath(passage["path"]).stem.casefold() for passage in (one, other)]
    return named[0] == named[1] or bool(one["heading_path"])


def _related(one: Passage, other: Passage) -> bool:
    if one["document_id"] == other["document_id"]:
        return one["heading_path"] != other["heading_path"]
    titles = [
        set(content_words(f"{passage['title']} {PurePosixPath(passage['path']).stem}")) for passage in (one, other)
    ]
    folders = [PurePosixPath(passage["path"]).parts[:-1] for passage in (one, other)]
    return bool(titles[0] & titles[1]) or folders[0] == folders[1] != ()


def _mirrored(one: Passage, other: Passage, weights: dict[str, float]) -> bool:
    said = [set(content_words(best_sentence(weights, passage).sentence)) for passage in (one, other)]
    return len(said[0] & said[1]) >= MIRRORED * min(len(said[0]), len(said[1]))


def _answers_differ(one: str, other: str) -> bool:
    if quantities(one) != quantities(other):
        return True
    held = [set(words(text)) for text in (one, other)]
    return len(held[0] & held[1]) < SAME * min(len(held[0]), len(held[1]))
