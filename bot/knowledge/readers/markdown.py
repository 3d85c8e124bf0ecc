"""Markdown: blocks and front matter."""

import json
from datetime import date
from typing import TypeAlias

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.sanitize import read_sanitized
from graph import patterns
from graph.text.mails import with_mails_quoted

_FRONT_MATTER = patterns.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\z)", patterns.DOT_ALL)
_Value: TypeAlias = list[object] | dict[object, object] | date | str | float | None
_MOST_REPAIRED_LINES = 500
"""Reading each line of a longer front matter alone takes too long."""
_WHOLE = {"table_open", "fence", "code_block", "html_block"}
# A text that begins like this would become a heading, a list, a quotation, code, a table or a rule.
_LIKE_MARKUP = patterns.compile(r"^(?:[#>|+*~`=-]|\d+[.)])")


def read(content: bytes) -> Parsed:
    """Parse the file. Raises `KnowledgeError` that says what to do."""
    return read_sanitized(content, _parsed)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the front matter with lower-case keys, and the rest. Raises `KnowledgeError` if it is not YAML."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    try:
        loaded = _loaded(match[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise KnowledgeError("The front matter is not valid YAML: fix the lines between the two `---`.") from error
    if not isinstance(loaded, dict):
        return {}, text
    return {str(key).lower(): _as_text(value) for key, value in loaded.items()}, text[match.end() :]


def _loaded(text: str) -> dict[object, _Value] | str | None:
    """Return the front matter as YAML; if it is none, with its plain values as text."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        lines = text.splitlines()
        if len(lines) > _MOST_REPAIRED_LINES:
            raise
        return yaml.safe_load("\n".join(map(_as_yaml, lines)))


def _as_yaml(line: str) -> str:
    """Return a line `key: value` that is no YAML, such as `title: Travel: who pays`, with its value in quotes."""
    key, colon, value = line.partition(": ")
    if not (colon and key[:1].isalnum() and value.lstrip()[:1].isalnum()):
        return line
    try:
        yaml.safe_load(line)
    except yaml.YAMLError:
        return f"{key}: {json.dumps(value.strip())}"
    except ValueError:
        pass
    return line


def with_front_matter(fields: dict[str, str], body: str) -> str:
    """Return a text as `split_front_matter` takes it."""
    head = f"---\n{yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=10_000)}---\n\n" if fields else ""
    return f"{head}{body}\n"


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks in order, in their original Markdown."""
    lines = text.splitlines()
    # Inline Markdown is not parsed, because the parser takes quadratic time for it.
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse(text)
    return [_block(token, following, lines) for token, following in _opening(tokens)]


def as_text(paragraph: str) -> str:
    """Return a paragraph so that no line of it means more than text."""
    return "\n".join(
        f"\\{line}" if _LIKE_MARKUP.search(line) else line for line in map(str.strip, paragraph.split("\n"))
    )


def _parsed(text: str) -> Parsed:
    fields, body = split_front_matter(text)
    return Parsed(fields=fields, blocks=markdown_blocks(with_mails_quoted(body)))


def _opening(tokens: list[Token]) -> list[tuple[Token, Token]]:
    following = [*tokens[1:], tokens[-1]] if tokens else []
    return [
        (token, after)
        for token, after in zip(tokens, following, strict=True)
        if token.level == 0 and token.map is not None and token.nesting >= 0 and token.type != "hr"
    ]


def _block(token: Token, following: Token, lines: list[str]) -> Block:
    if token.type == "heading_open":
        return Block(text=following.content.strip(), level=int(token.tag[1]))
    first, last = token.map or [0, 0]
    text = "\n".join(lines[first:last]).strip("\n").rstrip()
    return Block(text=text, whole=token.type in _WHOLE)


def _as_text(value: _Value) -> str:
    if isinstance(value, list):
        # Deeper values are useless as facets, and YAML aliases could make them endless.
        return ", ".join(str(item) for item in value if isinstance(item, str | int | float | date))
    if isinstance(value, date):
        return value.isoformat()
    # An escape can create half a character, which no encoding can store.
    return "" if value is None or isinstance(value, dict) else str(value).encode("utf-8", "replace").decode()
