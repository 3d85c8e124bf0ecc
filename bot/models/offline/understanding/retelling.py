"""An answer told again in another form, or one point of it: code picks and orders its sentences (pure)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from graph import patterns
from graph.asking.replies import LAST
from graph.memory import CUT
from graph.text.grounding import citations, sentences
from graph.text.words import NUMBER_WORDS, language_of

SEVERAL = 2
"""Points of an answer of which one can be meant."""

_COUNT = (
    r"(?:(?P<{name}>\d|an?|one|two|three|four|five|six|einem?r?|zwei|drei|vier|fünf|sechs|uma?|dois|duas|três|quatro"
    r"|cinco|seis) )?"
)
_HOW = r"(?:(?:short|single|brief|a few|some|kurzen?|wenigen|paar|key|main|curt[oa]s?|poucas|poucos) )*"
_SHAPE = (
    rf"(?:in|into|as|with|to) {_COUNT.format(name='points')}{_HOW}(?:bullets?|bullet[ -]points?|points)(?: list)?"
    rf"|(?:in|em|n)? ?{_COUNT.format(name='sentences')}{_HOW}(?:sentences?|lines?|satz|sätzen|zeilen?|frases?|linhas?)"
    r"|(?:as|into|in|like) (?:a |an )?(?:bullet(?:ed|[ -]point)? |numbered |simple |short )*list"
    r"|(?:bullets|bullet[ -]points)(?: only)?"
    r"|(?:als|in) (?:eine[r]? |kurze[rn]? )*(?:liste|aufzählung|listenform|stichpunkten?|stichworten|stichwörtern)"
    rf"|(?:in|mit) {_COUNT.format(name='german')}{_HOW}(?:stich)?punkten"
    r"|(?:em|por|com|n)? ?(?:(?:uma|forma de) )*(?:como |numa |em )?lista"
    rf"|(?:em|por) {_COUNT.format(name='portuguese')}{_HOW}(?:tópicos?|pontos)"
)
_BEFORE = (
    r"and|can|could|would|will|you|u|please|pls|now|ok(?:ay)?|then|give|make|turn|put|write|show|say|tell|repeat|format"
    r"|list|rewrite|rephrase|summari[sz]e|sum|up|answer|me|us|it|that|this|these|them|the|your|last|same|all|again|just"
    r"|und|bitte|kannst|könntest|du|sag|sage|zeig|zeige|schreib|schreibe|gib|mach|mache|fasse?|das|es|dies|mir|uns|die"
    r"|deine|antwort|nochmal|noch mal|einfach|e|por favor|podes|pode|diz|dá|mostra|escreve|põe|resume|repete|isso|isto"
    r"|o|a|tua|resposta|me"
)
_AFTER = r"please|pls|again|instead|now|only|thanks|thank you|for me|bitte|zusammen|nochmal|danke|por favor|outra vez"
_WISH = patterns.compile(rf"(?:(?:{_BEFORE})[ ,:]+)*(?:{_SHAPE})(?:[ ,]+(?:{_AFTER}))*[\s.!?]*", patterns.IGNORE_CASE)
_SENTENCES = patterns.compile(r"\b(?:sentences?|lines?|satz|sätzen|zeilen?|frases?|linhas?)\b", patterns.IGNORE_CASE)
_ITEM = patterns.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_LABEL_ENDS = patterns.compile(r":[*_]*$")
_KEPT_WHOLE = patterns.compile(r"^\s*(?:```|~~~|\|)", patterns.MULTI_LINE)
"""Code and tables have a form of their own."""


class Shape(NamedTuple):
    """The form in which somebody wants an answer."""

    kind: Literal["list", "sentences"]
    size: int
    """How many points or sentences; 0 if that was not said."""


class _Parts(NamedTuple):
    """An answer without what is said about it at its end."""

    lead: str
    """What stands before the first statement with a source, such as "I am not sure."."""
    paragraphs: list[str]


def shape_of(said: str) -> Shape | None:
    """Return the form that a message wishes for, if it says nothing else: "in three bullets"."""
    found = _WISH.fullmatch(said.strip())
    if found is None:
        return None
    count = next((found[name] for name in ("points", "sentences", "german", "portuguese") if found.has(name)), "")
    is_list = _SENTENCES.search(said) is None
    return Shape("list" if is_list else "sentences", _number(count) or (0 if is_list else 1))


def reshaped(answer: str, shape: Shape) -> str:
    """Return an answer in another form. A list holds all of it, in as many points as were asked for.

    As many paragraphs as points are one point each: a paragraph may begin with its section's name.
    """
    if _KEPT_WHOLE.search(answer):
        return answer
    parts = _parts_of(answer)
    said = _statements(parts.paragraphs)
    if shape.kind == "sentences":
        told = " ".join([one for one in said if one != CUT][: shape.size])
    else:
        is_even = len(parts.paragraphs) == shape.size
        own = [_statements([paragraph]) for paragraph in parts.paragraphs]
        told = "\n".join(f"- {' '.join(one)}" for one in (own if is_even else _dealt(said, shape.size or len(said))))
    return "\n\n".join(filter(None, [parts.lead, told]))


def point(answer: str, place: int) -> str:
    """Return one point of an answer that has several; empty if it has none at this place."""
    head, is_cut, tail = answer.partition(CUT)
    first = _points(_parts_of(head).paragraphs)
    if place == LAST:
        found = _points(_parts_of(tail if is_cut else answer).paragraphs)
        return found[-1] if is_cut or len(found) >= SEVERAL else ""
    return first[place - 1] if len(first) >= max(SEVERAL, place) else ""


def _parts_of(answer: str) -> _Parts:
    paragraphs = [one.strip() for one in answer.split("\n\n") if one.strip()]
    cited = [place for place, one in enumerate(paragraphs) if citations(one)]
    if not cited:
        return _Parts("", paragraphs)
    first, last = cited[0], cited[-1]
    # A label alone belongs to what stands below it.
    while first and _LABEL_ENDS.search(paragraphs[first - 1]) and paragraphs[first - 1].startswith("**"):
        first -= 1
    return _Parts("\n\n".join(paragraphs[:first]), paragraphs[first : last + 1])


def _statements(paragraphs: list[str]) -> list[str]:
    """Return the sentences, items and rows; a label stays with what it names."""
    told: list[str] = []
    for one in (one for paragraph in paragraphs for one in sentences(paragraph, language_of(paragraph))):
        if told and _LABEL_ENDS.search(told[-1]):
            told[-1] = f"{told[-1]} {one}"
        else:
            told.append(one)
    return told


def _points(paragraphs: list[str]) -> list[str]:
    """Return what people count as points: the items of a list, else the paragraphs, else the sentences."""
    lines = [line.strip() for paragraph in paragraphs for line in paragraph.splitlines()]
    items = [_ITEM.sub("", line, count=1) for line in lines if _ITEM.match(line)]
    if len(items) >= SEVERAL:
        return items
    return paragraphs if len(paragraphs) >= SEVERAL else _statements(paragraphs)


def _dealt(said: Sequence[str], count: int) -> list[Sequence[str]]:
    """Return the statements in order in so many groups of nearly the same size, or in fewer."""
    groups = min(count, len(said))
    bounds = [place * len(said) // groups for place in range(groups + 1)] if groups else [0]
    return [said[begins:ends] for begins, ends in pairwise(bounds)]


def _number(word: str) -> int:
    if word.isdecimal():
        return int(word)
    return int(NUMBER_WORDS.get(word.casefold(), "1" if word else "0"))
