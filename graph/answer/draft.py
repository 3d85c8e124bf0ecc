"""A draft while a model writes it: released by sentence, each one guarded, with known citations only (pure)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from graph import patterns
from graph.answer.guard import Guard
from graph.passages import Passage, Source
from graph.text.credentials import keys_of_lines
from graph.text.markdown import PiecesOfLines, begins_code

_NAMED = r"(?:sources?|passages?|quellen?|fontes?)"
_NUMBERS = rf"(?P<numbers>\d{{1,3}}(?:\s*(?:,|;|&|and|und|e)\s*(?:{_NAMED}\s*)?\d{{1,3}})*)"
SEVERAL = patterns.compile(
    rf"(?P<it>[\[【]\s*(?:{_NAMED}\s*:?\s*)?{_NUMBERS}\s*(?:†[^\]】]*)?[\]】])(?:[^(]|$)", patterns.IGNORE_CASE
)
"""The forms in which models cite in brackets: [1], [1, 2], [source 1], 【1】, 【1†source】."""
IN_WORDS = patterns.compile(rf"\(\s*(?:see\s+|siehe\s+|ver\s+)?{_NAMED}\s*:?\s*{_NUMBERS}\s*\)", patterns.IGNORE_CASE)
"""The forms in parentheses: (source 1), (Quellen 1 und 2)."""
_DIGITS = patterns.compile(r"\d+")
CITATION = patterns.compile(r"(?P<it> ?\[(?P<number>\d{1,3})\])(?:[^(]|$)")

MOST_REPEATED = 4
"""A sentence that comes this often is a loop."""
REPEATABLE = 20
"""A shorter sentence may repeat."""
# A sentence ends at a full stop, followed by its citations and quotes and by another word. A line ends at its break.
# A dot inside a link, a number or a name has no space after it.
END = patterns.compile(r"(?P<sentence>[.!?…][\"'”’)*_]*(?:\s*\[\d+\])*[.!?]?[ \t]+)[^\s\[]|(?P<line>\n+)[^\n]")

Numbered = TypeVar("Numbered", bound=Source)

LONGEST_LABEL = 200
LONGEST_ADDRESS = 2000
"""A longer text after `[` or `](` is no label and no address."""


class Draft:
    """Text that grows by checked sentences."""

    def __init__(self, passages: list[Passage], instructions: Iterable[str] = (), links: Iterable[str] = ()) -> None:
        """`links` may be shown besides those of the passages."""
        self._release = Release()
        self._guard = Guard(passages, instructions, links)
        self._known = range(1, len(passages) + 1)
        self._shown = PiecesOfLines()
        self._said: Counter[str] = Counter()
        self._removed = 0
        self.text = ""

    @property
    def is_mostly_removed(self) -> bool:
        """Whether more text was removed than shown, so that the rest is no answer."""
        return self._removed > len(self.text.strip())

    @property
    def loops(self) -> bool:
        """Whether the model repeats a sentence, so that the rest is not worth waiting for."""
        return any(count >= MOST_REPEATED for count in self._said.values())

    def feed(self, piece: str) -> list[str]:
        """Add a piece of text; return the sentences that may be shown now."""
        return self._checked(self._release.feed(piece))

    def rest(self) -> list[str]:
        """Return the last sentences, after the model has ended."""
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
        """Tell whether to show a sentence. A long one may come a few times at most, as lines of tables do."""
        bare = " ".join(sentence.split())
        if len(bare) < REPEATABLE or self.loops:
            return not self.loops
        self._said[bare] += 1
        return self._said[bare] < MOST_REPEATED

    def _clean(self, sentence: str) -> str:
        clean, cited = self._guard.clean(sentence), with_known_citations(sentence, self._known)
        # In code, [1] is an index and no citation. What was removed before may have been a fence.
        if cited != sentence and not self._shown.would_be_code(clean):
            clean = self._guard.clean(cited)
        for line in clean.splitlines(keepends=True):
            self._shown.is_code(line)
        return clean


def checked(text: str, passages: list[Passage], instructions: Iterable[str] = (), links: Iterable[str] = ()) -> str:
    """Return a whole text as a draft shows it; empty if it holds nothing but citations and marks."""
    draft = Draft(passages, instructions, links)
    draft.feed(text)
    draft.rest()
    return "" if is_blank(draft.text) else draft.text.strip()


def with_known_citations(text: str, known: Collection[int]) -> str:
    """Return a text with each citation by itself, [1][2], and without citations of unknown sources."""
    single = SEVERAL.sub(_one_by_one, IN_WORDS.sub(_one_by_one, text))
    return CITATION.sub(lambda match: match[0] if int(match["number"]) in known else "", single)


def is_blank(text: str) -> bool:
    """Tell whether a draft holds only citations and marks."""
    return not any(letter.isalnum() for letter in CITATION.sub("", text))


def _one_by_one(match: patterns.Match) -> str:
    return "".join(f"[{number}]" for number in _DIGITS.findall(match["numbers"]))


class Release:
    """A buffer that returns sentences once they are complete, byte for byte as they came in.

    What begins like a fence comes with the rest that tells whether it is one: "```Stop. Go.``` does it." is none.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """Add a piece of text; return the sentences that are now complete."""
        self._held += piece
        sentences: list[str] = []
        begins, keys = 0, keys_of_lines(self._held)
        for end in _ends(self._held):
            in_key = any(start < end <= stop for start, stop in keys)
            if not in_key and not _in_link(self._held, begins, end) and not _may_fence(self._held, begins, end):
                sentences.append(self._held[begins:end])
                begins = end
        self._held = self._held[begins:]
        return sentences

    def rest(self) -> list[str]:
        """Return the rest, after the text has ended."""
        rest, self._held = self._held, ""
        return [rest] if rest else []


def _ends(text: str) -> Iterator[int]:
    for found in END.finditer(text):
        yield max(found.end("sentence"), found.end("line"))


def _in_link(text: str, begins: int, end: int) -> bool:
    """Tell whether the text stops inside a Markdown link. A label may hold anything except a line break."""
    line = text[max(begins, text.rfind("\n", begins, end) + 1, end - LONGEST_ADDRESS) : end]
    label, address = line.rfind("["), line.rfind("](")
    in_label = label > line.rfind("]") and len(line) - label <= LONGEST_LABEL
    return in_label or (address >= 0 and line.find(")", address) < 0)


def _may_fence(text: str, begins: int, end: int) -> bool:
    """Tell whether the text stops inside a line that begins like a fence."""
    return begins_code(text[max(begins, text.rfind("\n", begins, end) + 1) : end])


class Numbering:
    """The numbers of citations as people see them: sources count from 1 in the order in which a text cites them.

    Writers cite passages by their place in the prompt, and an answer rarely cites all of them. The run keeps these
    places, because the audit and the validator compare statements with passages. A text may grow: a new piece never
    changes the numbers in the pieces before.
    """

    def __init__(self, sources: Sequence[Numbered]) -> None:
        self._known = {source["number"] for source in sources}
        self._places: dict[int, int] = {}
        self._lines = PiecesOfLines()

    def renumbered(self, piece: str) -> str:
        """Return the next piece of the text, a sentence or more, with the numbers that people see."""
        return "".join(map(self._line, piece.splitlines(keepends=True)))

    def ordered(self, sources: Sequence[Numbered]) -> list[Numbered]:
        """Return the sources with these numbers, the cited ones first."""
        order = {number: place for place, number in enumerate(self._places)}
        cited_first = sorted(sources, key=lambda source: order.get(source["number"], len(order)))
        return [_numbered(source, place) for place, source in enumerate(cited_first, 1)]

    def _line(self, line: str) -> str:
        # In code, [1] is an index and no citation.
        return line if self._lines.is_code(line) else CITATION.sub(self._citation, line)

    def _citation(self, match: patterns.Match) -> str:
        number = int(match["number"])
        if number not in self._known:
            return match[0]
        place = self._places.setdefault(number, len(self._places) + 1)
        return match[0].replace(match["number"], str(place))


def in_order(text: str, sources: Sequence[Numbered]) -> tuple[str, list[Numbered]]:
    """Return a whole text and its sources with the numbers that people see."""
    numbering = Numbering(sources)
    return numbering.renumbered(text), numbering.ordered(sources)


def _numbered(source: Numbered, number: int) -> Numbered:
    changed = source.copy()
    changed["number"] = number
    return changed
