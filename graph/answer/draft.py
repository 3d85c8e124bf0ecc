"""A draft as it is written: released by sentence, each one guarded and with known citations only (pure)."""

from collections import Counter
from collections.abc import Collection, Iterable

from graph import patterns
from graph.answer.guard import Guard
from graph.answer.release import Release
from graph.passages import Passage
from graph.text.grounding import citations

SEVERAL = patterns.compile(r"(?P<it>[\[【]\s*(?P<numbers>\d{1,3}(?:\s*,\s*\d{1,3})*)\s*(?:†[^\]】]*)?[\]】])(?:[^(]|$)")
"""Citations as models write them: [1], [1, 2], 【1】, 【1†source】."""
CITATION = patterns.compile(r"(?P<it> ?\[(?P<number>\d{1,3})\])(?:[^(]|$)")
FENCES = ("```", "~~~")

MOST_REPEATED = 4
"""Times that a sentence is said before it is a loop."""
REPEATABLE = 20
"""Characters up to which something may be said again and again."""


class Draft:
    """Text that grows by checked sentences."""

    def __init__(self, passages: list[Passage], instructions: Iterable[str] = ()) -> None:
        self._release = Release()
        self._guard = Guard(passages, instructions)
        self._known = range(1, len(passages) + 1)
        self._is_code = False
        self._said: Counter[str] = Counter()
        self._removed = 0
        self.text = ""

    @property
    def is_mostly_removed(self) -> bool:
        """Whether more was kept back than shown: what is left of it is no answer."""
        return self._removed > len(self.text.strip())

    @property
    def loops(self) -> bool:
        """Whether a sentence was said so often that no more is to be expected."""
        return any(count >= MOST_REPEATED for count in self._said.values())

    def feed(self, piece: str) -> list[str]:
        """Take what a model wrote and return what may be shown now."""
        return self._checked(self._release.feed(piece))

    def rest(self) -> list[str]:
        """Return what may still be shown when the model has ended."""
        return self._checked(self._release.rest())

    def _checked(self, sentences: list[str]) -> list[str]:
        checked = list[str]()
        for sentence in filter(self._is_new, sentences):
            clean = self._clean(sentence)
            self._removed += 0 if clean else len(sentence.strip())
            checked.append(clean)
        self.text += "".join(checked)
        return [clean for clean in checked if clean]

    def _is_new(self, sentence: str) -> bool:
        """Tell whether a sentence is to be said, which a long one is a few times at most; lines of tables may be."""
        bare = " ".join(sentence.split())
        if len(bare) < REPEATABLE or self.loops:
            return not self.loops
        self._said[bare] += 1
        return self._said[bare] < MOST_REPEATED

    def _clean(self, sentence: str) -> str:
        # In code, [1] is the second of a list.
        is_fence = sentence.lstrip().startswith(FENCES)
        self._is_code ^= is_fence
        cited = sentence if self._is_code or is_fence else with_known_citations(sentence, self._known)
        return self._guard.clean(cited)


def with_known_citations(text: str, known: Collection[int]) -> str:
    """Return a text with its citations one by one, [1][2], and without those of sources that are not there."""
    single = SEVERAL.sub(_one_by_one, text)
    return CITATION.sub(lambda match: match[0] if int(match["number"]) in known else "", single)


def is_blank(text: str) -> bool:
    """Tell whether nothing is left of a draft but citations and marks."""
    return not any(letter.isalnum() for letter in CITATION.sub("", text))


def cited_numbers(text: str) -> list[int]:
    """Return the source numbers that a text cites, in order of first appearance."""
    return citations(text)


def _one_by_one(match: patterns.Match) -> str:
    return "".join(f"[{number.strip()}]" for number in match["numbers"].split(","))
