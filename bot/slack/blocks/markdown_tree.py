"""Reads Markdown with a real parser, and writes it from the parser's tree; a node of an unknown kind is only text.

Slack is sent what the tree says, and nothing else. So a stray sign cannot hide a link from us that Slack then sees, and
two neighbours of markup that was left out cannot become a link or a mention.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from bot.slack.blocks.addresses import Links, explicit, in_code, inert, linkable
from graph import patterns

_ESCAPED: Final = frozenset("*_~")
"""Signs that stay escaped: they would only change how a text looks, and no address is made with them."""
_DEFINITION: Final = patterns.compile(r"^(\s{0,3}\[[^\]\n]+\]):", patterns.MULTI_LINE)
"""What another parser may take for the address of the links of that name."""
_TABLE_RULE: Final = patterns.compile(r"^[ :|-]*\|[ :|-]*$", patterns.MULTI_LINE)
"""A line that may make a table of a paragraph, in which a bar would end code."""
_BACKSLASH: Final = patterns.compile(r"\\([`\[<]|\z)")
INVISIBLE: Final = "\u2060"
"""What nobody sees, and what parts two signs that would mean something together."""
_LANGUAGE: Final = patterns.compile(r"[A-Za-z0-9+#-]{1,20}")
_MOST_LOOKED_FOR: Final = 20_000_000
"""Signs in a paragraph times brackets that open: for each of them the parser looks for its end."""


class _Parser(MarkdownIt):
    """CommonMark with tables; no HTML, and nothing that a later line could change in an earlier block."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": 100})
        self.enable(["table", "strikethrough"])
        # A definition of a link at the end, or a line of signs below a text, would change what was shown before.
        # Text that is set in by four places is no code: documents set in what they quote.
        self.disable(["reference", "lheading", "code", "text_join"])

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - So the library calls it.
        return True  # Whether it works is decided when it is written.

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - As the library has it.
        return url


_PARSER: Final = _Parser()
_BLOCK_PARSER: Final = _Parser()
_BLOCK_PARSER.core.ruler.disable("inline")


def parsed(text: str) -> list[Token]:
    """Return the blocks of a text, in a row."""
    return _PARSER.parse(_bounded(text))


def parsed_blocks(text: str) -> list[Token]:
    """Return the blocks of a text, in a row, without what their lines are made of."""
    return _BLOCK_PARSER.parse(_bounded(text))


def parsed_inline(text: str) -> list[Token]:
    """Return what one paragraph is made of, in a row."""
    return [child for token in _PARSER.parseInline(_bounded(text)) for child in token.children or []]


def _bounded(text: str) -> str:
    """Return a text whose links can be looked for in time: brackets without end are no links."""
    if len(text) * text.count("[") <= _MOST_LOOKED_FOR:
        return text
    apart = text.split("\n\n")
    return "\n\n".join(
        part.replace("[", "(") if len(part) * part.count("[") > _MOST_LOOKED_FOR else part for part in apart
    )


def written(tokens: Sequence[Token], links: Links) -> Iterator[str]:
    """Yield the Markdown of each block, with `links` as the only ones that work."""
    return _blocks(SyntaxTreeNode(tokens).children, links)


def _blocks(nodes: Sequence[SyntaxTreeNode], links: Links) -> Iterator[str]:
    for node in nodes:
        if shown := _node(node, links):
            yield shown


def _node(node: SyntaxTreeNode, links: Links) -> str:
    write = _WRITERS.get(node.type)
    return write(node, links) if write else _plain(node.content, links)


def _paragraph(node: SyntaxTreeNode, links: Links) -> str:
    text = _DEFINITION.sub(lambda found: f"{found[1]} :", _inline(node, links))
    return _TABLE_RULE.sub(lambda found: INVISIBLE + found[0], text)


def _heading(node: SyntaxTreeNode, links: Links) -> str:
    return f"{node.markup} {_inline(node, links)}"


def _list(node: SyntaxTreeNode, links: Links) -> str:
    first = int(node.attrs.get("start", 1))
    return "\n".join(
        _item(item, f"{number}. " if node.type == "ordered_list" else "- ", links)
        for number, item in enumerate(node.children, first)
    )


def _item(node: SyntaxTreeNode, marker: str, links: Links) -> str:
    """Return an item behind its marker; a list in it follows its line at once."""
    text = ""
    for child in node.children:
        between = "\n" if child.type.endswith("_list") else "\n\n"
        shown = _node(child, links)
        text = f"{text}{between}{shown}" if text and shown else text or shown
    return _set_in(text, marker, " " * len(marker))


def _quote(node: SyntaxTreeNode, links: Links) -> str:
    return _set_in("\n\n".join(_blocks(node.children, links)), "> ", "> ")


def _table(node: SyntaxTreeNode, links: Links) -> str:
    return "\n".join(_rows(node, links))


def _set_in(text: str, first: str, others: str) -> str:
    """Return text behind a marker; an empty line stays empty."""
    return first + text.replace("\n", f"\n{others}").replace(f"\n{others}\n", f"\n{others.rstrip()}\n")


def _fence(node: SyntaxTreeNode, links: Links) -> str:  # noqa: ARG001 - All writers take both.
    if node.level:
        # Some readers know no code of several lines in a list or a quotation.
        return "\n".join(_code(line) for line in node.content.splitlines() if line.strip())
    # All or nothing: a name without some of its signs may become a credential.
    language = node.info.split(" ")[0]
    return fenced(node.content, language if _LANGUAGE.fullmatch(language) else "")


def fenced(text: str, language: str = "") -> str:
    """Return code of several lines."""
    # Another reader may take three ticks in the code for its end.
    content = text.rstrip("\n").replace("```", f"``{INVISIBLE}`")
    return f"```{language}\n{content}\n```"


def _rows(node: SyntaxTreeNode, links: Links) -> Iterator[str]:
    head, *bodies = node.children
    for row in head.children:
        yield _row([_cell(cell, links) for cell in row.children])
        yield _row([_alignment(str(cell.attrs.get("style", ""))) for cell in row.children])
    for body in bodies:
        for row in body.children:
            yield _row([_cell(cell, links) for cell in row.children])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(node: SyntaxTreeNode, links: Links) -> str:
    return _inline(node, links).replace("|", "\\|").replace("\n", " ")


def _alignment(style: str) -> str:
    left, right = ("left" in style or "center" in style), ("right" in style or "center" in style)
    return f"{':' * left}---{':' * right}"


def _inline(node: SyntaxTreeNode, links: Links) -> str:
    return "".join(_spans(node.children, links))


def _spans(nodes: Sequence[SyntaxTreeNode], links: Links) -> Iterator[str]:
    """Yield what nodes show; the text of neighbours is looked at together, for an address may lie across them."""
    text, is_after_sign = "", False
    for node in nodes:
        if node.type == "text" or (node.type == "text_special" and node.content not in _ESCAPED):
            # Some readers take a sign before a dot for a part of a host.
            text += f" {node.content}" if is_after_sign and node.content.startswith(".") else node.content
            is_after_sign = False
            continue
        if node.type == "image" or (node.type == "link" and not _keeps_its_place(node, links)):
            # Only its words are shown.
            text += _words(node)
            continue
        if text:
            yield _plain(text, links)
            text = ""
        yield _node(node, links)
        is_after_sign = node.type == "text_special"
    if text:
        yield _plain(text, links)


def _emphasis(node: SyntaxTreeNode, links: Links) -> str:
    inner = _inline(node, links)
    return f"{node.markup}{inner}{node.markup}" if inner and inner.strip() == inner else inner


def _keeps_its_place(node: SyntaxTreeNode, links: Links) -> bool:
    """Tell whether a link is shown as one, or with its address as code behind its label."""
    target = str(node.attrs.get("href", ""))
    if node.info == "auto":
        # In Slack's markup, what follows a bar is a label, and may be an address with what stands behind it.
        return "|" not in target
    return target in links or (linkable(target) and target not in _words(node))


def _words(node: SyntaxTreeNode) -> str:
    """Return the words of a picture's description or of a link's label, without markup."""
    return "".join(map(_words, node.children)) if node.children else node.content or " "


def _code(text: str) -> str:
    # Another reader may end the code at a second kind of delimiter, or at a bar that it takes for a table's.
    text = text.replace("`", "'")
    text = text.replace("](", f"]{INVISIBLE}(") if "|" in text else text
    return in_code(text)


def _link(node: SyntaxTreeNode, links: Links) -> str:
    target = str(node.attrs.get("href", ""))
    is_known = target in links
    if node.info == "auto":
        return _inline(node, links)
    label = _inline(node, Links())
    # Where it would have led can be read, and not clicked.
    return explicit(label, target) if is_known else f"{label} ({_code(target)})"


def _plain(text: str, links: Links) -> str:
    """Return text in which nothing can be clicked but `links`, and that opens no code."""
    shown = inert(text.replace("`", "'").replace("](", "] ("), links)
    # A backslash of the text must not escape the sign that we write after it.
    return _BACKSLASH.sub(lambda found: f"\\{INVISIBLE}{found[1]}", shown)


_Write: TypeAlias = Callable[[SyntaxTreeNode, Links], str]
_WRITERS: Final[dict[str, _Write]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": _quote,
    "fence": _fence,
    "table": _table,
    "hr": lambda _node, _links: "---",
    "inline": _inline,
    "em": _emphasis,
    "strong": _emphasis,
    "s": _emphasis,
    "code_inline": lambda node, _links: _code(node.content),
    "link": _link,
    "softbreak": lambda _node, _links: "\n",
    "hardbreak": lambda _node, _links: "\n",
    "text_special": lambda node, _links: f"\\{node.content}",
}
"""What may be shown as more than its text."""
