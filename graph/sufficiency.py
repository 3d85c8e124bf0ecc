"""The first line of a model's text, in which it says whether its evidence suffices (pure). People never see it.

`EVIDENCE: full`, `EVIDENCE: part: <what is missing>` or `EVIDENCE: none`, with any decoration. A text without such a
line stays as it is.
"""

from typing import Literal, TypedDict

from graph import patterns

Level = Literal["full", "part", "none", "unsaid"]


class Sufficiency(TypedDict):
    """How far the passages answer the question, by the writer's judgement."""

    level: Level
    missing: str
    """What the passages do not say; empty if nothing, or if the writer does not say."""


UNSAID = Sufficiency(level="unsaid", missing="")
HELD_BACK = 160
"""After this many characters, the text has no such line."""
LONGEST_LINE = 600

_LABELS = ("evidence", "evidenz", "belege", "evidência", "evidencia")
_LEVELS: tuple[tuple[Level, str], ...] = (
    ("full", "full|complete|voll|completa|total"),
    ("part", "part|teil|parcial"),
    ("none", "none|kein|nenhum|ningun|insufficient"),
)
_LINE = patterns.compile(
    rf"^[\W_]*(?:{'|'.join(_LABELS)})[*_`\"'\s]*[:=>：\-–—][\W_]*"
    rf"(?:{'|'.join(f'(?P<{level}>(?:{words}))' for level, words in _LEVELS)})\w*\b(?P<rest>[^\n]*)",
    patterns.IGNORE_CASE,
)
# A model may put its whole text between marks, also quotes, and end them with others. Code inside stays as it is, so
# this is no reader of Markdown.
_FENCE = patterns.compile(r"^\s*(?:```|~~~)[^\n`]*\n?")
_OPENS = patterns.compile(r"^\s*(?:```|~~~|\"\"\")")
_CLOSES = patterns.compile(r"\s*(?:```|~~~|\"\"\")\s*")
_TAG = patterns.compile(r"</?\w+>")
_BARE = patterns.compile(r"[\W_]*")
_DRESS = " \t:*_`\"'“”«»)(]>.-–—"


def read_line(line: str) -> tuple[Sufficiency, str] | None:
    """Return the line's statement and the rest of the line; `None` if it is another line."""
    found = _LINE.match(line)
    if found is None:
        return None
    level: Level = next(level for level, _ in _LEVELS if found[level])
    rest = _TAG.sub(" ", found["rest"]).lstrip(_DRESS).rstrip(" *_`\"'”»")
    if level == "part":
        return Sufficiency(level="part", missing=" ".join(rest.rstrip(_DRESS).split())), ""
    return Sufficiency(level=level, missing=""), rest if level == "full" else ""


class Opening:
    """Holds back the beginning of a text until it is clear whether it is such a line."""

    def __init__(self) -> None:
        self._held = ""
        self._fenced = False
        self._begun = False
        self.sufficiency: Sufficiency | None = None
        """The line's statement; `None` before it is clear."""

    def feed(self, piece: str) -> str:
        """Add a piece; return the text for people."""
        if self.sufficiency is not None:
            return self._from_its_beginning(self._unfenced(piece))
        self._held += piece
        return self._decided() if self._is_known() else ""

    def rest(self) -> str:
        """Return the rest, after the text has ended."""
        if self.sufficiency is None:
            return self._decided() + self._last()
        return self._last()

    def _is_known(self) -> bool:
        body = _without_fence(self._held).lstrip()
        start = _BARE.sub("", body, count=1).casefold()
        may_be = not start or any(label.startswith(start[: len(label)]) for label in _LABELS)
        if not may_be:
            return True
        is_line = bool(start) and "\n" in body and read_line(body) is not None
        return is_line or _has_line(body) or len(body) > (LONGEST_LINE if _LINE.match(body) else HELD_BACK)

    def _decided(self) -> str:
        opened = bool(_OPENS.match(self._held))
        body = _without_fence(self._held).lstrip()
        line, _, following = body.partition("\n")
        found = read_line(line)
        if found is None:
            self.sufficiency, self._begun = UNSAID, True
            text, self._held = self._held, ""
            return text
        self.sufficiency, rest = found
        self._fenced, self._held = opened, ""
        return self._from_its_beginning(self._unfenced(f"{rest}\n{following}" if rest else following))

    def _from_its_beginning(self, text: str) -> str:
        text = text if self._begun else text.lstrip()
        self._begun = self._begun or bool(text)
        return text

    def _unfenced(self, piece: str) -> str:
        """Drop the closing line of a fence around the text."""
        if not self._fenced:
            return piece
        self._held += piece
        *lines, self._held = self._held.split("\n")
        text = "".join(f"{line}\n" for line in lines if not self._closes(line))
        if not self._fenced:
            text, self._held = text + self._held, ""
        return text

    def _closes(self, line: str) -> bool:
        closes = self._fenced and _CLOSES.fullmatch(line) is not None
        self._fenced = self._fenced and not closes
        return closes

    def _last(self) -> str:
        text, self._held = self._held, ""
        return "" if self._closes(text) else self._from_its_beginning(text)


def _without_fence(text: str) -> str:
    return _FENCE.sub("", text, count=1) if _OPENS.match(text) else text


def _has_line(body: str) -> bool:
    line, end, _ = body.partition("\n")
    return bool(end) and bool(_BARE.sub("", line))
