"""A model's Markdown, made safe for Slack.

Two things may not get through, whoever wrote them into a document: mentions, which call people, and links that no
source of ours holds, which can carry off what they are made of. Links are taken apart and written anew; what is left
of an unknown one is its label, or its address as code, which nobody can click. Mentions are broken by an invisible
character, as the last step, for taking links apart could have joined the halves of one.
"""

import re
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator

_CODE = re.compile(
    r"""^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ ]{0,3}(?P=fence)[`~]*[^\S\n]*$
      | (?<![\\`])(?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_LINK = re.compile(
    r"""!?\[(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]
        \(\s*<?(?P<target>[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+["'(][^\n]*?["')])?\s*\)
      | <(?P<markup>[^<>\n]+)>
      | (?P<bare>\b(?:[a-z][a-z0-9+.-]*://|mailto:|tel:|www\.)[^\s<>`|\\]+)""",
    re.IGNORECASE | re.VERBOSE,
)
_MENTION = re.compile(r"(<)(?=[@!#])|(@)(?=here|channel|everyone)", re.IGNORECASE)
_DEFINITION = re.compile(r"^(\s{0,3}\[[^\]\n]+\]):", re.MULTILINE)
_ADDRESS = re.compile(r"https?://[^\s<>|\"`]{1,3000}", re.IGNORECASE)
_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_OPEN_END = re.compile(r"!?\[[^\[\]\n]*(?:\](?:\([^()\s]*)?)?\Z|<[^<>\s]*\Z|\S*(?:://|www\.)\S*\Z")

_INVISIBLE = "\u2060"


class RenderingWarning(UserWarning):
    """A text could not be rendered, and is shown as plain text."""


def safe(text: str, *, links: Collection[str]) -> str:
    """Return Markdown without mentions, and without links other than `links` (http and https only)."""
    allowed = frozenset(link for link in links if linkable(link))
    return total(lambda: _without_mentions("".join(_defused(text, allowed))), text)


def total(render: Callable[[], str], text: str) -> str:
    """Return what `render` returns; if it fails, the text as plain text, and a warning that does not hold the text."""
    try:
        return render()
    except Exception as error:  # noqa: BLE001 (Whatever the text is, a person must see something.)
        stood = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {stood.name}, line {stood.lineno}"
        warnings.warn(f"A text was shown as plain text, for rendering failed: {where}.", RenderingWarning, stacklevel=2)
        return escaped(text)


def settled(text: str) -> str:
    """Return the beginning of `text` whose safe form no continuation changes: without a construct left open."""
    masked = _CODE.sub(lambda match: "x" * len(match[0]), text)
    fence = _FENCE.search(masked)
    paragraph = masked.rfind("\n\n")
    tick = masked.find("`", max(paragraph, 0))
    open_end = _OPEN_END.search(masked)
    ends = (fence.start() if fence else -1, tick, open_end.start() if open_end else -1)
    return text[: min((end for end in ends if end >= 0), default=len(text))]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where links and code within a line begin and end: what may not be divided."""
    for pattern in (_CODE, _LINK):
        yield from (found.span() for found in pattern.finditer(text) if not found.groupdict().get("fence"))


def pieces(text: str, *, limit: int) -> list[str]:
    """Divide `text` into pieces of at most `limit` characters, between paragraphs if possible, never within a link."""
    found: list[str] = []
    while len(text) > limit:
        end = _boundary(text, limit)
        found.append(text[:end].rstrip())
        text = text[end:].lstrip("\n ")
    return [*found, text] if text else found


def escaped(text: str) -> str:
    """Return plain text as mrkdwn that shows it, whatever is in it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _without_mentions(text)


def linked(url: str | None, title: str) -> str:
    """Return mrkdwn of a title that links to `url` where it can."""
    if url is None or not linkable(url):
        return escaped(title)
    return f"<{url.replace('&', '&amp;')}|{escaped(title).replace('|', '¦')}>"


def linkable(url: str) -> bool:
    """Say whether a person may be offered `url` to click."""
    return _ADDRESS.fullmatch(url) is not None


def _without_mentions(text: str) -> str:
    return _MENTION.sub(lambda match: match[0] + _INVISIBLE, text)


def _defused(text: str, allowed: frozenset[str]) -> Iterator[str]:
    end = 0
    for code in _CODE.finditer(text):
        yield _defused_prose(text[end : code.start()], allowed)
        yield code[0]
        end = code.end()
    yield _defused_prose(text[end:], allowed)


def _defused_prose(text: str, allowed: frozenset[str]) -> str:
    parts: list[str] = []
    end = 0
    for match in _LINK.finditer(text):
        parts += [_unlinked(text[end : match.start()]), _rewritten(match, allowed)]
        end = match.end()
    return "".join([*parts, _unlinked(text[end:])])


def _unlinked(text: str) -> str:
    # What is left of a link that was too clever to be recognised must not work as one.
    return _DEFINITION.sub(r"\1 :", text).replace("](", "] (")


def _rewritten(match: re.Match[str], allowed: frozenset[str]) -> str:
    if match["bare"]:
        return _rewritten_address(match["bare"], allowed)
    if match["markup"]:
        return _rewritten_markup(match["markup"], allowed)
    label = _defused_prose(match["label"], frozenset())
    return f"[{label}]({match['target']})" if _known(match["target"], allowed) else label


def _rewritten_markup(markup: str, allowed: frozenset[str]) -> str:
    target, _, label = markup.partition("|")
    if _known(target, allowed):
        return f"[{_defused_prose(label, frozenset())}]({target})" if label else target
    inner = _defused_prose(label or target, allowed)
    if not target:
        return f"<|{inner}>"
    # Whatever is no address, mention or label is somebody's placeholder, such as <name>.
    return inner if label or inner != target or target.startswith(("@", "!", "#")) else f"<{inner}>"


def _rewritten_address(address: str, allowed: frozenset[str]) -> str:
    url = address.rstrip(".,;:!?'\"*_]")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:!?'\"*_]")
    rest = address[len(url) :]
    return url + rest if _known(url, allowed) else f"`{url}`{rest}"


def _known(url: str, allowed: frozenset[str]) -> bool:
    return url in allowed or url.partition("#")[0] in allowed


def _boundary(text: str, limit: int) -> int:
    ends = (text.rfind(mark, limit // 2, limit) for mark in ("\n\n", "\n", ". ", " "))
    end = next((end + 1 for end in ends if end >= 0), limit)
    kept_whole = [match.span() for pattern in (_CODE, _LINK) for match in pattern.finditer(text)]
    return next((start for start, stop in kept_whole if 0 < start < end < stop), end)
