"""What a question about pasted code is searched for: its words, and the names in the code that the documents hold.

Code is mostly what documents do not say: values, paths, whole logs. What it shares with them says what it is about.
"""

from typing import Final

from graph import patterns
from graph.passages import Passage
from graph.text.relevance import words_of
from graph.text.words import STOP_WORDS, content_words, stems, words

# In Slack, code also begins and ends within a line. There, tildes are words.
_MARK = patterns.compile(r"`{3,}|^[ \t]*~{3,}", patterns.MULTI_LINE)
_NAME = patterns.compile(r"[A-Za-z][\w.-]*[\w]")
MOST_NAMES: Final = 6
"""Names of the code that are searched for: the rarest in what was found."""
_SHORTEST: Final = 3
"""Letters of a name."""


def about_code(question: str, passages: list[Passage]) -> str:
    """Return a question about pasted code without its fences; empty if it has none, or says nothing beside it.

    `passages` were found for the question with all its code.
    """
    said, code = _parted(question)
    if not words(code) or not words(said):
        return ""
    return f"{said.rstrip(' :?.')}: {' '.join(_telling(code, passages))}?"


def _parted(question: str) -> tuple[str, str]:
    """Return what a question says, in one line, and its code. A mark within a line that nothing ends begins none."""
    said, code = list[str](), list[str]()
    mark, begins = "", 0
    for found in _MARK.finditer(question):
        sign = found[0].strip()
        # Another mark, or a shorter one, is code.
        if sign.startswith(mark):
            (code if mark else said).append(question[begins : found.start()])
            mark, begins = "" if mark else sign, found.end()
    before = question[:begins].rpartition("\n")[2].removesuffix(mark)
    (code if mark and not before.strip() else said).append(question[begins:])
    return " ".join(" ".join(said).split()), "\n".join(code)


def _telling(code: str, passages: list[Passage]) -> list[str]:
    """Return the names that tell the most: those that few passages hold, but some do; the first ones if none does."""
    every = dict.fromkeys(name for name in _NAME.findall(code) if len(name) >= _SHORTEST and _is_name(name))
    held = [words_of(passage) for passage in passages]
    holding = {name: sum(stems(name) <= known for known in held) for name in every}
    # An error's code says more than the words around it.
    known = sorted(filter(holding.get, every), key=lambda name: (name.isalpha(), holding[name]))
    return (known or list(every))[:MOST_NAMES]


def _is_name(name: str) -> bool:
    return bool(content_words(name)) and name.casefold() not in STOP_WORDS
