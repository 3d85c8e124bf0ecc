"""What a question names, and whether anything that was found knows of it (pure).

A word that no document holds may be said in another way ("holiday" for "vacation"); a name may not. Where nothing
speaks of Munich, what is said of Porto is no answer.
"""

import re

from graph.passages import Passage
from graph.text.words import STOP_WORDS, content_words, language_of

_PHRASE_START = re.compile(
    r"(?:^|[.!?:;\n]\s*)[\"'“‘(\[*_`>-]*\s*\w+[^\w\s]*"
    r"|(?:[\"“(\[/|]|\s[-–—]\s)\s*\w+(?=[\s-]+\w)"
)
"""The first word of a sentence, or of several words in brackets or quotes or after a dash: people write it with a
capital whatever it is."""
_NAME = re.compile(r"(?<![\w'’])(?P<name>[A-ZÀ-Þ][a-zà-ÿ]\w*(?:-\w+)*)")
_IDENTIFIER = re.compile(
    r"\b(?=\w*\d)(?=\w*[^\W\d_])(?!\d+(?:st|nd|rd|th|h|hrs?|am|pm|min|gb|mb|kb|tb|km|kg|cm|mm|eur|k|x)\b)\w+\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:error|fault|code|version|release|firmware|model|room|ring|extension|fehler|raum|versão|erro|sala)"
    r"\s+(?:code\s+|number\s+|no\.?\s+|nr\.?\s+)?(?P<number>\d+(?:\.\d+)*)\b",
    re.IGNORECASE,
)
_WHITHER = re.compile(
    r"\b(?:to|from|with|towards?|into|like|than|via|nach|von|mit|para|com)\s+(?:the\s+)?$", re.IGNORECASE
)
"""A rule for any place holds for the one that somebody travels to; a rule for an office does not."""
_NO_NAMES = frozenset(
    content_words(
        """
        January February March April May June July August September October November December Monday Tuesday Wednesday
        Thursday Friday Saturday Sunday Christmas Easter New Year English German Portuguese French Spanish Italian
        European Europe Slack Askback Hi Hello Hey Thanks Please Mr Mrs Ms Dr
        """
    )
)


def names(question: str) -> list[str]:
    """Return a question's capitalised words within sentences, identifiers, and numbers of errors and versions."""
    starts = [match.span() for match in _PHRASE_START.finditer(question)]
    found = [*codes(question), *(match[0] for match in _IDENTIFIER.finditer(question))]
    # German writes every noun with a capital.
    if language_of(question) != "de" and not _is_headline(question):
        found += [
            match["name"]
            for match in _NAME.finditer(question)
            if not any(start <= match.start() < end for start, end in starts)
            and not _WHITHER.search(question[: match.start()])
        ]
    return [name for name in dict.fromkeys(found) if _is_telling(name)]


def codes(question: str) -> list[str]:
    """Return the numbers of errors, versions, rooms and the like: what is said of one says nothing of another."""
    return [match["number"] for match in _NUMBERED.finditer(question)]


def unknown_names(question: str, passages: list[Passage]) -> list[str]:
    """Return the names in a question that none of the passages holds, nor anything that stands above them."""
    held = {word for passage in passages for word in _held(passage)}
    return [name for name in names(question) if not held.issuperset(content_words(name))]


def _held(passage: Passage) -> list[str]:
    above = [passage["title"], *passage["heading_path"], *passage["attributes"].values()]
    return content_words(" ".join([*above, re.sub(r"[/_.-]+", " ", passage["path"]), passage["text"]]))


def _is_telling(name: str) -> bool:
    stems = content_words(name)
    return bool(stems) and not set(stems) <= _NO_NAMES and name.casefold() not in STOP_WORDS


def _is_headline(question: str) -> bool:
    """Whether capitals tell nothing, for every word that tells something has one."""
    telling = [word for word in re.findall(r"[^\W\d_]{2,}", question) if word.casefold() not in STOP_WORDS]
    return len(telling) > 1 and all(word[0].isupper() for word in telling)
