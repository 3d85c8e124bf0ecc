"""reStructuredText: `docutils` converts it to HTML, which is read like a page. Nothing is included or run."""

from typing import Any, Final

from docutils import core, nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en

from bot.knowledge.blocks import Parsed
from bot.knowledge.readers.encoding import decode
from bot.knowledge.readers.html import html_blocks, parse
from bot.knowledge.readers.titles import titled
from graph import patterns

_SETTINGS: Final = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "initial_header_level": 2,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "stylesheet": None,
}
_BLOCK: Final = patterns.compile(r"^\s*\.\. ([\w:+.-]+)::", patterns.MULTI_LINE)
_WORD: Final = patterns.compile(r":([\w:+.-]+):`")
_ELSEWHERE: Final = ("include", "raw", "literalinclude")


def read(content: bytes) -> Parsed:
    """Parse the file, including the text of Sphinx directives. Raises `KnowledgeError` if it is no text."""
    text = decode(content)
    blocks, words = _BLOCK.findall(text), set(_WORD.findall(text))
    for name in set(blocks).difference(en.directives):
        directives.register_directive(name, _Container)
    for name in words.difference(en.roles):
        # The stubs ask for attributes that docutils sets itself.
        roles.register_local_role(name, _word)  # pyright: ignore[reportArgumentType]
    made: Any = core.publish_parts(text, writer="html4", settings_overrides=_SETTINGS)
    included = sum(map(blocks.count, _ELSEWHERE))
    notices = [f"What it includes from other files was not read ({included})."] if included else []
    return titled(Parsed(blocks=html_blocks(parse(made["html_body"])), notices=notices))


class _Container(Directive):
    """A directive of any name that keeps its text."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = None

    def run(self) -> list[nodes.Node]:
        container = nodes.container()
        text = " ".join(line for argument in self.arguments for line in argument.split("\n") if line[:1] != ":")
        if text:
            container += nodes.paragraph("", text)
        self.state.nested_parse(self.content, self.content_offset, container)
        return [container]


def _word(_name: str, _raw: str, text: str, *_rest: object, **_given: object) -> tuple[list[nodes.Node], list[Any]]:
    shown = text.partition("<")[0].strip() or text.strip("<>~! ")
    return [nodes.inline("", nodes.unescape(shown))], []
