"""The interpretations of a question: passages in parallel places that answer it alike, but with other values (pure).

Whether a question is ambiguous shows in its answers: one sentence is taken from each of two passages, the two that fit
the question and each other best, and they are compared by value.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from statistics import median
from typing import Literal, NamedTuple, TypeAlias

from graph import patterns
from graph.passages import Passage
from graph.text.grounding import sentences
from graph.text.relevance import best_sentence, coverage, weigh, words_of
from graph.text.versions import current, unversioned
from graph.text.words import content_words, quantities

Kinship: TypeAlias = Literal["close", "loose", "parts"]
"""`close`: one place in two folders, or two files or sections whose names differ in one part. `loose`: neighbours.
`parts`: two sections of a document, which are mostly no alternatives: "How to claim" and "The last weeks"."""

COVERED = 0.4
"""How much of the question's weight a passage must hold to answer it by itself."""
FOUND = 0.4
"""An interpretation is found at least so far up, from the middle of what was found (0) to the best (1)…"""
FIRST = 0.85
"""… and one of those that it is compared with, so far."""
MOST_FIRST = 3
FEW = 6
"""Of fewer passages, the middle is no measure of what does not answer."""
MIRRORED = 0.25
"""How much of the shorter one's words two sentences share that say the same of two things…"""
SHARED: dict[Kinship, int] = {"close": 1, "loose": 2, "parts": 2}
"""… and how many words at least."""
REPEATED = 0.6
"""How much of the shorter one's words they share, if one of them was not found as well."""
OF_LONGER = 0.35
"""How much of the longer one's words they share, if they stand in two parts of a document."""
HELD: dict[Kinship, float] = {"close": 0.2, "loose": 0.3, "parts": 0.3}
"""How much of the question's weight both passages must hold; other words may be said for the rest."""
UNEVEN = 0.5
"""Most of the question's weight that only one of two passages may hold…"""
UNEVEN_SENTENCES = 0.4
"""… or only one of two sentences: "the fuse of the kiln" asks nothing of the fuse of the compressor."""
WORTH = 0.5
"""A sentence that is compared holds so much of what the best one of its passage does."""
SAME = 0.9
"""Two sentences that share so much of the shorter one say the same."""

_WORD = patterns.compile(r"[^\W_]+")


class Answers(NamedTuple):
    """What two passages say to a question: a sentence of each."""

    one: str
    other: str
    shared: int
    """Content words that both have."""
    shorter: int
    longer: int
    """Content words of each."""

    @property
    def mirrored(self) -> float:
        """How much (0–1) of the shorter one the other one has."""
        return self.shared / self.shorter


def interpretations(question: str, found: list[Passage]) -> list[Passage]:
    """Return a passage for each interpretation of a question, best first; none where it has only one."""
    kept = current(found, question)
    if not kept:
        return []
    weights = weigh(question, kept)
    near = {passage["id"] for passage in _found_beyond(FOUND, kept, found)}
    for first in _found_beyond(FIRST, kept, found)[:MOST_FIRST]:
        rivals = [first, *(other for other in kept if compete(first, other, weights, is_near=other["id"] in near))]
        if len(rivals) > 1 and not _names_one(question, rivals):
            return rivals
    return []


def compete(one: Passage, other: Passage, weights: dict[str, float], *, is_near: bool = True) -> bool:
    """Tell whether two passages are two answers to a question; `graph.text.relevance.weigh` weighs its words.

    One that was not found as well must say nearly the same.
    """
    kin = kinship(one, other)
    if kin is None or not _both_answer(one, other, weights, kin):
        return False
    said = answers(one, other, weights)
    if said is None or not (is_near or said.mirrored >= REPEATED):
        return False
    return _same_question(said, one, other, weights, kin) and _differ(said.one, said.other)


def kinship(one: Passage, other: Passage) -> Kinship | None:
    """Return how parallel the places of two passages are; None where they are not."""
    if one["document_id"] == other["document_id"]:
        return _between_sections(one["heading_path"], other["heading_path"])
    return _between_documents(one, other) if _same_topic(one, other) else None


def answers(one: Passage, other: Passage, weights: dict[str, float]) -> Answers | None:
    """Return the sentence of each passage that fit the question and each other best; None where one has no words."""
    pairs = [_pair(mine, its) for mine in sentences(one["text"]) for its in sentences(other["text"])]
    fit = {pair: pair.mirrored + sum(_held(said, weights) for said in pair[:2]) for pair in pairs if pair}
    return max(fit, key=lambda pair: fit[pair], default=None)


def _found_beyond(share: float, passages: list[Passage], found: list[Passage]) -> list[Passage]:
    """Return the passages that lie beyond a share of the way from the middle of what was found to the best."""
    if len(found) < FEW:
        return passages
    scores = [passage["score"] for passage in found]
    middle = median(scores)
    least = middle + share * (max(scores) - middle)
    return [passage for passage in passages if passage["score"] >= least]


def _between_sections(one: list[str], other: list[str]) -> Kinship | None:
    """Return how parallel two sections of a document are: cases of one thing, not its parts in order."""
    if not one or not other or one == other:
        return None
    if len(one) == len(other) > 1 and one[-1] == other[-1]:
        return "close"
    if one[:-1] != other[:-1]:
        return None
    names = [_WORD.findall(path[-1].casefold()) for path in (one, other)]
    return "close" if _one_part_differs(*names) else "parts"


def _between_documents(one: Passage, other: Passage) -> Kinship | None:
    folders, names = zip(_folders_and_name(one), _folders_and_name(other), strict=True)
    if names[0] == names[1] or (folders[0] == folders[1] and _one_part_differs(*names)):
        return "close"
    titles = [content_words(passage["title"]) for passage in (one, other)]
    are_neighbours = folders[0] == folders[1] and bool(folders[0] or one["heading_path"] == other["heading_path"] != [])
    return "loose" if are_neighbours or titles[0] == titles[1] or _one_part_differs(*titles) else None


def _same_topic(one: Passage, other: Passage) -> bool:
    last = [passage["heading_path"][-1:] for passage in (one, other)]
    return not all(last) or last[0] == last[1] or bool({*content_words(last[0][0])} & {*content_words(last[1][0])})


def _folders_and_name(passage: Passage) -> tuple[list[str], list[str]]:
    path = PurePosixPath(passage["path"])
    return [part.casefold() for part in path.parts[:-1]], unversioned(path.stem).split()


def _one_part_differs(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two names begin or end with the same words, and differ in what lies between."""
    least = min(len(one), len(other))
    begins = next((n for n in range(least) if one[n] != other[n]), least)
    ends = next((n for n in range(least - begins) if one[-1 - n] != other[-1 - n]), least - begins)
    return bool(begins or ends) and list(one) != list(other)


def _both_answer(one: Passage, other: Passage, weights: dict[str, float], kin: Kinship) -> bool:
    held = [words_of(passage) & weights.keys() for passage in (one, other)]
    least = min(coverage(weights, found) for found in held)
    return least >= HELD[kin] and coverage(weights, held[0] ^ held[1]) <= UNEVEN


def _pair(mine: str, its: str) -> Answers | None:
    words = [set(content_words(said)) for said in (mine, its)]
    lengths = sorted(len(said) for said in words)
    return Answers(mine, its, len(words[0] & words[1]), *lengths) if all(words) else None


def _held(sentence: str, weights: dict[str, float]) -> float:
    return coverage(weights, set(content_words(sentence)))


def _same_question(said: Answers, one: Passage, other: Passage, weights: dict[str, float], kin: Kinship) -> bool:
    """Tell whether two sentences answer the same words of the question, and are said of two things."""
    held = [set(content_words(sentence)) & weights.keys() for sentence in said[:2]]
    best = [best_sentence(weights, passage).score for passage in (one, other)]
    if any(coverage(weights, found) < WORTH * most for found, most in zip(held, best, strict=True)):
        return False
    under_one_heading = kin == "close" and one["heading_path"] == other["heading_path"] != []
    alike = under_one_heading or (said.mirrored >= MIRRORED and said.shared >= SHARED[kin])
    repeated = kin != "parts" or said.shared >= OF_LONGER * said.longer
    return alike and repeated and coverage(weights, held[0] ^ held[1]) <= UNEVEN_SENTENCES


def _differ(one: str, other: str) -> bool:
    if quantities(one) != quantities(other):
        return True
    held = [set(content_words(text)) for text in (one, other)]
    return len(held[0] & held[1]) < SAME * min(len(held[0]), len(held[1]))


def _names_one(question: str, rivals: list[Passage]) -> bool:
    """Tell whether a question names what sets one passage apart: a word of its place that not all the others have."""
    asked = set(content_words(question))
    named = [_named(passage) for passage in rivals]
    shared = set[str].intersection(*named)
    return any(asked & (own - shared) for own in named)


def _named(passage: Passage) -> set[str]:
    path = passage["path"].rsplit(".", 1)[0]
    return set(
        content_words(" ".join([passage["title"], path, *passage["heading_path"], *passage["attributes"].values()]))
    )
