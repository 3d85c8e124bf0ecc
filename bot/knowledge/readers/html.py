"""HTML: blocks of Markdown from the main part of a page."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from bot.knowledge.blocks import Block, Parsed, quoted
from bot.knowledge.readers.rows import table_of
from bot.knowledge.sanitize import read_sanitized

_SURROUNDINGS = [
    "head", "title", "script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "svg",
]  # fmt: skip
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_LISTS = ["ul", "ol"]
_CODE = ["code", "samp", "tt"]
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search"})
_AROUND = frozenset({"breadcrumb", "breadcrumbs", "footer"})
_MENUS = frozenset({"nav", "navbar", "navigation", "sidebar"})
"""What pages name an element around their text that is older than `nav` and `footer`, as its id or class. One that is
named like a menu may hold the text itself, so most of it must be links."""
_NAMED = frozenset({"div", "ul", "ol", "section", "table", "p"})
"""Elements that stand around the text by such a name: a row of a table may be its footer."""
_OF_A_MENU = 0.5
"""Share of a menu's letters that are links."""
_CELLS = ["th", "td"]
_WIDEST_SPAN = 50
_MOST_DIGITS = 2
"""Of the number of an item; a longer one makes no list."""
_SIGNS = frozenset(".,;:!?")
_CONTAINERS = {"html", "body", "main", "article", "section", "div", "details", "figure", "center", "dl", "fieldset"}
_BREAKS = {"p", "pre", "table", "blockquote", *_LISTS, *_HEADINGS, *_CONTAINERS}


def read(content: bytes) -> Parsed:
    """Parse a page. Raises `KnowledgeError` that says what to do."""
    return read_sanitized(content, _parsed)


def parse(text: str) -> BeautifulSoup:
    """Return the page's tree."""
    return BeautifulSoup(text, "html.parser")


def html_attributes(page: BeautifulSoup) -> dict[str, str]:
    """Return title, language, url, and the named `meta` elements."""
    found: dict[str, str] = {}
    for meta in page.find_all("meta"):
        name, content = meta.get("name") or meta.get("property"), meta.get("content")
        if name and content:
            found[str(name).lower().removeprefix("og:").removeprefix("article:")] = str(content)
    canonical = page.find("link", rel="canonical")
    if canonical is not None and canonical.get("href"):
        found["url"] = str(canonical["href"])
    if page.html is not None and page.html.get("lang"):
        found["language"] = str(page.html["lang"])
    if page.h1 is None and page.title is not None and page.title.get_text(strip=True):
        found["title"] = page.title.get_text(" ", strip=True)
    return found


def html_blocks(page: BeautifulSoup) -> list[Block]:
    """Return the blocks of the page's main part."""
    root = page.find("main") or page.find("article") or page.body or page
    for element in root.find_all(_SURROUNDINGS):
        # A heading inside an article's header belongs to the text.
        if element.name == "header" and element.find(_HEADINGS):
            element.unwrap()
        else:
            element.decompose()
    for element in root.find_all(_CODE):
        code = " ".join(element.get_text().split())
        if code and "`" not in code and not element.find_parent("pre") and not element.find(list(_BREAKS)):
            element.replace_with(f"`{code}`")
    return [block for block in _blocks(root) if block.text]


def _is_around(element: Tag) -> bool:
    """Tell whether an element stands around the page's text. One with the page's heading holds the text."""
    named = {*_values(element, "id"), *_values(element, "class")} if element.name in _NAMED else set[str]()
    is_around = not _AROUND.isdisjoint(named) or not _ROLES.isdisjoint(_values(element, "role"))
    is_around = is_around or (not _MENUS.isdisjoint(named) and _is_menu(element))
    return is_around and element.name not in {"html", "body"} and element.find(["h1", "h2"]) is None


def _is_menu(element: Tag) -> bool:
    linked = sum(len(_words(link)) for link in element.find_all("a"))
    return linked >= _OF_A_MENU * len(_words(element))


def _values(element: Tag, name: str) -> list[str]:
    value = element.get(name) or ""
    return (value if isinstance(value, str) else " ".join(value)).lower().split()


def _parsed(text: str) -> Parsed:
    page = parse(text)
    for element in page.find_all(_is_around):
        element.extract()
    return Parsed(fields=html_attributes(page), blocks=html_blocks(page))


def _blocks(element: Tag) -> Iterator[Block]:
    inline: list[str] = []
    for child in element.children:
        if isinstance(child, Tag) and (child.name in _BREAKS or child.find(list(_BREAKS))):
            yield Block(text=_tidy("".join(inline)))
            inline = []
            yield from _structure(child)
        elif isinstance(child, Tag):
            inline.append(child.get_text())
        elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
            inline.append(str(child))
    yield Block(text=_tidy("".join(inline)))


def _structure(element: Tag) -> Iterator[Block]:
    if element.name in _HEADINGS:
        yield Block(text=_words(element), level=int(element.name[1]))
    elif element.name == "pre":
        yield Block(text=_fenced(element), whole=True)
    elif element.name == "table":
        yield from _table(element)
    elif element.name in _LISTS:
        yield Block(text="\n".join(_items(element, "")))
    elif element.name == "blockquote":
        yield Block(text="\n>\n".join(quoted(block.text) for block in _blocks(element) if block.text))
    elif element.name == "p" and not element.find(list(_BREAKS)):
        yield Block(text=_words(element))
    else:
        yield from _blocks(element)


def _fenced(element: Tag) -> str:
    return f"```\n{element.get_text().strip()}\n```"


def _items(items: Tag, indent: str) -> Iterator[str]:
    place = _number(items, "start", 1) - 1
    # Letters, and numbers that count down, are none of Markdown's.
    is_counted = items.name == "ol" and items.get("type", "1") == "1" and not items.has_attr("reversed")
    for item in items.find_all("li", recursive=False):
        place = _number(item, "value", place + 1)
        below = item.find_all([*_LISTS, "pre"])
        own = [inner.extract() for inner in below if inner.find_parent("li") is item]
        mark = f"{place}." if is_counted and place < 10**_MOST_DIGITS else "-"
        yield f"{indent}{mark} {_words(item)}"
        within = f"{indent}{' ' * (len(mark) + 1)}"
        for inner in own:
            if inner.name == "pre":
                yield from (f"{within}{line}" for line in _fenced(inner).splitlines())
            else:
                yield from _items(inner, within)


def _number(element: Tag, name: str, default: int) -> int:
    """Return an attribute that is a number of an item; the default for anything else."""
    value = str(element.get(name, ""))
    return int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else default


def _table(table: Tag) -> Iterator[Block]:
    """Yield a table below its names: its caption, and a single cell over its whole width."""
    if table.caption is not None:
        yield Block(text=_words(table.caption))
    rows = [row.find_all(_CELLS) for row in table.find_all("tr")]
    grid = _grid(rows)
    while len(rows) > 1 and (_is_title(rows[0]) or not any(grid[0])):
        yield Block(text=" ".join(map(_words, rows[0])).strip())
        rows, grid = rows[1:], grid[1:]
    yield from table_of(grid, heads=_heads(rows))


def _is_title(row: Sequence[Tag]) -> bool:
    return len(row) == 1 and _span(row[0], "colspan") > 1


def _heads(rows: Sequence[Sequence[Tag]]) -> int:
    """Return how many rows are surely the head: those of `thead`, or the rows of `th` that merged cells span.

    Rows of `th` alone tell nothing: some pages write all their rows so.
    """
    # A single cell below the names stands over its own rows only.
    listed = list(takewhile(lambda row: not _is_title(row), rows))
    above = list(takewhile(lambda row: not row or row[0].find_parent("thead"), listed))
    if above:
        return len(above) if len(above) < len(rows) else 1
    named = list(takewhile(lambda row: all(cell.name == "th" for cell in row), listed))
    if not any(cell.name == "td" for row in rows[len(named) :] for cell in row):
        return 1
    reach = 1
    for place, row in enumerate(named):
        if place < reach:
            # A cell over several columns has a name for each of them in the next row.
            spans = [place + max(_span(cell, "rowspan"), min(_span(cell, "colspan"), 2)) for cell in row]
            reach = max(reach, *spans, 1)
    return min(reach, max(len(named), 1))


def _grid(rows: Sequence[Sequence[Tag]]) -> list[list[str]]:
    """Return the rows, with each merged cell repeated in all its rows and columns."""
    spanning: dict[int, tuple[int, str]] = {}
    return [_row(iter(row), spanning) for row in rows]


def _row(cells: Iterator[Tag], spanning: dict[int, tuple[int, str]]) -> list[str]:
    """Return a row. `spanning` holds, by column, the rows that a cell from above still fills, and its text."""
    filled: list[str] = []
    while True:
        left, text = spanning.pop(len(filled), (0, ""))
        if not left:
            cell = next(cells, None)
            if cell is None:
                return filled
            left, text = _span(cell, "rowspan"), _words(cell)
            for place in range(len(filled) + 1, len(filled) + _span(cell, "colspan")):
                spanning[place] = (left, text)
        if left > 1:
            spanning[len(filled)] = (left - 1, text)
        filled.append(text)


def _span(cell: Tag, name: str) -> int:
    number = str(cell.get(name, "1"))
    return min(max(int(number), 1), _WIDEST_SPAN) if number.isdecimal() else 1


def _words(element: Tag) -> str:
    return _tidy(element.get_text(" "))


def _tidy(text: str) -> str:
    # A sign after the end of an element belongs to the word before that element.
    return "".join(token if token in _SIGNS else f" {token}" for token in text.split()).strip()
