"""Removes a model's reasoning, and the marks that it copies, from its text (pure)."""

from dataclasses import dataclass

from bot.markup import storable
from graph import patterns
from graph.context import ModelError

_FINAL = patterns.compile(
    r"(?P<marked>(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*final[^\n]{0,60}?<\|message\|>)|assistant\s?final"
)
_THOUGHT = patterns.compile(r"<think(?:ing)?>.*?</think(?:ing)?>\s*", patterns.DOT_ALL)
_MARK = patterns.compile(r"<\|[a-z_]{1,20}\|>|</?[a-z]{4,12}(?: \d{1,3})? [0-9a-f]{12,20}>\n?")
"""A mark of a chat template, or a line of a fence (`prompts.fencing`). Small models copy both."""
_LONGEST_MARK = 30
"""Characters of a mark; what is longer and still open is the text's own."""
_MAY_THINK = ("<|", "<think", "analysis")
_CLOSED = patterns.compile(r"</think(?:ing)?>\s*")


class DraftCutError(ModelError):
    """The stream ended early, so the text that it yielded does not count."""


@dataclass
class Thinking:
    """How a model marks its reasoning, learnt from its streams."""

    closes_only: bool = False
    """Whether only the end of the reasoning is marked, because the server's template opens it."""


def without_thoughts(text: str) -> str:
    """Return the text after the last reasoning."""
    if _thinks(text):
        ends = _ends(text)
        text = text[ends[-1] :] if ends else _THOUGHT.sub("", text)
        # Reasoning without an end leaves no text.
        is_thought = not ends and _thinks(text) and ("<|channel|>" in text or "<|message|>" not in text)
        text = "" if is_thought else text
    elif closes := [] if text.lstrip().startswith("{") else list(_CLOSED.finditer(text)):
        text = text if "<think" in text[: closes[0].start()] else text[closes[-1].end() :]
    return _MARK.sub("", text)


class Stripping:
    """A stream whose reasoning is removed."""

    def __init__(self, thinking: Thinking) -> None:
        self._held = ""
        self._speaks = False
        self._thinking = thinking
        self._opened = False

    def feed(self, piece: str) -> str:
        """Take a piece, and return the text that may be shown now.

        Raises `DraftCutError` if text that was already shown turns out to be reasoning. The next stream then waits for
        the end of it.
        """
        self._held += storable(piece)
        if not self._speaks and not self._begins_to_speak():
            return ""
        self._speaks = True
        self._opened = self._opened or "<think" in self._held
        if not self._opened and _CLOSED.search(self._held):
            self._thinking.closes_only = True
            raise DraftCutError("The language model thought aloud.")
        return self._released()

    def rest(self) -> str:
        """Return the remaining text after the end of the stream."""
        text, self._held = self._held, ""
        return _MARK.sub("", text) if self._speaks else without_thoughts(text)

    def _begins_to_speak(self) -> bool:
        start = self._held.lstrip()
        if self._thinking.closes_only and not _thinks(start):
            said = without_thoughts(self._held) if _CLOSED.search(self._held) else ""
            self._held = said or self._held
            return bool(said)
        if not _thinks(start):
            return bool(start) and not any(opening.startswith(start[: len(opening)]) for opening in _MAY_THINK)
        said = without_thoughts(self._held) if _ends(self._held) or _THOUGHT.search(self._held) else ""
        if not said.strip():
            return False
        self._held = said
        return True

    def _released(self) -> str:
        """Release the held text, up to a mark that is not complete."""
        opened = self._held.rfind("<")
        is_half = opened >= 0 and ">" not in self._held[opened:] and len(self._held) - opened < _LONGEST_MARK
        cut = opened if is_half else len(self._held)
        text, self._held = self._held[:cut], self._held[cut:]
        return _MARK.sub("", text)


def _thinks(text: str) -> bool:
    start = text.lstrip()
    rest = start.removeprefix("analysis")
    is_named = rest != start and (rest in ("", "\n") or not (rest[0].isspace() or "a" <= rest[0] <= "z"))
    return is_named or start.startswith(("<|", "<think"))


def _ends(text: str) -> list[int]:
    """Return where each reasoning ends, if text follows."""
    said = len(text.rstrip())
    return [match.end() for match in _FINAL.finditer(text) if match.has("marked") or match.end() < said]
