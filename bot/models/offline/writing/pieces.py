"""A passage cut into pieces that can be quoted one by one: sentences, list items, table rows, code (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from textwrap import dedent
from typing import Literal

from bot.models.offline.writing.lines import Line, read_lines
from bot.models.offline.writing.quotable import asks, is_question_mark, states
from graph import patterns
from graph.passages import Passage
from graph.text.grounding import sentences
from graph.text.markdown import cells_of, is_below_head

Kind = Literal["sentence", "item", "row", "code"]

_ITEM = patterns.compile(r"(?:[-*+•]|(?P<number>\d{1,2})[.)])\s+")
_BOX = patterns.compile(r"\[(?P<tick>[ xX])\]\s+")
_HEADING = patterns.compile(r"#{1,6}\s")
_CALLS = patterns.compile(
    r"(?:<!(?:channel|here|everyone)[^>]*>|@(?:channel|here|everyone)\b|<@\w+>|[\s,:])+", patterns.IGNORE_CASE
)
_CODE = patterns.compile(r"`[^`]*`")
_RUN_IN_HEADING = patterns.compile(r"\*\*[^*]+[.:!]\*\*\s+")
_ANSWER_MARK = patterns.compile(r"\*{0,2}(?:a|answer|antwort|resposta)\s?:\*{0,2}\s", patterns.IGNORE_CASE)

_ABOVE = -1_000_000
"""The paragraph of a heading."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece of a passage as it reads, without the marks of its kind."""

    text: str
    kind: Kind
    group: int
    """Which list or table of the passage it belongs to; -1 for none."""
    paragraph: int
    """Pieces of one paragraph, list or table have the same."""
    is_shown: bool = False
    """Whether the document shows or quotes it as somebody else's."""
    label: str = ""
    """Of a row: its first cell."""
    step: int = 0
    """Of an item of a numbered list: its number."""

    @property
    def is_heading(self) -> bool:
        """Whether it stands over the passage."""
        return self.paragraph == _ABOVE


def pieces_of(passage: Passage) -> list[Piece]:
    """Return the pieces of a passage in order; of the headings only the last one, if it says something."""
    heading = passage["heading_path"][-1] if passage["heading_path"] else ""
    said = (
        [Piece(text=heading, kind="sentence", group=-1, paragraph=_ABOVE)]
        if states(heading, passage["language"])
        else []
    )
    return [*said, *_pieces(passage)]


def _pieces(passage: Passage) -> Iterator[Piece]:
    groups = count()
    group, last, introduces = -1, "", False
    header: list[str] = []
    for place, line in enumerate(read_lines(passage["text"])):
        kind = _kind(line)
        # Code within the item above it: the list goes on below.
        is_within = kind == "code" and last == "item" and (introduces or line.text[:1].isspace())
        if kind in {"item", "row"} and kind != last:
            group = next(groups)
        if line.text and not is_within:
            last, introduces = kind, line.text.endswith(":")
        listing = group if kind in {"item", "row"} or is_within else -1
        header, texts = _texts(line, kind, header, passage["language"])
        for text in texts:
            yield Piece(
                text=text,
                kind=kind,
                group=listing,
                paragraph=-1 - listing if listing >= 0 else place,
                is_shown=line.is_shown,
                label=text.partition("** – ")[0].strip("*") if kind == "row" else "",
                step=_step(line.text) if kind == "item" else 0,
            )


def _kind(line: Line) -> Kind:
    if line.block:
        return "code"
    if line.text.startswith("|"):
        return "row"
    return "item" if _ITEM.match(line.text) else "sentence"


def _step(item: str) -> int:
    found = _ITEM.match(item)
    return int(found["number"]) if found and found.has("number") else 0


def _texts(line: Line, kind: Kind, header: list[str], language: str) -> tuple[list[str], list[str]]:
    """Return the table's header that holds from here, and what the line says."""
    match kind:
        case "row":
            header, row = _table_line(line.text, header)
            return header, [row] if row else []
        case "code":
            return [], [_closed(line.text)]
        case "item":
            return [], [_without_marks(_with_box(_ITEM.sub("", line.text, count=1)))]
        case "sentence":
            if _HEADING.match(line.text):
                return [], []
            return [], [_without_marks(sentence) for sentence in _sentences(line.text, language)]


def _sentences(text: str, language: str) -> list[str]:
    """Return the sentences; the heading that they begin with stays with the first: "**Smoking.**" says nothing."""
    heading = _RUN_IN_HEADING.match(text)
    if heading and (below := _sentences(text[heading.end() :], language)):
        if is_question_mark(heading[0]):
            return [f"{heading[0].rstrip().removesuffix('**')} {below[0].rstrip()}**", *below[1:]]
        return [heading[0], *below] if asks(heading[0]) else [heading[0] + below[0], *below[1:]]
    return _with_bold_whole(sentences(text, language))


def _with_bold_whole(found: list[str]) -> list[str]:
    """Return sentences, those together of which only all are bold: half of the marks would show as asterisks."""
    whole: list[str] = []
    for sentence in found:
        if whole and _is_open(whole[-1]):
            whole[-1] = f"{whole[-1].rstrip()} {sentence}"
        else:
            whole.append(sentence)
    return found if whole and _is_open(whole[-1]) else whole


def _is_open(sentence: str) -> bool:
    return _CODE.sub("", sentence).count("**") % 2 == 1


def _without_marks(text: str) -> str:
    """Return a sentence without the calls that it begins with, and without what marks it as an answer."""
    for mark in (_CALLS, _ANSWER_MARK):
        if found := mark.match(text):
            text = text[found.end() :]
    return text


def _with_box(item: str) -> str:
    """Return an item of a checklist with a box that people read as one, instead of the signs for it."""
    box = _BOX.match(item)
    return f"{'☐' if box['tick'] == ' ' else '☑'} {item[box.end() :]}" if box else item


def _closed(code: str) -> str:
    """Return a block of code at the margin, with the fence below it that a cut may have taken."""
    text = dedent(code).strip("\n")
    mark = text[:3]
    return text if text.rstrip().endswith(mark) and "\n" in text else f"{text}\n{mark}"


def _table_line(line: str, header: list[str]) -> tuple[list[str], str]:
    """Return the header that holds from here, and the row in words; none for the header itself and the rule."""
    cells = cells_of(line)
    if not header:
        return cells, ""
    if is_below_head(line):
        return header, ""
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(header[1:], cells[1:], strict=False) if cell]
    return header, f"**{cells[0].strip('*')}** – {'; '.join(named)}" if cells[0] else "; ".join(named)
