"""What a passage says, cut into statements that can be quoted alone: sentences, list items, table rows (pure)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from graph.passages import Passage
from graph.text.grounding import sentences, unwrapped

Kind = Literal["sentence", "item", "row"]

_ITEM = re.compile(r"(?:[-*+•]|\d{1,2}[.)])\s+")
_RULE = re.compile(r"\|?[\s|:-]+\|?")
_NEEDS_THE_ONE_BEFORE = re.compile(
    r"(?:\w+ of )?(?:it|they|them|this|these|that|those|he|she|both|es|sie|dies\w*|er|beide)\b",
    re.IGNORECASE,
)
_NOT_TO_QUOTE = re.compile(
    r"<!|<@|@(?:channel|here|everyone)\b|!\[|\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|rules|above)\b"
    r"|\bsystem prompt\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A quotable piece of a passage."""

    number: int
    """The passage's, as it is cited."""
    place: int
    """Its position in the passage."""
    text: str
    kind: Kind
    group: int = -1
    """Which list or table of the passage it belongs to; -1 for none."""

    @property
    def spot(self) -> tuple[int, int]:
        """Where it stands: passage and place."""
        return self.number, self.place

    @property
    def listing(self) -> tuple[int, int] | None:
        """Which list or table it belongs to: passage and group."""
        return (self.number, self.group) if self.group >= 0 else None

    @property
    def leans(self) -> bool:
        """Whether it is only understood after the sentence before it."""
        return self.kind == "sentence" and _NEEDS_THE_ONE_BEFORE.match(self.text) is not None


def statements(number: int, passage: Passage) -> list[Statement]:
    """Return what a passage says in order, without what must not be quoted (calls, mentions, instructions to us)."""
    found = [
        Statement(number=number, place=place, text=text, kind=kind, group=group)
        for place, (text, kind, group) in enumerate(_pieces(passage))
    ]
    return [one for one in found if not _NOT_TO_QUOTE.search(one.text) and not _is_headline(one)]


def _is_headline(statement: Statement) -> bool:
    """Whether a plain text's first line says only what the text is about."""
    shouted = sum(word.isupper() for word in statement.text.split())
    return statement.kind == "sentence" and shouted > 1 and statement.text[-1] not in ".!?:"


def _pieces(passage: Passage) -> Iterator[tuple[str, Kind, int]]:
    header: list[str] = []
    group, last = -1, ""
    for line in unwrapped(passage["text"]):
        kind = _kind(line)
        group += kind not in {"sentence", last}
        last = kind if line else last
        if kind == "row":
            header, row = _table_line(line, header)
            if row:
                yield row, "row", group
        elif kind == "item":
            yield _ITEM.sub("", line, count=1), "item", group
        elif not line.startswith("#"):
            for sentence in sentences(line, passage["language"]):
                yield sentence, "sentence", -1
        header = header if kind == "row" else []


def _kind(line: str) -> Kind:
    if line.startswith("|"):
        return "row"
    return "item" if _ITEM.match(line) else "sentence"


def _table_line(line: str, header: list[str]) -> tuple[list[str], str]:
    """Return the header that holds from here, and the row in words; none for the header itself and the rule."""
    cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    if not header:
        return cells, ""
    if _RULE.fullmatch(line):
        return header, ""
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(header[1:], cells[1:], strict=False) if cell]
    return header, f"**{cells[0].strip('*')}** – {'; '.join(named)}" if cells[0] else "; ".join(named)
