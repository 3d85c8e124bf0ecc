"""The interpretations of a question: passages in parallel places that answer it with different values (pure).

The answers show whether a question is ambiguous. From each of two passages, this module takes the sentence that fits
the question and the other sentence best, and compares the values of the two sentences.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from statistics import median
from typing import Literal, NamedTuple, TypeAlias

from graph import patterns
from graph.documents.versions import current, unversioned
from graph.passages import Passage
from graph.text.grounding import sentences
from graph.text.markdown import is_row, plain_cells
from graph.text.relevance import best_sentence, coverage, weigh, words_of
from graph.text.words import content_words, quantities, stems

Kinship: TypeAlias = Literal["close", "loose", "parts"]
"""`close`: one place in two folders, or two files or sections whose names differ in one part. `loose`: neighbours.
`parts`: two sections of one document, mostly no alternatives: "How to claim" and "The last weeks"."""

COVERED = 0.4
"""Share of the question's weight that a passage must hold to answer alone."""
FOUND = 0.4
"""Least score of an interpretation, on a scale from the median of the found passages (0) to the best (1)…"""
FIRST = 0.85
"""… and of the passages that it is compared with."""
MOST_FIRST = 3
FEW = 6
"""With fewer passages, the median says nothing."""
MIRRORED = 0.25
"""Share of the shorter sentence's words that parallel sentences have in common…"""
SHARED: dict[Kinship, int] = {"close": 1, "loose": 2, "parts": 2}
"""… and least number of such words."""
REPEATED = 0.6
"""The same share, if one of the two passages has a low score."""
OF_LONGER = 0.35
"""Share of the longer sentence's words, for two sections of one document."""
_QUESTION_WORDS = frozenset(
    "what how who which where when why was wie wer wo wann warum o que como quem onde quando".split()
)
"""What headings may begin with that ask for different things."""
HELD: dict[Kinship, float] = {"close": 0.2, "loose": 0.3, "parts": 0.3}
"""Share of the question's weight that both passages must hold; synonyms may express the rest."""
UNEVEN = 0.5
"""The most weight of the question that only one of two passages may hold…"""
UNEVEN_SENTENCES = 0.4
"""… or only one of two sentences: "the fuse of the kiln" does not ask about the compressor's fuse."""
WORTH = 0.5
"""A compared sentence must score this share of its passage's best sentence."""
ALIKE_COLUMNS = 0.5
"""Share of the names of columns that two tables of parallel things have in common."""
SAME = 0.9
"""Two sentences that share this much of the shorter one say the same."""

_WORD = patterns.compile(r"[^\W_]+")


class Answers(NamedTuple):
    """The sentences with which two passages answer a question."""

    one: str
    other: str
    shared: int
    """Content words in both."""
    shorter: int
    longer: int
    """Content words of each."""

    @property
    def mirrored(self) -> float:
        """Share (0–1) of the shorter sentence's words in the other one."""
        return self.shared / self.shorter


def interpretations(question: str, found: list[Passage]) -> list[Passage]:
    """Return a passage for each interpretation, best first; none if there is only one."""
    kept = current(found, question)
    if not kept:
        return []
    weights = weigh(question, kept)
    near = {passage["id"] for passage in _found_beyond(FOUND, kept, found)}
    for first in _found_beyond(FIRST, kept, found)[:MOST_FIRST]:
        rivals = [first, *(other for other in kept if compete(first, other, weights, is_near=other["id"] in near))]
        if len(rivals) > 1 and not names_one(question, rivals):
            return rivals
    return []


def compete(one: Passage, other: Passage, weights: dict[str, float], *, is_near: bool = True) -> bool:
    """Tell whether two passages answer the question differently; `graph.text.relevance.weigh` returns the weights.

    If the other passage has a low score (not `is_near`), it must say nearly the same.
    """
    kin = kinship(one, other)
    if kin is None or not _both_answer(one, other, weights, kin):
        return False
    said = answers(one, other, weights)
    if said is None or not (is_near or said.mirrored >= REPEATED):
        return False
    return _same_question(said, one, other, weights, kin) and _differ(said.one, said.other)


def kinship(one: Passage, other: Passage) -> Kinship | None:
    """Return how parallel the places of two passages are; `None` if they are not."""
    if one["document_id"] == other["document_id"]:
        return _between_sections(one["heading_path"], other["heading_path"])
    return _between_documents(one, other) if _same_topic(one, other) else None


def answers(one: Passage, other: Passage, weights: dict[str, float]) -> Answers | None:
    """Return the two sentences that fit the question and each other best; `None` if a passage has no words."""
    pairs = [_pair(mine, its) for mine in sentences(one["text"]) for its in sentences(other["text"])]
    fit = {pair: pair.mirrored + sum(_held(said, weights) for said in pair[:2]) for pair in pairs if pair}
    return max(fit, key=lambda pair: fit[pair], default=None)


def _found_beyond(share: float, passages: list[Passage], found: list[Passage]) -> list[Passage]:
    """Return the passages above a share of the way from the median score to the best."""
    if len(found) < FEW:
        return passages
    scores = [passage["score"] for passage in found]
    middle = median(scores)
    least = middle + share * (max(scores) - middle)
    return [passage for passage in passages if passage["score"] >= least]


def _between_sections(one: list[str], other: list[str]) -> Kinship | None:
    """Return how parallel two sections of one document are."""
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
    are_related = titles[0] == titles[1] or _one_part_differs(*titles)
    return "loose" if are_related or (are_neighbours and not _are_unlike_tables(one, other)) else None


def _are_unlike_tables(one: Passage, other: Passage) -> bool:
    """Tell whether two passages are tables that tell different things: one of prices, one of inspections."""
    first = [passage["text"].partition("\n")[0] for passage in (one, other)]
    heads = [[stems(cell) for cell in plain_cells(line)] for line in first]
    fewer, more = sorted(heads, key=len)
    alike = sum(any(name & other for other in more) for name in fewer)
    return all(map(is_row, first)) and alike < ALIKE_COLUMNS * len(fewer)


def _same_topic(one: Passage, other: Passage) -> bool:
    last = [passage["heading_path"][-1:] for passage in (one, other)]
    return not all(last) or last[0] == last[1] or bool({*content_words(last[0][0])} & {*content_words(last[1][0])})


def _folders_and_name(passage: Passage) -> tuple[list[str], list[str]]:
    path = PurePosixPath(passage["path"])
    return [part.casefold() for part in path.parts[:-1]], unversioned(path.stem).split()


def _one_part_differs(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two names begin or end with the same words and differ in one part.

    "What we take" and "What you must not do" share only a question word.
    """
    least = min(len(one), len(other))
    begins = next((n for n in range(least) if one[n] != other[n]), least)
    ends = next((n for n in range(least - begins) if one[-1 - n] != other[-1 - n]), least - begins)
    shared = [*one[:begins], *one[len(one) - ends :]]
    return not _QUESTION_WORDS.issuperset(shared) and list(one) != list(other)


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
    """Tell whether two sentences answer the same words of the question about two things."""
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


def names_one(question: str, rivals: list[Passage]) -> bool:
    """Tell whether the question holds a word of one passage's place that not all passages share."""
    return any(_told(question, rivals))


def left_open(question: str, rivals: list[Passage]) -> list[Passage]:
    """Return the passages among which the question does not decide; none if it names one.

    "The factory reset" names two of three products, whose sections have this heading, and leaves open which of the two.
    """
    told = _told(question, rivals)
    most = max(told, key=len)
    left = [passage for passage, own in zip(rivals, told, strict=True) if own == most]
    return left if len(left) > 1 and all(own <= most for own in told) else []


def _told(question: str, rivals: list[Passage]) -> list[set[str]]:
    """Return the words of the question that each passage's place has, and not all of them."""
    asked = set(content_words(question))
    places = [stems_of_place(passage) for passage in rivals]
    shared = set[str].intersection(*places)
    return [asked & (own - shared) for own in places]


def stems_of_place(passage: Passage) -> set[str]:
    """Return the stems of a passage's place: title, path, headings and attributes."""
    path = passage["path"].rsplit(".", 1)[0]
    return set(
        content_words(" ".join([passage["title"], path, *passage["heading_path"], *passage["attributes"].values()]))
    )
