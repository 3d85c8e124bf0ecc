"""Hostile strings by the thousand, through everything that people see: nobody is called, nothing unknown is clickable.

What may be clicked is decided by others than us: a CommonMark parser that finds addresses by itself, and Slack's own
markup. `make guard` tries a million; the same strings without us show what they would have done.
"""

import io
import os
import random
from collections.abc import Iterator
from typing import Final

import pytest
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.cli.ask import print_answer
from bot.cli.console import Terminal
from bot.slack.blocks.answers import notification, source_line
from bot.slack.blocks.cards import open_card
from bot.slack.blocks.markdown import escaped, safe
from bot.slack.blocks.markdown_prefix import settled
from bot.slack.presenter.stream_diff import Streamed, news
from bot.slack.presenter.view import View
from graph import patterns
from graph.events import AnswerCompleted, Option
from graph.passages import Source

STRINGS: Final = int(os.environ.get("GUARD_STRINGS", "4000"))
CHUNKS: Final = 8
DOC: Final = "https://docs.example/leave"
PIECES: Final = [
    *"< > | @ ! # [ ] ( ) ` `` ``` ~~~ \\ * ** _ __ & ; : / . , - + = ~ 1. \" ' \t".split(" "),
    "\n", "\n\n", "\n> ", "\n- ", "\n    ", "\n| a | b |\n|---|---|\n| ", " | ", "\n# ", "\n---\n", "\n```\n",
    "\n[x]: ", " ", " ", "a", "word", "[label](", "![i](", "](", "<http", "&lt;", "&#64;", "&#x3c;", "\u200b", "\u202e",
    "\0", "\r", "@here", "@channel", "@everyone", "<!here>", "<!channel|x>", "<@U0BEN>", "<#C1|g>", "<!subteam^S1>",
    "here", "channel", "https://evil.example/?q=", "http:evil.example", "http://", "https:", "//evil.example",
    "javascript:alert(1)", "data:text/html,x", "www.evil.example", "mailto:a@evil.example", "a@evil.example",
    "evil.example/login", "evil.com", "tel:1", "slack://x", "<https://evil.example|our page>",
    "[win](https://evil.example)", "[win](<https://evil.example>)", DOC, f"[page]({DOC})", f"<{DOC}|page>",
    "ftp://evil.example", "x:", "ev", "il", ".example", "htt", "ps://", "`https://evil.example`",
    "xoxb-1234567890-abcdefgh", "xoxb-", "12345678", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2", "\x1b[2J", "\x9b31m",
]  # fmt: skip
SECRETS: Final = patterns.compile(r"xoxb-[\w-]*\d[\w-]{7,}|ghp_[A-Za-z0-9]{20,}")
STEERING: Final = frozenset(map(chr, (*range(9), *range(11, 32), *range(0x7F, 0xA0), *range(0x202A, 0x202F))))
CALLS: Final = patterns.compile(r"<[@!#]|@(?:here|channel|everyone)", patterns.IGNORE_CASE)
SLACK_LINK: Final = patterns.compile(r"<([a-z][a-z0-9+.-]*:[^<>|\s]+)(?:\|[^<>]*)?>", patterns.IGNORE_CASE)
ADDRESSES: Final = LinkifyIt(options={"fuzzy_email": True, "fuzzy_link": False})
READERS: Final = [
    MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]),
    # One who knows lines only: a list, a quotation and a table must not hide anything.
    MarkdownIt("commonmark", {"html": False}).disable(["blockquote", "list", "heading", "hr", "code"]),
]


def hostile(seed: int, count: int) -> Iterator[str]:
    """Yield strings that are made of what attacks are made of."""
    chance = random.Random(seed)
    for _ in range(count):
        yield "".join(chance.choices(PIECES, k=chance.randint(1, 24)))


def clickable(text: str) -> set[str]:
    """Return the addresses that somebody who reads Markdown, or Slack's markup, may make links of."""
    found = {match[1] for match in SLACK_LINK.finditer(text)}
    for reader in READERS:
        for token in walk(reader.parse(text)):
            if token.type in ("link_open", "image"):
                found.add(str(token.attrs.get("href") or token.attrs.get("src")))
    for token in walk(READERS[0].parse(text)):
        if token.type == "text":
            found |= {match.url for match in ADDRESSES.match(token.content) or []}
    return found


def walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from walk(token.children or [])


def is_known(url: str) -> bool:
    return url.partition("#")[0] in (DOC, "") or url in ("", DOC)


def faults(text: str) -> set[str]:
    calls = {match[0] for pattern in (CALLS, SECRETS) for match in pattern.finditer(text)} | STEERING.intersection(text)
    return calls | {url for url in clickable(text) if not is_known(url)}


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_nobody_is_called_and_nothing_unknown_can_be_clicked(seed: int) -> None:
    found, as_it_was = dict[str, set[str]](), 0
    for text in hostile(seed, STRINGS // CHUNKS):
        as_it_was += bool(faults(text))
        if wrong := faults(safe(text, links=(DOC,))):
            found[text] = wrong
    print(f"{STRINGS // CHUNKS} strings: {len(found)} got through, {as_it_was} would have without us.")  # noqa: T201

    assert {} == found
    assert as_it_was > STRINGS // CHUNKS // 2


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_what_grows_shows_nothing_else_and_mostly_goes_on_from_what_was_shown(seed: int) -> None:
    found, begun_anew, tries = dict[str, set[str]](), 0, 0
    for text in hostile(seed, STRINGS // CHUNKS // 4):
        whole = safe(text, links=(DOC,))
        for end in {text.find(" ", at) + 1 for at in (0, len(text) // 3, len(text) // 2)} - {0}:
            shown = safe(settled(text[:end]), links=(DOC,)).rstrip()
            tries += 1
            begun_anew += not whole.startswith(shown)
            if wrong := faults(shown):
                found[text[:end]] = wrong
    print(f"{tries} prefixes: {len(found)} got through, {begun_anew} had to be written anew.")  # noqa: T201

    assert {} == found
    assert begun_anew <= 0.02 * tries


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_cards_notifications_and_sources_call_nobody_and_tell_no_secret(seed: int) -> None:
    found: dict[str, list[str]] = {}
    for text in hostile(seed, STRINGS // CHUNKS // 8):
        source = Source(number=1, title=text, heading=text, url=text, dated=text, passage_id=1)
        ended = AnswerCompleted(outcome="answered", text=text, notes=(text,), sources=(source,))
        streamed = news(Streamed(), View(ending=ended, sources=(source,)))
        shown = [
            escaped(text),
            notification(text),
            source_line(source),
            *(str(block.get("text")) for block in open_card("T", text, [Option(id="1", label=text)])),
            *(chunk["text"] for chunk in (streamed.chunks if streamed else ()) if "text" in chunk),
        ]
        if called := [match[0] for each in shown for one in (CALLS, SECRETS) for match in one.finditer(each)]:
            found[text] = called

    assert {} == found


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_nothing_steers_a_terminal(seed: int) -> None:
    written = io.StringIO()
    terminal = Terminal(file=written, width=200)
    for text in hostile(seed, STRINGS // CHUNKS // 8):
        source = Source(number=1, title=text, heading=text, url=text, dated=text, passage_id=1)
        answer = AnswerCompleted(outcome="admitted", text=text, notes=(text,), sources=(source,))
        print_answer(terminal, answer, streamed=True)

    assert set() == STEERING.intersection(written.getvalue())
