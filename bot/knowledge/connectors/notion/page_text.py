"""Writes a page of Notion as Markdown, which our reader takes (pure).

Notion says what a block is, so nothing has to be guessed: https://developers.notion.com/reference/block.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, cast
from urllib.parse import urlsplit

from bot.knowledge.blocks import OWN_FIELDS, quoted
from bot.knowledge.readers.markdown import as_text, with_front_matter
from graph import patterns

SITE: Final = "https://www.notion.so/"
_LISTS: Final = ("bulleted_list_item", "numbered_list_item", "to_do")
_OWN_PAGES: Final = ("child_page", "child_database")
"""Blocks that are documents of their own. Their titles alone would be found for everything and answer nothing."""
_HEADINGS: Final = {"heading_1": "# ", "heading_2": "## ", "heading_3": "### ", "heading_4": "#### "}
_TICKS: Final = patterns.compile(r"`+")


@dataclass(frozen=True, kw_only=True)
class PageBlock:
    """A block, with the blocks in it."""

    content: dict[str, Any]
    """As the API has it."""
    blocks: list["PageBlock"] = field(default_factory=list["PageBlock"])

    @property
    def type(self) -> str:
        """The name of its type."""
        return str(self.content.get("type", ""))

    @property
    def fields(self) -> dict[str, Any]:
        """What the API has for this type."""
        return _object(self.content.get(self.type))


def holds_blocks(content: Mapping[str, Any]) -> bool:
    """Tell whether the blocks in a block belong to the same page."""
    return bool(content.get("has_children")) and content.get("type") not in _OWN_PAGES


def title_of(page: Mapping[str, Any]) -> str:
    """Return a page's title; empty if it has none."""
    titles = (value for value in _properties(page).values() if value.get("type") == "title")
    return next((_plain(value.get("title")) for value in titles), "")


def document_of_page(page: Mapping[str, Any], blocks: Iterable[PageBlock]) -> str:
    """Return a page as Markdown with front matter; empty if its blocks and columns hold no text."""
    columns = _columns(page)
    body = "\n\n".join(_written(blocks))
    if not body and not columns:
        return ""
    # A row of a database may be nothing but its columns.
    body = body or "\n".join(f"- {name}: {value}" for name, value in columns.items())
    about = {
        **{name: value for name, value in columns.items() if name.lower() not in OWN_FIELDS},
        "title": title_of(page) or "Untitled",
        "saved": str(page.get("last_edited_time", ""))[:10],
    }
    return with_front_matter(about, body)


def _properties(page: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: _object(value) for name, value in _object(page.get("properties")).items()}


def _columns(page: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of a row of a database, without its title."""
    texts = {name: _value(value) for name, value in _properties(page).items() if value.get("type") != "title"}
    return {name: value for name, value in texts.items() if value}


def _value(value: Mapping[str, Any]) -> str:
    kind = str(value.get("type", ""))
    content = value.get(kind)
    if kind == "formula":
        return _value(_object(content))
    write = _VALUES.get(kind)
    return write(content) if write else ""


def _name(value: Any) -> str:
    return str(_object(value).get("name") or "")


def _names(value: Any) -> str:
    return ", ".join(name for one in _dicts(value) if (name := _name(one)))


def _days(value: Any) -> str:
    return " – ".join(str(day) for end in ("start", "end") if (day := _object(value).get(end)))


def _number(value: Any) -> str:
    return "" if value is None else str(value)


def _yes_or_no(value: Any) -> str:
    return "yes" if value else "no"


def _written(blocks: Iterable[PageBlock]) -> Iterator[str]:
    """Yield the parts of a text that blank lines divide. The items of one list are one part."""
    for kind, some in groupby(blocks, lambda block: block.type if block.type in _LISTS else ""):
        if kind:
            yield "\n".join(_item(block, number) for number, block in enumerate(some, start=1))
        else:
            yield from (part for block in some for part in _parts(block) if part.strip())


def _parts(block: PageBlock) -> Iterator[str]:
    """Yield the text of a block that is no item of a list, and of the blocks in it."""
    if block.type in _OWN_PAGES:
        return
    if block.type == "table":
        yield _table(block)
        return
    write = _WRITERS.get(block.type, _paragraph)
    inside = _written(block.blocks)
    if block.type in ("quote", "callout"):
        yield quoted("\n\n".join(part for part in (write(block), *inside) if part))
    else:
        yield write(block)
        yield from inside


def _item(block: PageBlock, number: int) -> str:
    sign = {"numbered_list_item": f"{number}. ", "bulleted_list_item": "- "}.get(block.type)
    sign = sign or ("- [x] " if block.fields.get("checked") else "- [ ] ")
    indent = " " * (len(sign) if block.type == "numbered_list_item" else 2)
    text = _rich(block.fields.get("rich_text")).replace("\n", f"\n{indent}")
    # Lists in an item follow it at once, so that the whole list stays together.
    inside = "".join(f"\n{_indented(part, indent)}" for part in _written(block.blocks))
    return f"{sign}{text}{inside}"


def _indented(text: str, indent: str) -> str:
    return "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))


def _paragraph(block: PageBlock) -> str:
    """Return the text of a block that has some, of whatever type, and the address to which it leads."""
    text = as_text(_rich(block.fields.get("rich_text")))
    return text or _linked(_plain(block.fields.get("caption")), _address(block.fields))


def _heading(block: PageBlock) -> str:
    text = " ".join(_rich(block.fields.get("rich_text")).split())
    return f"{_HEADINGS[block.type]}{text}" if text else ""


def _code(block: PageBlock) -> str:
    text = _plain(block.fields.get("rich_text"))
    language = str(block.fields.get("language", ""))
    longest = max((len(run[0]) for run in _TICKS.finditer(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if language.isalnum() and language != 'plain' else ''}\n{text}\n{fence}" if text else ""


def _equation(block: PageBlock) -> str:
    return f"`{block.fields.get('expression', '')}`"


def _table(block: PageBlock) -> str:
    """Return a table of Markdown, whose first row is its head."""
    rows = [[_cell(cell) for cell in row.fields.get("cells", ())] for row in block.blocks if row.type == "table_row"]
    width = max(map(len, rows), default=0)
    if not width:
        return ""
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def _cell(cell: Any) -> str:
    return " ".join(_rich(cell).split()).replace("|", "\\|")


def _plain(rich: Any) -> str:
    return "".join(str(part.get("plain_text", "")) for part in _dicts(rich))


def _rich(rich: Any) -> str:
    """Return a text with its links and its code. Bold and colours say nothing to a search."""
    return "".join(_span(part) for part in _dicts(rich)).strip()


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [_object(one) for one in cast("list[Any]", value)] if isinstance(value, list) else []


def _object(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _span(part: Mapping[str, Any]) -> str:
    text = str(part.get("plain_text", ""))
    if _object(part.get("annotations")).get("code") and text.strip() and "`" not in text:
        text = f"`{text}`"
    href = part.get("href")
    return _linked(text, href) if isinstance(href, str) else text


def _linked(text: str, url: str) -> str:
    """Return a link of Markdown; the bare text if the address leads to no page."""
    url = f"{SITE}{url.lstrip('/')}" if url.startswith("/") else url
    if urlsplit(url).scheme not in ("http", "https", "mailto") or set(url) & set(" <>()\n"):
        return text
    label = text.replace("[", "\\[").replace("]", "\\]")
    return f"[{label or url}]({url})"


def _address(fields: Mapping[str, Any]) -> str:
    """Return where a bookmark, an embedded page or an outside file leads.

    The address of a file that Notion keeps is new each time, and ends within the hour.
    """
    return str(fields.get("url") or _object(fields.get("external")).get("url") or "")


_WRITERS: Final[Mapping[str, Callable[[PageBlock], str]]] = {
    **dict.fromkeys(_HEADINGS, _heading),
    "code": _code,
    "equation": _equation,
}
_VALUES: Final[Mapping[str, Callable[[Any], str]]] = {
    "rich_text": _plain,
    **dict.fromkeys(("select", "status"), _name),
    **dict.fromkeys(("multi_select", "people"), _names),
    "date": _days,
    "number": _number,
    **dict.fromkeys(("checkbox", "boolean"), _yes_or_no),
    **dict.fromkeys(("url", "email", "phone_number", "string"), lambda value: str(value or "")),
}
