"""Public documents that Linux distributions install, with what another reader sees in them."""

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pypdfium2

_DOC: Final = Path("/usr/share/doc")
_MOST: Final = 8
"""Files of a folder."""
_ORDINARY: Final = range(10_000, 150_000)
"""Bytes."""
_UNDERLINED: Final = re.compile(r"^(\w.*)\n([=*~^\"'#.-])\2{2,}$", re.MULTILINE)
_MARKDOWN_HEADING: Final = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_FENCED: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_SILENT: Final = frozenset({"script", "style", "head", "nav"})
_HEADS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS: Final = frozenset({"td", "th"})
_BREAKS: Final = _HEADS | {"p", "li", "tr", "td", "th", "pre", "div", "dt", "dd", "ul", "ol", "table", "br", "section"}


@dataclass(frozen=True, kw_only=True)
class PublicFile:
    """A document, and what another reader sees."""

    group: str
    compared: str
    file: Path
    headings: Sequence[tuple[int, str]] = ()
    """The level, whose number means nothing but its order, and the text."""
    rows: Sequence[Sequence[str]] = ()
    lines: Sequence[str] = ()


def public_files() -> Iterator[PublicFile]:
    """Yield the documents that this machine has."""
    yield from _mime_specification()
    yield from _asn1_manual()
    for file in _some(_DOC / "nodejs/api", "*.html"):
        page = Page.of(file.read_text("utf-8"))
        yield PublicFile(
            group="HTML, Node.js's manual",
            compared="Python's HTML parser",
            file=file,
            headings=page.headings,
            rows=page.rows,
            lines=page.lines,
        )
    for file in _some(_DOC / "nodejs/api", "*.md"):
        text = _FENCED.sub("", file.read_text("utf-8"))
        headings = [(len(marks), heading) for marks, heading in _MARKDOWN_HEADING.findall(text)]
        yield PublicFile(
            group="Markdown, Node.js's manual", compared="its headings, by a pattern", file=file, headings=headings
        )
    for file in _some(Path("/usr/share/cmake-3.25/Help/manual"), "*.rst"):
        yield PublicFile(
            group="reStructuredText, CMake's manual",
            compared="its headings, by a pattern",
            file=file,
            headings=_underlined(file.read_text("utf-8")),
        )


def _some(folder: Path, pattern: str) -> list[Path]:
    """Return some files of ordinary size."""
    return [file for file in sorted(folder.glob(pattern)) if file.stat().st_size in _ORDINARY][:_MOST]


def _underlined(text: str) -> list[tuple[int, str]]:
    """Return headings with a line of signs below; the signs come from the highest level to the lowest."""
    found = _UNDERLINED.findall(text)
    levels = list(dict.fromkeys(sign for _, sign in found))
    return [(levels.index(sign), heading) for heading, sign in found]


def _mime_specification() -> Iterator[PublicFile]:
    folder = _DOC / "shared-mime-info"
    file, pages = folder / "shared-mime-info-spec.pdf", folder / "shared-mime-info-spec.html"
    if file.exists() and pages.is_dir():
        in_order = sorted(pages.glob("*.html"), key=lambda page: int("0" + re.sub(r"\D", "", page.stem)))
        read = [Page.of(page.read_text("utf-8", "replace")) for page in in_order]
        # Its tables are missing from the PDF, whatever reads it.
        yield PublicFile(
            group="PDF, specification of MIME types",
            compared="its edition in HTML",
            file=file,
            headings=[heading for page in read for heading in page.headings],
            lines=[line for page in read for line in page.lines],
        )
        yield _beside_plain_text("PDF, specification of MIME types", file)


def _asn1_manual() -> Iterator[PublicFile]:
    file, info = _DOC / "libtasn1-doc/libtasn1.pdf", Path("/usr/share/info/libtasn1.info.gz")
    if file.exists() and info.exists():
        text = gzip.decompress(info.read_bytes()).decode()
        yield PublicFile(
            group="PDF, manual of libtasn1",
            compared="its edition for Info",
            file=file,
            headings=_underlined(text),
            lines=text.split("\n\n"),
        )
        yield _beside_plain_text("PDF, manual of libtasn1", file)


def _beside_plain_text(group: str, file: Path) -> PublicFile:
    """Return what pdfium says of a PDF's text without our layout, running heads and all."""
    with pypdfium2.PdfDocument(file) as document:
        lines = [line for page in document for line in page.get_textpage().get_text_range().splitlines()]
    return PublicFile(group=group, compared="pdfium's plain text", file=file, lines=lines)


@dataclass
class Page(HTMLParser):
    """What Python's own parser sees in a page."""

    headings: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    rows: list[list[str]] = field(default_factory=list[list[str]])
    lines: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._text = ""
        self._row: list[str] = []
        self._block = ""
        """The text of the last heading or cell."""

    @classmethod
    def of(cls, text: str) -> "Page":
        """Read a page."""
        page = cls()
        page.feed(text)
        page.close()
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """End the line, and note what is open."""
        del attrs
        if tag in _BREAKS:
            self._end()
        if tag in _HEADS | _CELLS:
            self._block = ""
        if tag in _SILENT:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note what ended."""
        text = " ".join(self._block.split())
        if tag in _HEADS:
            self.headings.append((int(tag[1]), text))
        elif tag in _CELLS:
            self._row.append(text)
        elif tag == "tr" and self._row:
            self.rows.append(self._row)
            self._row = []
        if tag in _BREAKS:
            self._end()
        if tag in self._open:
            del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Take the text that people see."""
        if not _SILENT & {*self._open}:
            self._text += data
            self._block += data

    def _end(self) -> None:
        if self._text.strip():
            self.lines.append(" ".join(self._text.split()))
        self._text = ""
        self._block += " "
