"""What a typed reply to a question back means: an option, the person's own words, or a new question (pure)."""

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Final

from graph import patterns
from graph.text.markdown import EMOJI, MENTION
from graph.text.phrases import Unclear, phrase_of
from graph.text.words import STOP_WORDS, content_words, stem, words
from graph.turn import Choice

NOTHING_TELLS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({})

ALIKE = 0.8
"""Least similarity (0–1) of a word and its misspelling."""
OWN_TOPIC = 0.5
"""A question that shares less than this with the asked one and its options is a new question."""

LAST: Final = -1
"""The place of the last option."""

_NO_WORDS = patterns.any_of(MENTION, EMOJI)
_ORDINALS = {
    **dict.fromkeys(("first", "1st", "former", "erste", "ersten", "erster", "erstes", "primeiro", "primeira"), 1),
    **dict.fromkeys(("second", "2nd", "zweite", "zweiten", "zweiter", "zweites", "segundo", "segunda"), 2),
    **dict.fromkeys(("third", "3rd", "dritte", "dritten", "dritter", "drittes", "terceiro", "terceira"), 3),
    **dict.fromkeys(("fourth", "4th", "vierte", "vierten", "vierter", "viertes", "quarto", "quarta"), 4),
    **dict.fromkeys(("last", "latter", "letzte", "letzten", "letzter", "letztes", "último", "última"), LAST),
}
_DIGIT = patterns.compile(r"(?:option|number|no|nr|nummer|choice|answer)?\s*[#(]?\s*(\d{1,2})", patterns.IGNORE_CASE)
_FILLER = STOP_WORDS | frozenset(
    """
        one ones mean meant want need take think guess say said choose pick option number
        sorry ok okay hi hey hello thanks thank course sure actually probably rather maybe meine meinte nehme nehmen
        wähle natürlich danke perhaps lieber eher vielleicht talvez então
    """.split()
)
_BESIDE_A_PLACE = _FILLER - frozenset(
    """
        but other than after before above over under until up off out between against through few more most all both
        each any not nor aber alle allem allen aller alles als bis nach nicht ohne über unter vor viel viele até entre
        mais mas nem não sem
    """.split()
)
"""Fillers beside which a place is the one that is meant: it is not in "all but the last"."""
_JOINS = frozenset("and or nor und oder noch e ou nem".split())
_PART = (
    r"(?:ones?|points?|bullets?|items?|parts?|sentences?|lines?|questions?|punkte?|frage|satz|teil|ponto|tópico|pergunta"
    r"|frase|parte)"
)
_PLACE = patterns.compile(
    r"(?:(?:and|ok(?:ay)?|then|just|please|no|i meant?|tell me|show me|give me|explain|what about|und|bitte"
    r"|ich meinte?|e)[\s,]+)*"
    rf"(?:(?:the|number|no\.|nr\.|nummer|option|der|die|das|den|o|a|número|{_PART})\s+)*"
    rf"[#(]?(?P<place>\d{{1,2}}|{'|'.join(_ORDINALS)})[.)]*(?:\s+{_PART})?(?:[\s,]+(?:please|pls|bitte|por favor))*"
    r"[\s.!?]*",
    patterns.IGNORE_CASE,
)
_NOUN_OF_ANYTHING = patterns.compile(r"things?|stuff|version|model|thingy|ding|teil|coisa", patterns.IGNORE_CASE)
_DENIES = r"not|neither|nicht|keine?[nrs]?|weder|não|nem|nenhuma?|\w+n['’]t"
_NEGATED = patterns.compile(rf"\b(?:none|no|{_DENIES})\b", patterns.IGNORE_CASE)
_CONTRADICTED = patterns.compile(r"^(?:no|nope|nein|não)[,.!]+\s*", patterns.IGNORE_CASE)
_ALL = r"(?:all|any\w*|every\w*|alle[sn]?|tod[ao]s?|tudo)(?: \w+){0,2}"
_EXCEPT = r"except(?: for)?|excluding|other than|apart from|au(?:ß|ss)er|ausgenommen|anders als|excep?to|menos"
_INSTEAD = r"rather than|instead of|(?:an)?statt|em vez d[eao]s?"
_REJECTS = patterns.compile(
    rf"\b(?:(?P<denies>{_DENIES})|(?:{_ALL} )?(?:{_INSTEAD})"
    rf"|(?P<rest>{_ALL} (?:but|besides)|(?:{_ALL} )?(?:{_EXCEPT})))\b",
    patterns.IGNORE_CASE,
)
"""Not "besides" alone, which also means "in addition to"."""
_NOTHING_BUT = patterns.compile(
    r"\b(?:none|no|nothing|no one|keine?[nrs]?|nichts|niemand|nenhuma?|nada)"
    r"(?: (?:of (?:them|these|those)|davon|deles|delas))?"
    r" (?:(?:other|else)(?: \w+)? than|but|except(?: for)?|ander(?:e[nrs]?|s)(?: \w+)? als|au(?:ß|ss)er"
    r"|outr[oa](?: \w+)? (?:que|senão)|senão|excep?to|menos)\b",
    patterns.IGNORE_CASE,
)
"""Two denials that say "only"."""
_NOT_ONLY = patterns.compile(r" (?:only|just|nur|só|apenas)\b", patterns.IGNORE_CASE)
_BUT = r"but|sondern|aber|mas|e sim"
_REJECTION_ENDS = patterns.compile(
    rf"(?P<joins>,\s*(?:nor|noch)\b)|[,;.\n]|\b(?:{_BUT}"
    r"|(?P<goes_on>then|rather|maybe|perhaps|it is|it['’]?s|i (?:mean|meant|want)"
    r"|dann|lieber|eher|vielleicht|ich (?:meine?|will)|então|talvez))\b",
    patterns.IGNORE_CASE,
)
"""`goes_on` ends what has named an option: "not 1, then 2", but not "I don't think it is 1"."""
_CLAUSE_ENDS = patterns.compile(rf"[,;.\n]|\b(?:{_BUT})\b", patterns.IGNORE_CASE)
_CONTRASTS = patterns.compile(rf"^[\s,;.]*(?:{_BUT})\b", patterns.IGNORE_CASE)
_DOUBTS = patterns.compile(
    r"\b(?:not|nicht|não)(?: \w+){0,2} (?:sure|certain|sicher|certeza)\b|^(?:is|are|was|were)n['’]t\b"
    r"|\b(?:or|oder|ou) (?:not|nicht|não)\b",
    patterns.IGNORE_CASE,
)
"""People who doubt one option doubt the other, too; "isn't it …" and "or not" ask."""
_THOUGHT_ALOUD = patterns.compile(
    r"(?:(?:what|huh|eh|pardon|sorry|was|hä|wie bitte"
    r"|no|nope|nah|nein|weder noch|(?:none|neither|keine?[rs]?)(?: of (?:them|these|those)| davon)?"
    r"|h+m+|u+h+m*|e+r+m*|oh|ah|well|so|ok(?:ay)?|yes|yeah|yep|ja|good question|gute frage|interesting|wait|moment"
    r"|(?:one|just a) (?:moment|second|sec)|hold on|let me (?:think|see|check)|i['’]?ll (?:think|check))\b"
    r"[\s,.!?…-]*)+",
    patterns.IGNORE_CASE,
)
_THANKS = patterns.compile(
    r"(?:(?:ok(?:ay)?|oh)[\s,.!]+)*(?:(?:thanks?(?: you)?|thx|(?:vielen )?danke?|obrigad[ao])\b[\s,.!]*)+"
    r"(?:(?:a lot|so much|very much|anyway)[\s.!]*)?",
    patterns.IGNORE_CASE,
)
_ASKS = patterns.compile(
    r"(?:and |und |also |hi |hey |ok |actually )*(?:who|what|when|where|why|how|which|whose|is|are|was|were|do|does|did"
    r"|can|could|should|will|would|may|has|have|tell|show|explain|find|list|give"
    r"|wer|was|wann|wo|warum|wieso|wie|welche[rsmn]?|ist|sind|kann|darf|muss|gibt|zeig|erkläre?)\b",
    patterns.IGNORE_CASE,
)


def read_reply(
    text: str, *, question: str, options: list[tuple[str, str]], telling: Mapping[str, frozenset[str]] = NOTHING_TELLS
) -> Choice | None:
    """Return what a reply chooses or says; `None` if it is a new question or ends the old one.

    `question` is the ambiguous question, `options` are (id, label) in the order shown, and `telling` has by option id
    the stems that only this option's passages hold.
    """
    said = _NO_WORDS.sub(" ", text).strip()
    if not words(said):
        return Choice(kind="text", value=text, label=text)
    bare = patterns.skimmed(said).strip(" .!,;")
    only = _NOTHING_BUT.sub("only", bare)
    chosen = _exact(bare, options) or _numbered(only, options) or _labelled(only, question, options)
    if chosen is not None:
        return Choice(kind="option", value=chosen[0], label=chosen[1])
    if phrase_of(bare) == "leaves_it":
        return Choice(kind="just_answer")
    if (hinted := _hinted(only, question, options, telling)) is not None:
        return Choice(kind="option", value=hinted[0], label=hinted[1])
    is_unclear = says_nothing(said) or why_unclear(said, options=len(options)) is not None
    if _is_new_question(said, question, options) and not is_unclear:
        return None
    return Choice(kind="text", value=said, label=said)


def why_unclear(text: str, *, options: int) -> Unclear | None:
    """Return why a reply neither chooses nor explains; `None` if it does.

    An option may have the same words, so call this only for what `read_reply` returns as the person's own words.
    """
    said = _NO_WORDS.sub(" ", text).strip()
    number = _number(said.strip(" .!,;"))
    if number is not None:
        return None if number == LAST or 1 <= number <= options else "no_such_option"
    match phrase_of(said):
        case "rejects_all" | "asks_what" | "agrees" as phrase:
            return phrase
        case _:
            return "asks_what" if said and not said.strip("? ") else None


def place_of(text: str) -> int | None:
    """Return the place, from 1 or `LAST`, that a text names and nothing else: "1)", "the last point"."""
    found = _PLACE.fullmatch(_NO_WORDS.sub(" ", text).strip())
    if found is None:
        return None
    named = found["place"].casefold()
    return int(named) if named.isdecimal() else _ORDINALS.get(named)


def gives_up(text: str) -> bool:
    """Tell whether the person no longer wants an answer."""
    return phrase_of(_NO_WORDS.sub(" ", text).strip()) == "gives_up"


def is_closing(text: str) -> bool:
    """Tell whether the person gives up or only says thanks."""
    return gives_up(text) or _THANKS.fullmatch(_NO_WORDS.sub(" ", text).strip()) is not None


def says_nothing(text: str) -> bool:
    """Tell whether a reply is an emoji, "what?", a bare yes or no, or thinking aloud.

    An option may have the same words, so call this only for what `read_reply` returns as the person's own words.
    """
    said = _NO_WORDS.sub(" ", text).strip()
    return not words(said) or _THOUGHT_ALOUD.fullmatch(said) is not None


def _exact(said: str, options: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the option whose label the reply repeats. For "Shift 2", the number is enough."""
    repeated = next((option for option in options if words(option[1]) == words(said)), None)
    numbered = [option for option in options if said.isdecimal() and said in words(option[1])]
    return repeated or (numbered[0] if len(numbered) == 1 else None)


def _numbered(said: str, options: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the option at the place that the reply names, or the only one whose place it does not reject."""
    said = _CONTRADICTED.sub("", said)
    kept = _without_rejections(said, options)
    if kept == said or not _asks(said):
        number = _number(_CONTRASTS.sub("", kept))
        if number == LAST:
            return options[-1]
        if number is not None:
            return options[number - 1] if 1 <= number <= len(options) else None
    left = [] if _asks(said) or _beside_fillers(kept) else _unplaced(said, options)
    return left[0] if len(left) == 1 else None


def _number(said: str) -> int | None:
    """Return the position, from 1, or `LAST`, if the reply names a position and nothing else."""
    core = _beside_fillers(said)
    digit = _DIGIT.fullmatch(said.rstrip(").")) or _DIGIT.fullmatch(core)
    return int(digit[1]) if digit else _ORDINALS.get(core)


def _beside_fillers(said: str) -> str:
    return " ".join(word for word in words(said) if word not in _BESIDE_A_PLACE or word in _ORDINALS)


def _unplaced(said: str, options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the options that a rejection of places leaves; none if it rejects anything else."""
    rejections = [said[begins:ends] for begins, ends in _rejections(said, options)]
    bare = [_beside_fillers(_REJECTS.sub(" ", rejection)).split() for rejection in rejections]
    numbers = {_numeral(word) for rejected in bare for word in rejected if word not in _JOINS}
    if not numbers or 0 in numbers or _DOUBTS.search(said) or not all(_is_list(each, options) for each in rejections):
        return []
    rejected = {len(options) if number == LAST else number for number in numbers}
    return [option for place, option in enumerate(options, 1) if place not in rejected]


def _numeral(word: str) -> int:
    """Return the place that a word names, or `LAST`; 0 if it names none."""
    return _ORDINALS.get(word) or (int(word) if word.isdecimal() else 0)


def _is_list(rejection: str, options: list[tuple[str, str]]) -> bool:
    """Tell whether a rejection names one option, or joins all that it names: in "not 1 2", the second may be meant."""
    before: set[int] = set()
    is_joined = False
    for word in words(rejection):
        if named := _places(word, options):
            if before and named != before and not is_joined:
                return False
            before, is_joined = named, False
        is_joined = is_joined or word in _JOINS
    return True


def _places(word: str, options: list[tuple[str, str]]) -> set[int]:
    """Return the places of the options that a word names, or the place itself."""
    labelled = {place for place, own in enumerate(_telling(options), 1) if word not in _FILLER and _near_any(word, own)}
    number = _numeral(word)
    return labelled or ({len(options) if number == LAST else number} if number else set())


def _labelled(said: str, question: str, options: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the one option whose own words the reply holds, or does not reject, if it holds little else."""
    said = _CONTRADICTED.sub("", said)
    kept = said if _asks(said) else _without_rejections(said, options)
    affirmed = [] if _NEGATED.search(kept) else _named(kept, options)
    left = affirmed or ([] if kept == said else _unnamed(said, options))
    most = 1 if affirmed and not _asks(said) else 0
    return left[0] if len(left) == 1 and len(_extra(said, question, options)) <= most else None


def _asks(said: str) -> bool:
    return "?" in said or _ASKS.match(said) is not None


def _rejections(said: str, options: list[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """Yield the clauses in which a reply says what it does not mean. The words of a label do not reject."""
    labels = {word for _, label in options for word in words(label)}
    done = begins = 0
    while found := next(_REJECTS.finditer(said, begins), None):
        begins = found.end()
        if _NOT_ONLY.match(said[begins:]) or not labels.isdisjoint(words(found[0])):
            continue
        end = _end_of_rejection(said, found, options)
        begins = end.start() if end else len(said)
        if end and end[0] == "\n" and begins < len(said) - 1:
            continue
        is_of_more = not found.has("denies") or _names_any(said[found.end() : begins], options)
        # "Porto não" and "the first is not it" deny what stands before.
        yield found.start() if is_of_more else _clause_begins(said, done, found.start()), begins
        done = begins


def _names_any(text: str, options: list[tuple[str, str]]) -> bool:
    return any(_places(word, options) for word in words(text))


def _clause_begins(said: str, least: int, before: int) -> int:
    """Return where the clause around a place begins: behind all that was read before."""
    ends = [end.end() for end in _CLAUSE_ENDS.finditer(said[least:before])]
    return least + (ends[-1] if ends else 0)


def _end_of_rejection(said: str, found: patterns.Match, options: list[tuple[str, str]]) -> patterns.Match | None:
    read, is_named = found.end(), False
    for end in _REJECTION_ENDS.finditer(said, found.end()):
        if end.has("goes_on"):
            is_named = is_named or _names_any(said[read : end.start()], options)
            read = end.end()
        lists = end.has("joins") or (end[0] == "," and found.has("rest"))
        if not lists and (is_named or not end.has("goes_on")):
            return end
    return None


def _without_rejections(said: str, options: list[tuple[str, str]]) -> str:
    parts: list[str] = []
    done = 0
    for begins, ends in _rejections(said, options):
        parts += [said[done:begins], " "]
        done = ends
    return "".join([*parts, said[done:]])


def _hinted(
    said: str, question: str, options: list[tuple[str, str]], telling: Mapping[str, frozenset[str]]
) -> tuple[str, str] | None:
    """Return the one option whose passages alone hold all words of the reply: "the one for the lights"."""
    if _asks(said) or _NEGATED.search(said) or any(_rejections(said, options)) or _number(said) is not None:
        return None
    shared = {*content_words(question), *(word for _, label in options for word in content_words(label))}
    own = {stem(word) for word in words(said) if word not in _FILLER and not _NOUN_OF_ANYTHING.fullmatch(word)} - shared
    found = [option for option in options if own and own <= telling.get(option[0], frozenset())]
    return found[0] if len(found) == 1 else None


def _unnamed(said: str, options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the options that a rejection leaves; none if it rejects none by name."""
    rejected = _named(said, options)
    is_sure = all(_is_list(said[begins:ends], options) for begins, ends in _rejections(said, options))
    is_sure = is_sure and _DOUBTS.search(said) is None
    return [option for option in options if rejected and is_sure and option not in rejected]


def _named(said: str, options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    spoken = [word for word in words(said) if word not in _FILLER]
    return [
        option
        for option, own in zip(options, _telling(options), strict=True)
        if any(_near_any(word, own) for word in spoken)
    ]


def _extra(said: str, question: str, options: list[tuple[str, str]]) -> list[str]:
    """Return the words that are neither stop words nor part of the question or its options."""
    known = {*words(question), *(word for _, label in options for word in words(label))}
    spoken = [word for word in words(_NEGATED.sub(" ", _REJECTS.sub(" ", said))) if word not in _FILLER]
    return [word for word in spoken if not _near_any(word, known)]


def _telling(options: list[tuple[str, str]]) -> list[set[str]]:
    """Return for each option the words that only its label has."""
    labels = [{word for word in words(label) if word not in STOP_WORDS} for _, label in options]
    return [own - set().union(*(other for other in labels if other is not own)) for own in labels]


def _near_any(word: str, known: set[str]) -> bool:
    return any(_alike(word, other) for other in known)


def _alike(word: str, other: str) -> bool:
    if word == other:
        return True
    if min(len(word), len(other)) < 4 or word.isdigit() or other.isdigit():  # noqa: PLR2004 - Short words differ by a letter.
        return False
    return other.startswith(word) or SequenceMatcher(None, word, other).ratio() >= ALIKE


def _is_new_question(said: str, question: str, options: list[tuple[str, str]]) -> bool:
    if not _asks(said):
        return is_closing(said)
    own = [word for word in content_words(said) if word not in _FILLER]
    on_the_table = set(content_words(" ".join([question, *(label for _, label in options)])))
    shared = sum(word in on_the_table for word in own)
    return bool(own) and shared < OWN_TOPIC * len(own)
