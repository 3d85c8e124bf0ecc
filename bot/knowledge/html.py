"""HTML into blocks of Markdown, without what surrounds the text of a page."""

from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from bot.knowledge.documents import Block

_SURROUNDINGS = [
    "head", "title", "script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "svg",
]  # fmt: skip
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_SIGNS = frozenset(".,;:!?")
_CONTAINERS = {"html", "body", "main", "article", "section", "div", "details", "figure", "center", "dl", "fieldset"}
_BREAKS = {"p", "ul", "ol", "pre", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", *_CONTAINERS}


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
        # A heading inside an article's own header belongs to the text.
        if element.name == "header" and element.find(_HEADINGS):
            element.unwrap()
        else:
            element.decompose()
    return [block for block in _blocks(root) if block.text]


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
        yield Block(text=f"```\n{element.get_text().strip()}\n```", whole=True)
    elif element.name == "table":
        yield Block(text=_table(element), whole=True)
    elif element.name in {"ul", "ol"}:
        yield Block(text="\n".join(f"- {_words(item)}" for item in element.find_all("li", recursive=False)))
    elif element.name == "blockquote":
        yield Block(text="\n>\n".join(_quoted(block.text) for block in _blocks(element) if block.text))
    elif element.name == "p" and not element.find(list(_BREAKS)):
        yield Block(text=_words(element))
    else:
        yield from _blocks(element)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _table(table: Tag) -> str:
    rows = [[_words(cell).replace("|", "/") for cell in row.find_all(["th", "td"])] for row in table.find_all("tr")]
    lines = [f"| {' | '.join(cells)} |" for cells in rows if cells]
    if lines:
        lines.insert(1, "|" + " --- |" * max(1, len(rows[0])))
    return "\n".join(lines)


def _words(element: Tag) -> str:
    return _tidy(element.get_text(" "))


def _tidy(text: str) -> str:
    # A sign that an element's end has cut off belongs to the word before it.
    return "".join(token if token in _SIGNS else f" {token}" for token in text.split()).strip()
