"""Word: `mammoth` converts styles to HTML, which is read like a page."""

import io
from typing import Any, Final

import mammoth

from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.readers.archive import opened, properties
from bot.knowledge.readers.html import html_blocks, parse
from bot.knowledge.readers.titles import titled

_STYLES: Final = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Heading 1'] => h2:fresh
p[style-name='Heading 2'] => h3:fresh
p[style-name='Heading 3'] => h4:fresh
p[style-name='Heading 4'] => h5:fresh
p[style-name='Heading 5'] => h6:fresh
p[style-name='Heading 6'] => h6:fresh
p[style-name^='Code'] => pre:separator('\n')
p[style-name^='Quote'] => blockquote:fresh
p[style-name='Intense Quote'] => blockquote:fresh
"""
_BACK: Final = "↑"
"""The back link after each footnote."""


def read(content: bytes) -> Parsed:
    """Return the text, with footnotes at the end. Raises `KnowledgeError` if it cannot be opened."""
    archive = opened(content)
    made: Any = mammoth.convert_to_html(io.BytesIO(content), style_map=_STYLES, convert_image=_no_image)
    blocks = [
        Block(text=block.text.replace(_BACK, "").rstrip(), level=block.level, whole=block.whole)
        for block in html_blocks(parse(made.value))
    ]
    return titled(Parsed(blocks=blocks, fields=properties(archive)))


def _no_image(_image: object) -> list[object]:
    return []
