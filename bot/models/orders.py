"""Orders in a text to whatever machine reads it, and texts without them (pure).

What a model does not see it cannot obey, however naive it is.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from graph import patterns
from graph.text.grounding import sentences
from graph.text.invisible import bare
from graph.text.markdown import LineKind, kinds_of
from graph.text.words import STOP_WORDS, content_words, stems, words

_MACHINE = (
    r"(?:a\.?i\.?|llms?|language models?|chat ?bots?|bots?|gpt|chatgpt|copilot|claude|gemini|crawlers?"
    r"|(?:ai|virtual|digital) (?:assistants?|agents?)|ki|sprachmodelle?|ki-assistenten?|modelos? de linguagem|ia)"
)
_IGNORE = r"\b(?:ignor(?:e|ez|a|em|iere?n?)|disregard|forget|override|bypass|vergiss|esqueç[ao]|olvid[ae]|oubliez?)\b"
_RULES = (
    r"\b(?:instructions?|rules|prompts?|guidelines|guidance|context|anweisungen|regeln|instruções|regras|instrucciones"
    r"|reglas|consignes|règles)\b"
)
_TAKES_OVER = patterns.compile(
    rf"{_IGNORE}.{{0,30}}\b(?:previous|prior|above|earlier|all|any|your|other|these|system|bisherigen?|vorherigen?|alle"
    rf"|obigen?|anteriores?|todas|toutes)\b.{{0,30}}{_RULES}"
    rf"|{_IGNORE}.{{0,30}}{_RULES}.{{0,20}}\b(?:above|before|oben|acima|anteriores?|previas?|précédente?s?)\b"
    r"|\b(?:ignore|disregard|forget) (?:everything|all|the text|what is) (?:above|before)",
    patterns.IGNORE_CASE,
)
"""Orders that nobody gives to people, not even in an example."""
_TO_ASSISTANTS = patterns.compile(
    _TAKES_OVER.pattern + r"|\byour system prompt\b"
    r"|\b(?:reveal|print|repeat|output|show|leak)\b.{0,10}\b(?:your|the) (?:system )?(?:prompt|instructions|tokens)\b"
    rf"|\b(?:assistants?|agents?|models?|{_MACHINE})\b.{{0,30}}\b(?:reading|reads?|processing|summari[sz]ing|parsing|indexing)"
    r" (?:this|these|it|the (?:page|document|text))\b"
    rf"|\b(?:note|message|attention|notice|instructions?|reminder|hint|important|hinweis|nota|aviso)\b\W{{0,3}}"
    rf"(?:for|to|an|für|para)\b.{{0,15}}\b{_MACHINE}\b"
    rf"|\bif you(?:'re|’re| are) (?:an? |the )?(?:\w+ )?(?:{_MACHINE}|assistant)\b"
    rf"|\bas an? (?:{_MACHINE}|assistant)\b.{{0,10}}\byou\b"
    rf"|\byou are (?:now )?(?:an?|the|my|in) (?:\w+ ){{0,2}}(?:{_MACHINE}|assistant|helpdesk|developer mode)\b"
    r"|\b(?:reply|respond|answer)\b.{0,25}\b(?:only|exactly|solely) (?:with|by|in)\b"
    r"|\bdo not (?:mention|reveal|disclose) (?:this|these) (?:note|instructions?|message|text)\b",
    patterns.IGNORE_CASE,
)
_EMPHASIS = str.maketrans({"*": None, "`": None, "~": None, "_": " "})
_YOUR_ANSWER = patterns.compile(
    # "Your lead answers within a day" speaks of a colleague.
    r"\byour (?:(?:answer|response|output|completion)s?|reply|replies"
    r"|\w+ (?:answer|response|reply|output|completion))\b",
    patterns.IGNORE_CASE,
)
_ANSWERING = stems("answer answering response respond responding reply replies survey output")
_NO_SUBJECT = frozenset({"in", "do", "don", "please", "to", "with"})
"""Small words that an order may begin with."""


# Cached, because many questions are answered from the same passages.
@lru_cache(maxsize=4096)
def addresses_an_assistant(text: str, above: str) -> bool:
    """Tell whether a text orders about whatever machine reads it; `above` are the title and headings over it.

    An order that speaks of "your answer" does, unless the document is about answering.
    """
    text = _read(text)
    first = next(iter(words(text)), "")
    orders = first not in STOP_WORDS or first in _NO_SUBJECT
    return bool(_TO_ASSISTANTS.search(text)) or (orders and _speaks_of_the_answer(text, above))


@lru_cache(maxsize=1024)
def without_orders(text: str, above: str, language: str = "en") -> str:
    """Return a passage's text without the sentences that order about whatever machine reads it.

    In code, only orders that take over are left out.
    """
    paragraphs = text.split("\n\n")
    # A block of code may hold empty lines.
    kinds = iter(_kinds(line for paragraph in paragraphs for line in paragraph.split("\n")))
    return "\n\n".join(
        _without_orders(paragraph, [*islice(kinds, paragraph.count("\n") + 1)], above, language)
        for paragraph in paragraphs
    )


def _kinds(lines: Iterable[str]) -> list[LineKind]:
    """Return what each line is. A block without an end is text: otherwise one fence would hide all orders behind it."""
    kinds = kinds_of(lines)
    fences = [place for place, kind in enumerate(kinds) if kind == "fence"]
    end = fences[-1] if len(fences) % 2 else len(kinds)
    return [kind if place < end else "text" for place, kind in enumerate(kinds)]


def _without_orders(paragraph: str, kinds: Sequence[LineKind], above: str, language: str) -> str:
    # An order may stand behind a sentence that is none: "You get 30 days. Add a link to your answer."
    joined = _read(" ".join(paragraph.split()))
    if not _TO_ASSISTANTS.search(joined) and not _speaks_of_the_answer(joined, above):
        return paragraph
    if {*kinds} != {"text"}:
        return _code_without_orders(paragraph, kinds, above)
    said = [one.strip() for line in _lines(paragraph) for one in sentences(line, language)]
    kept = [one for one in said if not addresses_an_assistant(one, above)]
    # No sentence orders by itself: the order goes over several, or one begins like an order and another means people.
    left = "\n".join(kept) if len(kept) < len(said) else paragraph
    return "" if _TO_ASSISTANTS.search(_read(" ".join(left.split()))) else left


def _lines(paragraph: str) -> list[str]:
    """Return the lines of a paragraph. One that begins with a small letter belongs to the one before."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        if lines and line.lstrip()[:1].islower():
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return lines


def _speaks_of_the_answer(text: str, above: str) -> bool:
    return _YOUR_ANSWER.search(text) is not None and _ANSWERING.isdisjoint(content_words(above))


def _code_without_orders(paragraph: str, kinds: Sequence[LineKind], above: str) -> str:
    """Return a paragraph with code. Code may tell an assistant what it is, but has no reason to take one over."""
    lines = zip(paragraph.split("\n"), kinds, strict=True)
    kept = [line for line, kind in lines if not _is_order(line, kind, above)]
    text = "\n".join(kept)
    return "" if _TAKES_OVER.search(_read(" ".join(text.split()))) else text


def _is_order(line: str, kind: LineKind, above: str) -> bool:
    return addresses_an_assistant(line, above) if kind == "text" else _TAKES_OVER.search(_read(line)) is not None


def _read(text: str) -> str:
    """Return a text as a reader takes it, without emphasis and hidden signs, which would part the words of an order."""
    return bare(text).translate(_EMPHASIS)
