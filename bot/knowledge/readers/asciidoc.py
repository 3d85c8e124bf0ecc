"""AsciiDoc: headings, lists, tables, code and quotations, without includes. No maintained Python library reads it."""

from collections.abc import Iterator
from typing import Final

from bot.knowledge.blocks import Block, Parsed, quoted
from bot.knowledge.readers.encoding import decode
from bot.knowledge.readers.rows import table_of
from bot.knowledge.readers.titles import titled
from graph import patterns

_HEADING: Final = patterns.compile(r"^(={1,6}|#{1,6})\s+(\S.*)$")
_ATTRIBUTE: Final = patterns.compile(r"^:!?([\w-]+)!?:\s*(.*)$")
_ITEM: Final = patterns.compile(r"^\s*(\*{1,5}|-|\.{1,5}|\d+\.)\s+(\S.*)$")
_LEFT_OUT: Final = patterns.compile(
    r"^(?://|\[\[.*\]\]$|(?:ifdef|ifndef|ifeval|endif|image|toc|video)::|'''$|<<<$|\+$)"
)
_MARKS: Final = patterns.compile(r"^\[.*\]$")
_ADMONITION: Final = patterns.compile(r"^\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\b")
_COLUMNS: Final = patterns.compile(r"cols=\"?([^\"\]]+)")
_LINK: Final = patterns.compile(r"(?:link:)?(https?://[^\s\[]+)\[([^\]]*)\]")
_REFERENCE: Final = patterns.compile(r"<<[^,>]*,?\s*([^>]*)>>|xref:[^\s\[]+\[([^\]]*)\]")
_NAME: Final = patterns.compile(r"\{([\w-]+)\}")
_CODE: Final = ("----", "....", "```")
_COMMENT: Final = "////"
_TABLE: Final = ("|===", ",===", "!===")
_FRAMES: Final = ("====", "****", "--")
_QUOTATION: Final = "____"


def read(content: bytes) -> Parsed:
    """Parse the content. Raises `KnowledgeError` if it is no text."""
    page = _Page(decode(content).splitlines())
    blocks = list(page.blocks())
    fields = {"date": page.named.get("revdate", ""), "language": page.named.get("lang", "")}
    notices = [f"What it includes from other files was not read ({page.included})."] if page.included else []
    return titled(Parsed(blocks=blocks, fields=fields, notices=notices))


class _Page:
    """Lines, and the blocks read so far."""

    def __init__(self, lines: list[str]) -> None:
        self.named: dict[str, str] = {}
        self.included = 0
        self._lines = iter(lines)
        self._columns = 0
        self._gathered: list[str] = []

    def blocks(self) -> Iterator[Block]:
        for line in self._lines:
            plain = line.rstrip()
            if heading := _HEADING.match(plain):
                yield from self._paragraph()
                yield Block(text=self._inline(heading[2]), level=len(heading[1]))
            elif plain.startswith((*_CODE, *_TABLE, _COMMENT, _QUOTATION)):
                yield from self._paragraph()
                yield from self._enclosed(plain)
            elif not plain or plain in _FRAMES or set(plain) in ({"="}, {"*"}):
                yield from self._paragraph()
            else:
                self._take(plain)
        yield from self._paragraph()

    def _take(self, line: str) -> None:
        if attribute := _ATTRIBUTE.match(line):
            self.named[attribute[1]] = attribute[2]
        elif line.startswith("include::"):
            self.included += 1
        elif _MARKS.match(line):
            columns, admonition = _COLUMNS.search(line), _ADMONITION.match(line)
            self._columns = len(columns[1].split(",")) if columns else self._columns
            self._gathered += [f"{admonition[1]}:"] if admonition else []
        elif not _LEFT_OUT.match(line):
            item = _ITEM.match(line)
            caption = line[1:] if line.startswith(".") and not item else line
            self._gathered.append(
                f"{'  ' * (len(item[1]) - 1)}- {item[2]}" if item and not item[1][0].isdigit() else caption
            )

    def _paragraph(self) -> Iterator[Block]:
        if self._gathered:
            yield Block(text="\n".join(map(self._inline, self._gathered)))
        self._gathered = []

    def _enclosed(self, fence: str) -> Iterator[Block]:
        end = fence[:3] if fence.startswith("```") else fence
        inside: list[str] = []
        for line in self._lines:
            if line.rstrip() == end:
                break
            inside.append(line)
        if fence.startswith(_TABLE):
            yield from table_of(list(self._rows(inside, fence[0])))
        elif fence.startswith(_QUOTATION):
            yield Block(text=quoted("\n".join(inside)))
        elif not fence.startswith(_COMMENT) and inside:
            yield Block(text="\n".join(["```", *inside, "```"]), whole=True)

    def _rows(self, lines: list[str], sign: str) -> Iterator[list[str]]:
        """Yield rows. The marks, or else the first line, give the number of cells."""
        cells: list[str] = []
        width, self._columns = self._columns, 0
        for line in lines:
            if not line.strip() or _LEFT_OUT.match(line):
                continue
            first, *begun = line.split(sign) if sign != "," else ["", *line.split(sign)]
            if cells and first.strip():
                cells[-1] += f" {first.strip()}"
            cells += [self._inline(cell.strip()) for cell in begun]
            width = width or len(cells)
        for begins in range(0, len(cells), max(1, width)):
            yield cells[begins : begins + max(1, width)]

    def _inline(self, text: str) -> str:
        text = _NAME.sub(lambda found: self.named.get(found[1], found[0]), text)
        text = _LINK.sub(lambda found: f"[{found[2] or found[1]}]({found[1]})", text)
        return _REFERENCE.sub(lambda found: found[1] or found[2], text)
