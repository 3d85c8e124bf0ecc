"""Follow-ups made self-contained from the question before them (pure)."""

from collections.abc import Collection, Iterable, Sequence

from bot.models.offline.understanding.kept_choice import with_choice
from bot.models.offline.understanding.substitution import exchanged, name_exchanged, sibling_named
from graph import patterns
from graph.passages import Facet
from graph.text.words import STOP_WORDS, content_words, language_of, stems, words

LONGEST_FRAGMENT = 9
"""Words of a fragment; a longer one carries its own topic."""
SHORTEST_QUESTION = 3
_LANGUAGES = frozenset({"en", "de", "pt"})
"""Whose small words we know well enough to join two questions in them."""

_LINKS = frozenset("of for in at from with on to the a an and by as during und von für im bei mit der die das".split())
"""What joins the words of a topic."""
_LIGHT = frozenset(
    """
        much many long often big far late early old new get gets need needs needed know tell mean means work works
        go going take takes come comes say says cost costs happen happens apply applies use find give given ok okay show
        explain want like think way thing things people someone main important good best different types type kinds
        kind viel viele lange oft groß bekomme bekommen brauche brauchen kostet kosten gilt gelten
        """.split()
)
"""Words that do not say what a question is about, though they are no small words of the language."""
_NEEDS_AN_OBJECT = frozenset("pay sign apply ask report register approval permission zahlen bezahlen".split())
"""What "do I have to …?" leaves open without the question before it."""

_OPENER = patterns.compile(
    r"^(?:(?:ok(?:ay)?|and|und|or|oder|also|but|aber|so|interesting)[,.:]?\s+)*"
    r"(?:(?:what|how) about|same for|what if it['’]?s|was ist mit|wie (?:ist|sieht) es (?:mit|bei|in)|wie wäre es mit)"
    r"\s+(?P<rest>.+?)(?:\s+aus)?\s*\??\n?$",
    patterns.IGNORE_CASE,
)
_BARE = patterns.compile(r"^(?:and|und|or|oder)\s+(?P<rest>.+?)\s*\??\n?$", patterns.IGNORE_CASE)
_ANOTHER_NAME = patterns.compile(
    r"^\W*(?i:e|et|y|ed|en)\s+(?:[^\W\d_]+\s+){0,2}(?P<name>[A-ZÀ-Ý][\w-]*(?:\s[A-Z0-9][\w-]*)*)\s*\?+\s*$"
)
_NAMED_ALONE = patterns.compile(r"^(?P<rest>.+?)(?:\s+(?:too|auch))?\s*\?+\n?$")
_FRAGMENT = patterns.compile(
    r"^(?:(?:ok(?:ay)?|and|und|or|oder|also|but|aber)[,.:]?\s+)*"
    r"(?P<rest>(?P<preposition>for|in|at|from|with|on|as|to|during|after|before|für|im"
    r"|in|bei|mit|ab|als|während)\s+.+?)\s*\??\n?$",
    patterns.IGNORE_CASE,
)
_CORRECTS = patterns.compile(
    r"^(?:(?:no|nope|nein|não|wait|sorry|oops|actually|moment|quatsch|correction|korrektur|correção|desculpa)"
    r"(?P<stop>[\s,.:;!–-]+))+"
    r"(?P<meant>(?:i(?:['’]m| am)?|we(?:['’]re| are)?) (?:meant?|on|asking about|talking about)\s"
    r"|(?:it['’]?s|this is) about\s|ich meinte?\s|es (?:geht|ging) um\s|(?:eu )?quis dizer\s|é sobre\s)?"
    r"(?P<rest>.+?)(?:,?\s(?:and )?(?:not|nicht|não)\s.{1,60})?[\s?.!]*$",
    patterns.IGNORE_CASE,
)
"""How a message puts right what the question before named: "No wait, I'm on the router, not the hub"."""
_AFTER_ONE_POINTING_BACK = r"one\b|ones\b|is\b|are\b|was\b|apply|work|happen|mean|cost|take|include"
_POINTS_BACK = tuple(
    patterns.compile(pattern, patterns.IGNORE_CASE)
    for pattern in (
        r"\b(?:its|their|his|her|it|they|them|he|she|him|dafür|davon|damit|dazu|daran)\b",
        rf"\b(?P<it>this|that|these|those)\b\s*(?:\?|$|{_AFTER_ONE_POINTING_BACK})",
        r"(?:about|of|for|is|does|to)\s(?P<it>that)\b",
    )
)
_FILLER = patterns.compile(
    r"\bit (?:\w+ ){0,2}?(?:takes?|took|costs?|means?|meant|feels?|likes?|ok(?:ay)?|fine|possible|allowed|permitted"
    r"|legal|safe|necessary|required|mandatory|normal|common|usual|easy|hard|worth|better|best)\b"
    r"(?: [^\s?.!]+){0,5}? to (?P<what>.+)",
    patterns.IGNORE_CASE,
)
"""An "it" that stands for what follows: "How long does it take to ship?"."""
_THEY_DO = patterns.compile(r"\b(?:do|did|will|would|can|could|should|must|may) they\b", patterns.IGNORE_CASE)
_POSSESSIVES = frozenset({"its", "their", "his", "her"})
_PLACE_BACK = patterns.compile(r"\b(?P<it>there|dort)\s*(?:[?,]|$)", patterns.IGNORE_CASE)
_IS_THERE = ("is ", "are ")
_BOUNDARY = patterns.compile(
    r"[,;.!?]|\b(?:if|when|and|or|but|that|which|who|because|wenn|und|oder|aber|dass)\b", patterns.IGNORE_CASE
)
_CONJUNCTION = patterns.compile(r"^(?:(?:and|und|or|oder|also|but|aber)\s+)+", patterns.IGNORE_CASE)
_VERBS = (
    r"do|does|did|is|are|was|were|can|could|should|will|has|have|who|what|how|why|when|where"
    r"|kann|muss|ist|sind|hat|gibt|wer|wie|wo|wann|warum"
)
_SENTENCE = patterns.compile(rf",|\b(?:{_VERBS})\b", patterns.IGNORE_CASE)
_ADDED = patterns.compile(r"\s*\(([^()]+)\)\s*\??\n?$")
_TOKEN = patterns.compile(r"[^\s?!,;:()\"]+")
_I = patterns.compile(r"\bI\b")


def standalone(
    question: str,
    previous: str,
    facets: list[Facet],
    others: Iterable[str] = (),
    known: Collection[str] = (),
    *,
    columns: Iterable[Sequence[str]] = (),
) -> str:
    """Return the question as it reads without the one before it; the same if it needs nothing.

    `previous` is the last stand-alone question, `facets` tell which words are values of the same kind, `others` are
    titles of documents that were found and that the last answer is not from: a short question that names one is new.
    `known` are the names that the passages hold: only they keep their capital if it may be a sentence's.
    `columns` are those of the tables that were found: the cells of one are values of the same kind, too.
    """
    if value := _value(question, facets):
        return sibling_named(value, previous, facets) or with_choice(previous, value)
    language = language_of(previous, default=language_of(question))
    if language not in _LANGUAGES or language_of(question, default=language) != language:
        return sibling_named(question, previous, facets) or _of_another_name(question, previous) or question
    known = {*known, *(word for facet in facets for word in facet["label"].split())}
    if put_right := _put_right(question, previous, facets, known):
        return put_right
    named = _OPENER.match(question) or (None if _is_sentence(question) else _fragment(question))
    if named and len(words(question)) <= LONGEST_FRAGMENT:
        rest = named["rest"] if named.start("rest") else _uncapitalised(named["rest"], previous, known)
        return exchanged(rest, previous, facets, columns) or _joined(question, previous, known)
    follows = _points_back(question) or (_is_short(question) and not _names_any(question, others))
    return _joined(question, previous, known) if follows else _of_another_name(question, previous) or question


def _of_another_name(question: str, previous: str) -> str | None:
    """Return the question before with another name, as "¿y en Porto?" asks, whatever the language's small words are."""
    found = _ANOTHER_NAME.match(question)
    return name_exchanged(found["name"], previous) if found else None


def corrects(question: str) -> bool:
    """Tell whether a message says in so many words what was meant instead of what the question before named."""
    found = _CORRECTS.match(question)
    return found is not None and bool(found["meant"])


def _put_right(question: str, previous: str, facets: list[Facet], known: Collection[str]) -> str | None:
    """Return the question before with what a message says instead; none if it puts nothing right."""
    found = _CORRECTS.match(question)
    if found is None or not (found["meant"] or found["stop"].strip()):
        return None
    rest = found["rest"]
    if not _telling(rest) or len(words(rest)) > LONGEST_FRAGMENT or _is_sentence(rest.split(".")[0]):
        return None
    is_bare = found["meant"] or words(rest)[0] not in STOP_WORDS
    return exchanged(rest, previous, facets) or (_joined(rest, previous, known) if is_bare else None)


def pointer(question: str) -> str:
    """Return the word that stands for something said before ("Is that allowed?"), if the question says little else."""
    telling = _telling(question)
    filler = _FILLER.search(question)
    if filler and len(telling) <= 1 and _telling(filler["what"]):
        return pointer(filler["what"])
    if telling and _THEY_DO.search(question):
        return ""
    found = _pronoun(question) if _points_back(question) else None
    is_bare = found is not None and found[0].lower() not in _POSSESSIVES
    return found[0] if found and is_bare and len(telling) <= 1 else ""


def says_what(question: str) -> bool:
    """Tell whether a question has a word that says what it is about."""
    return bool(_telling(question))


def topic(question: str) -> str:
    """Return the words of a question that say what it is about, in its own order.

    What was added to a follow-up in brackets stays the topic of those that follow it; a reading that was chosen joins
    the question's own.
    """
    if added := _ADDED.search(question):
        own = question[: added.start()]
        followed = _points_back(own) or _is_short(own)
        return added[1] if followed else f"{topic(own)}, {added[1]}".removeprefix(", ")
    tokens = _TOKEN.findall(question)
    telling = [_tells(token) for token in tokens]
    if not any(telling):
        return ""
    first, last = telling.index(True), len(tokens) - 1 - telling[::-1].index(True)
    first = _from_verb(tokens, first)
    telling[first] = True
    inside = range(first, last + 1)
    kept = [index for index in inside if telling[index] or tokens[index].lower() in _LINKS]
    # A small word stays only before the word it leads to.
    return " ".join(
        tokens[index] for place, index in enumerate(kept) if telling[index] or _leads(kept, place, telling)
    ).strip(".")


def _from_verb(tokens: list[str], first: int) -> int:
    """Return where the topic starts: at "work" in "work from abroad", although "work" alone tells nothing."""
    verb, link = [token.lower() for token in tokens[max(first - 2, 0) : first]] if first > 1 else ("", "")
    return first - 2 if verb in _LIGHT and link in _LINKS else first


def _leads(kept: list[int], place: int, telling: list[bool]) -> bool:
    following = kept[place + 1 : place + 3]
    return any(telling[index] for index in following) and following[0] == kept[place] + 1


def _tells(token: str) -> bool:
    plain = words(token)
    return bool(plain) and not all(word in STOP_WORDS or word in _LIGHT for word in plain)


def _points_back(question: str) -> bool:
    """Whether a pronoun stands for something that no earlier clause of the question names."""
    pronoun = _pronoun(question)
    places = [match.start() for match in _PLACE_BACK.finditer(question) if not _is_there(question, match)]
    begins = pronoun.start() if pronoun else min(places, default=-1)
    if begins < 0:
        return False
    boundaries = list(_BOUNDARY.finditer(question, 0, begins))
    return not boundaries or not _telling(question[: boundaries[-1].start()])


def _is_there(question: str, place: patterns.Match) -> bool:
    return question[: place.start()].casefold().endswith(_IS_THERE)


def _pronoun(question: str) -> patterns.Match | None:
    """Return the first word that stands for something said before; IT in capitals is a department."""
    found = (match for pattern in _POINTS_BACK for match in pattern.finditer(question) if match[0] != "IT")
    return min(found, key=patterns.Match.start, default=None)


def _names_any(question: str, titles: Iterable[str]) -> bool:
    own = stems(question)
    return bool(own) and any(own <= stems(title) for title in titles)


def _value(question: str, facets: list[Facet]) -> str:
    """Return the reading of which a question is only the name. Titles name it, too, but nobody asks for those."""
    said = words(question)
    return next((facet["label"] for facet in facets if said == words(facet["label"])), "")


def _is_short(question: str) -> bool:
    if set(words(question)) - STOP_WORDS <= _NEEDS_AN_OBJECT | _LIGHT:
        question = _I.sub("i", question)
    return len(content_words(question)) <= 1 and not any(word[:1].isupper() for word in question.split()[1:])


def _fragment(question: str) -> patterns.Match | None:
    fragment = _FRAGMENT.match(question)
    # Patterns take the Portuguese "às" for "as".
    begins_so = fragment is not None and fragment["preposition"].casefold() != "às"
    named = fragment if begins_so else _BARE.match(question)
    short = len(words(question)) <= SHORTEST_QUESTION and _telling(question)
    return named or (_NAMED_ALONE.match(question) if short else None)


def _is_sentence(question: str) -> bool:
    return _SENTENCE.search(question) is not None


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS and word not in _LIGHT]


def _joined(question: str, previous: str, known: Collection[str]) -> str:
    missing = topic(previous)
    if not missing or stems(missing) <= stems(question):
        return question
    if previous.startswith(missing.split(maxsplit=1)[0]):
        missing = _uncapitalised(missing, previous, known)
    bare = _CONJUNCTION.sub("", question).rstrip(" ?.!")
    return f"{bare[:1].upper()}{bare[1:]} ({missing})?"


def _uncapitalised(text: str, previous: str, known: Collection[str]) -> str:
    """Return what stood at a sentence's start as it reads within one: a name would be looked for as such."""
    first = text.split(maxsplit=1)[0]
    is_a_name = first in known or not first[1:].islower() or language_of(previous) == "de"
    return text if is_a_name else f"{text[0].lower()}{text[1:]}"
