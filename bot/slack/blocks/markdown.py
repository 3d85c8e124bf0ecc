"""What people's, models' and documents' words look like in Slack, made safe.

Nobody's text may call people, or link to an address that no source of ours holds: such an address can carry off what
it is made of. `markdown_tree` reads a text and writes it from its tree. The last step puts an invisible character into
Slack's own markup, because a part that was left out may have kept its two halves apart.
"""

import traceback
import warnings
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from typing import Final

from bot.slack.blocks.addresses import Links, linkable
from bot.slack.blocks.markdown_tree import INVISIBLE, fenced, parsed, written
from graph import patterns
from graph.text.credentials import REMOVED, redacted
from graph.text.invisible import in_one_line, visible

_MARKUP: Final = (
    patterns.compile(r"<(?:[@!#]|[a-z][a-z0-9+.-]*:)", patterns.IGNORE_CASE),
    patterns.compile(r"@(?:here|channel|everyone)", patterns.IGNORE_CASE),
)
_KEPT_WHOLE: Final = patterns.compile(
    r"`[^`\n]+`|\[(?:[^\[\]\\\n]|\\.)*\]\([^\s()]*(?:\([^\s()]*\)[^\s()]*)*\)|https?://[^\s<>`|]+"
)
"""Code within a line and links, as `safe` writes them."""


_TARGET: Final = patterns.compile(r"\]\([^\s()]*\)")
"""The end of a link, as `safe` writes it."""
_UNREAD: Final = dict.fromkeys(map(ord, "`*~[\\"))
"""Marks of Markdown. A reader sees what stands on both sides of one as one word."""
_LONGEST_TITLE: Final = 300
_LONGEST_TARGET: Final = 1000
_HALF: Final = patterns.compile(r"(?:&[a-z]{0,4}|<[^<>]*)\z")
"""A sign's name, or Slack's markup, that a cut has divided."""


class RenderingWarning(UserWarning):
    """A text could not be rendered, and is shown as plain text."""


def safe(text: str, *, links: Collection[str]) -> str:
    """Return Markdown without mentions, and without links other than `links` (http and https only)."""
    return "\n\n".join(safe_blocks(text, links=links))


def safe_blocks(text: str, *, links: Collection[str]) -> tuple[str, ...]:
    """Return what `safe` returns, block by block. More text changes the last one only."""
    return rendered_or_code(partial(_rendered, frozenset(links)), text)


def rendered_or_code(render: Callable[[str], tuple[str, ...]], text: str) -> tuple[str, ...]:
    """Return what `render` makes of a text; if it fails, the text as code, in which nothing works, and warn of it."""
    try:
        return render(text)
    except Exception as error:  # noqa: BLE001 (Whatever the text is, a person must see something.)
        return (_as_code(text, error),)


@lru_cache(maxsize=64)
def _rendered(links: frozenset[str], text: str) -> tuple[str, ...]:
    # Cached, because most pieces of a growing answer leave what can be shown of it as it was.
    return tuple(_uncalled(_without_credentials(block)) for block in written(parsed(_seen(text)), Links(links)))


@lru_cache(maxsize=1_024)
def _without_credentials(block: str) -> str:
    """Return a block of Markdown, or its text as code if a credential is whole once the markup is gone or unseen."""
    # Cached, because an answer that grows is rendered again and again, and most of its blocks stay as they are.
    read = REMOVED.join(part.translate(_UNREAD) for part in _TARGET.sub("", block).split(REMOVED))
    for text in (read, block):
        if (bare := redacted(text)) != text:
            return fenced(redacted(bare))
    return block


def _as_code(text: str, error: Exception) -> str:
    stood = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {stood.name}, line {stood.lineno}"
    warnings.warn(f"A text was shown as plain text, for rendering failed: {where}.", RenderingWarning, stacklevel=3)
    return _uncalled(fenced(_seen(text)))


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where links and code within a line begin and end: what may not be divided."""
    yield from (found.span() for found in _KEPT_WHOLE.finditer(text))


def pieces(text: str, *, limit: int) -> list[str]:
    """Divide `text` into pieces of at most `limit` characters, between paragraphs if possible, never within a link."""
    found: list[str] = []
    while len(text) > limit:
        end = _boundary(text, limit)
        found.append(text[:end].rstrip())
        text = text[end:].lstrip("\n ")
    return [*found, text] if text else found


@lru_cache(maxsize=512)
def escaped(text: str, *, limit: int | None = None) -> str:
    """Return plain text, or its beginning, as mrkdwn of at most `limit` characters that shows it, whatever is in it."""
    # First what is safe, then as much as there is room for: a part of a credential looks like none.
    text = _seen(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shortened(_uncalled(text), limit=limit) if limit else _uncalled(text)


def shortened(mrkdwn: str, *, limit: int) -> str:
    """Return as much of mrkdwn as there is room for; neither a sign's name nor a link is divided."""
    return mrkdwn if len(mrkdwn) <= limit else _HALF.sub("", mrkdwn[: limit - 1]) + "…"


@lru_cache(maxsize=512)
def plain(text: str, *, limit: int) -> str:
    """Return a text, or its beginning, as Slack shows it where it knows no markup: on buttons, in menus and titles.

    Slack refuses the whole message if one of these is empty.
    """
    # A key may be whole only once what nobody sees is gone.
    shown = redacted(in_one_line(text))
    return (shown if len(shown) <= limit else shown[: limit - 1] + "…") or "…"


@lru_cache(maxsize=512)
def linked(url: str | None, title: str) -> str:
    """Return mrkdwn of a title in one line, cut if it is long, that links to `url` if it can."""
    title = in_one_line(title)
    if url is None or len(url) > _LONGEST_TARGET or not linkable(url) or redacted(url) != url:
        return escaped(title, limit=_LONGEST_TITLE)
    target = url.replace("&", "&amp;").replace("@", "%40")  # "@here" calls people, wherever it stands.
    return f"<{target}|{escaped(title, limit=_LONGEST_TITLE).replace('|', '¦')}>"


def _seen(text: str) -> str:
    """Return a text without credentials, and without signs that nobody sees and that change what is seen."""
    return redacted(visible(text.replace("\r\n", "\n").replace("\r", "\n")))


def _uncalled(text: str) -> str:
    for markup in _MARKUP:
        text = markup.sub(lambda found: found[0][:1] + INVISIBLE + found[0][1:], text)
    return text


def _boundary(text: str, limit: int) -> int:
    ends = (text.rfind(mark, limit // 2, limit) for mark in ("\n\n", "\n", ". ", " "))
    end = next((end + 1 for end in ends if end >= 0), limit)
    return next((start for start, stop in spans(text) if 0 < start < end < stop), end)
