"""Prepares a text for storing: removes credentials, and marks quoted mails (pure)."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Final

from bot.knowledge.blocks import Block, Parsed, quoted
from bot.knowledge.readers.encoding import decode
from graph.text.credentials import redacted
from graph.text.mails import in_mail

LEFT_OUT: Final = "What looks like a key or a password was left out."


def read_sanitized(content: bytes, parse: Callable[[str], Parsed]) -> Parsed:
    """Remove credentials from the text, then parse it. Raises `KnowledgeError` if the content is no text."""
    written = decode(content)
    shown = redacted(written)
    parsed = parse(shown)
    return replace(parsed, notices=[LEFT_OUT]) if shown != written else parsed


def sanitized(parsed: Parsed) -> Parsed:
    """Remove credentials from a child's result, and mark the mails that it quotes."""
    written = "\n\n".join(block.text for block in parsed.blocks)
    shown = redacted(written)
    blocks = [replace(block, text=redacted(block.text)) for block in parsed.blocks]
    if shown != "\n\n".join(block.text for block in blocks):
        # A key that spans several blocks also removes the headings between them.
        blocks = [Block(text=part) for part in shown.split("\n\n")]
    fields = {key: redacted(value) for key, value in parsed.fields.items()}
    is_less = shown != written or fields != parsed.fields
    notices = [*parsed.notices, LEFT_OUT] if is_less else parsed.notices
    return replace(parsed, blocks=_with_mails_quoted(blocks), fields=fields, notices=notices)


def _with_mails_quoted(blocks: list[Block]) -> list[Block]:
    lines = [[f"# {block.text}"] if block.level else block.text.splitlines() for block in blocks]
    shown = iter(in_mail([line for each in lines for line in each]))
    in_mails = [any(list(islice(shown, len(each)))) for each in lines]
    return [
        Block(text=quoted(block.text)) if is_shown and not block.text.startswith(">") else block
        for block, is_shown in zip(blocks, in_mails, strict=True)
    ]
