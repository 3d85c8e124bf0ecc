"""Word: `mammoth` converts styles to HTML, which is read like a page."""

import io
import zipfile
from typing import Any, Final

import mammoth

from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.readers.archive import opened, properties
from bot.knowledge.readers.html import html_blocks, parse
from bot.knowledge.readers.titles import titled
from graph import patterns

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
_TEXT: Final = "word/document.xml"
_SIGNS: Final = {"</m:num>": "/", "<m:sup>": "^", "<m:sub>": "_", "<m:d>": "(", "</m:d>": ")"}
"""Of a fraction, a power, an index, brackets."""
_RUN: Final = patterns.compile(r"<(/?)m:([rt])([ >])")
_REST: Final = patterns.compile(r"</?m:[^>]*>")
_BACK: Final = "↑"
"""The back link after each footnote."""


def read(content: bytes) -> Parsed:
    """Return the text, with footnotes at the end. Raises `KnowledgeError` if it cannot be opened."""
    archive = opened(content)
    made: Any = mammoth.convert_to_html(_with_formulas(archive, content), style_map=_STYLES, convert_image=_no_image)
    blocks = [
        Block(text=block.text.replace(_BACK, "").rstrip(), level=block.level, whole=block.whole)
        for block in html_blocks(parse(made.value))
    ]
    return titled(Parsed(blocks=blocks, fields=properties(archive)))


def _with_formulas(archive: zipfile.ZipFile, content: bytes) -> io.BytesIO:
    """Return the file with formulas as text: mammoth leaves them out."""
    text = archive.read(_TEXT).decode("utf-8", "replace") if _TEXT in archive.namelist() else ""
    if "<m:oMath" not in text:
        return io.BytesIO(content)
    for mark, sign in _SIGNS.items():
        text = text.replace(mark, f"<w:r><w:t>{sign}</w:t></w:r>")
    text = _REST.sub(lambda _: "", _RUN.sub(lambda found: f"<{found[1]}w:{found[2]}{found[3]}", text))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as changed:
        for name in archive.namelist():
            changed.writestr(name, text if name == _TEXT else archive.read(name))
    return made


def _no_image(_image: object) -> list[object]:
    return []
