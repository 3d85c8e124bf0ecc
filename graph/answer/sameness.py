"""Whether two questions are the same, or differ in one word, so that one may need the other's answer (pure).

Likeness does not tell: "for EU orders" and "for US orders" are more alike than most paraphrases. So two questions are
the same only if they have the same words, but for those that change no answer.
"""

from collections.abc import Sequence

from graph import patterns
from graph.text.lexicon import CONTRACTIONS, DENYING_CONTRACTIONS
from graph.text.names import names
from graph.text.words import content_words, quantities, stem, words
from graph.verified import Candidate, NearMiss

FEWEST = 2
"""A question with fewer content words points to something else: "Is that allowed?"."""
ALIKE = 0.4
"""Least share of content words in common of two questions of which one word differs."""
_IDLE_WORDS = frozenset(
    """
        a about an and any are as at be been being can could did do does doing for gets get got has have having
        hello hey hi i in is its just may me might my now of on our please re should so some thanks than that
        the there these this those to was we were what which will with would you your aber also am an auch auf bei
        beim bin bitte da danke das dem den denn der des die dies diese dieser dieses du ein eine einem einen einer
        eines er es für gibt hab habe haben hat hatte ich ihr im in ins ist ja kann kannst können könnte man mein
        meine meinem meinen meiner mich mir mit sich sie sind so um und uns unser unsere war was welche welchem
        welchen welcher welches wir wird zu zum zur ao aos as com da das de do dos e em era essa esse esta está este
        estes estas fica isso isto já lhe me meu minha meus minhas na nas no nos nossa nosso num numa o os para pela
        pelo pode podem podemos por posso qual quais que se ser são te tem têm temos tenho ter teu tua um uma você
    """.split()
)
_IDLE = _IDLE_WORDS | {word for word in CONTRACTIONS if word.partition("'")[0] in _IDLE_WORDS}
"""Words that change no answer. Words that ask (who, when, how many), deny, oblige or set bounds are not among them."""
_DIRECTED = frozenset(
    stem(word)
    for word in """
        from to into onto than before after until between against over under above below
        von nach vor bis zwischen gegen über unter als de até entre antes depois
    """.split()
)
"""Words after which the order counts: from Porto to Hamburg is not from Hamburg to Porto."""
_DENIALS = DENYING_CONTRACTIONS.union(
    "not no nor never without cannot nicht kein keine keinen nie ohne não nem nunca sem".split()
)
_ABBREVIATION = patterns.compile(r"\b[A-Z]{2,}\b")
"""US and IT are names, though us and it are small words."""


def are_same(one: str, other: str) -> bool:
    """Tell whether two questions ask the same in the same words, whatever their order."""
    first, second = _telling(one), _telling(other)
    if len(_content(one)) < FEWEST or sorted(first) != sorted(second):
        return False
    return first == second or not (_is_directed(one) or _is_directed(other))


def differing_words(asked: str, known: str) -> tuple[str, str] | None:
    """Return the one content word that each question has alone, as it is written; none if more or fewer differ."""
    mine, theirs = _content(asked), _content(known)
    here, there = mine - theirs, theirs - mine
    if (len(here), len(there)) != (1, 1) or len(mine & theirs) < ALIKE * len(mine | theirs):
        return None
    if _small(asked) != _small(known):
        return None
    return _written(asked, here), _written(known, there)


def same(question: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first candidate that answers the same question."""
    return next((one for one in candidates if any(are_same(question, said) for said in one["phrasings"])), None)


def meant(question: str, candidates: Sequence[Candidate], said: int | None) -> Candidate | None:
    """Return the candidate that a model says asks the same, unless its names, numbers or denials are others."""
    one = next((one for one in candidates if one["id"] == said), None)
    return one if one and any(may_be_same(question, phrasing) for phrasing in one["phrasings"]) else None


def may_be_same(one: str, other: str) -> bool:
    """Tell whether two questions in other words have the same names, numbers and denials."""
    return _marks(one) == _marks(other) and _holds_names(one, other) and _holds_names(other, one)


def near_miss(question: str, candidates: Sequence[Candidate]) -> NearMiss | None:
    """Return the first candidate whose question differs in one word."""
    for one in candidates:
        for said in one["phrasings"]:
            if differing := differing_words(question, said):
                return NearMiss(id=one["id"], question=said, asked=differing[0], kept=differing[1])
    return None


def _marks(question: str) -> tuple[set[str], bool, set[str]]:
    denied = any(word in _DENIALS for word in words(question))
    return quantities(question), denied, _abbreviations(question)


def _holds_names(question: str, of: str) -> bool:
    return {part for name in names(of) for part in content_words(name)} <= _content(question)


def _telling(question: str) -> list[str]:
    named = _abbreviations(question)
    return [stem(word) for word in words(question) if word not in _IDLE or word in named]


def _content(question: str) -> set[str]:
    return {*content_words(question), *map(stem, _abbreviations(question))}


def _abbreviations(question: str) -> set[str]:
    return set() if question.isupper() else {word.casefold() for word in _ABBREVIATION.findall(question)}


def _is_directed(question: str) -> bool:
    return any(stem(word) in _DIRECTED for word in words(question))


def _small(question: str) -> list[str]:
    """Return the words that are no content words and yet change an answer, such as "not" and "when"."""
    content = _content(question)
    return sorted(word for word in _telling(question) if word not in content)


def _written(question: str, stems: set[str]) -> str:
    raw = (part.strip("\"'“”‘’„?!.,;:()[]*_`") for part in question.split())
    return next((part for part in raw if stems & {stem(part.casefold()), *content_words(part)}), next(iter(stems)))
