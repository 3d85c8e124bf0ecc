"""Tells whether two sentences say the same except for a negation (pure)."""

from collections.abc import Iterable

from graph import patterns
from graph.text.grounding import without_citations
from graph.text.words import content_words, language_of, stem, words

_CLOSE = 0.7
"""Share of a sentence's words that another one needs to say the same, or the opposite."""
_NEGATES = patterns.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot|\w+n['’]t"
    r"|nicht|nichts|kein\w*|nie|niemals|niemand\w*|ohne|weder|não|nunca|ninguém|nada|nenhum\w*|sem|nem)\b",
    patterns.IGNORE_CASE,
)
_NO = r"\b(?:no|not|nicht|não)\s+"
_NOT_ONLY = r"(?P<it>(?:not|nicht|não)\s+(?P<key>only|just|merely|nur|bloß|allein|só|apenas|somente))"
_APPARENT = tuple(
    patterns.compile(pattern, patterns.IGNORE_CASE)
    for pattern in (
        _NO + r"(?P<key>(?P<more>(?:later|more|longer|older|higher|greater) than"
        r"|(?:später|mehr|länger|älter|höher|größer) als"
        r"|(?:mais|depois) (?:do que|que|d[eoa]s?))"
        r"|(?P<less>(?:earlier|sooner|less|fewer|younger|lower) than|(?:früher|eher|weniger|jünger|kleiner) als"
        r"|(?:menos|antes) (?:do que|que|d[eoa]s?)))\b",
        # "You may not just walk in" denies: only what begins a clause, or goes on with "but also", adds something.
        rf"(?:^|[,:;.!–—(]\s{{0,3}}){_NOT_ONLY}(?:\W|$)",
        rf"\b{_NOT_ONLY}\W[^.;!?]{{0,200}}\b(?:but also|sondern auch|mas também)\b",
        r"\b(?:without|ohne|sem)\s+(?:any )?(?P<key>exceptions?|delay|ausnahmen?|verzögerung|exce[çc]\w+|demora)\b",
    )
)
"""Words that deny nothing: "no later than 5 pm" is "by 5 pm". They do beside a sentence that says "later than 5 pm"."""
_BOUNDS = {
    "least": patterns.compile(
        r"\b(?:over|above|after|from|at least|minimum|more than|mindestens|über|nach|ab|mehr als|pelo menos|no mínimo"
        r"|acima|depois|a partir)\b",
        patterns.IGNORE_CASE,
    ),
    "most": patterns.compile(
        r"\b(?:by|until|till|up to|at most|before|below|under|maximum|less than|bis|höchstens|maximal|unter|vor"
        r"|weniger als|até|no máximo|abaixo|antes)\b",
        patterns.IGNORE_CASE,
    ),
}
_IDLE = patterns.compile(
    r"\b(?:no\.\s?(?P<number>\d+)|no (?:matter|doubt|wonder)|whether or not|ob oder nicht|not least|not to mention"
    r"|nicht zuletzt|quer ou não)\b",
    patterns.IGNORE_CASE,
)
_NOT_QUITE = (
    r"(?P<not>\b(?:\w+n['’]t|no longer|not|never|nicht mehr|nicht|niemals|nie|não|nunca)\s+"
    r"(?:(?:\w{3,}ly|always|ever|grundsätzlich|generell|ausdrücklich|streng|immer|\w{4,}mente|sempre)\s+){0,2})?"
)
"""A negation of the word behind it, maybe of how much it holds: "not strictly"; "not only" is none."""
_FORBIDDEN = patterns.compile(
    _NOT_QUITE + r"\b(?P<word>(?P<en>forbidden|prohibited|banned|disallowed)"
    r"|(?P<de>verboten|untersagt)|proibid(?P<pt>[oa]s?))\b",
    patterns.IGNORE_CASE,
)
_LACKS = patterns.compile(r"\black(?:s|ed|ing)?\b", patterns.IGNORE_CASE)
_CANNOT = patterns.compile(r"\b(?:cannot|can['’]t)\b", patterns.IGNORE_CASE)
_OPPOSITE = patterns.compile(
    _NOT_QUITE + r"\b(?P<word>un\w{4,}|(?:in|im[mpb]|irr|ill)\w+"
    r"(?:able|ible|[ae]nt|al|ive|[ai]te|id|ar|ect|ary|ável|ível|[aiu]d[oa]s?))\b",
    patterns.IGNORE_CASE,
)
"""A word that may be the opposite of what follows its first two letters: "unpaid", "impossible", but not "improved"."""
_NO_OPPOSITES = frozenset({"unless"})
_NOT_WITHOUT = patterns.compile(
    r"\b(?:\w+n['’]t|not|never|no|nobody|nothing|nicht|nie|niemals|niemand|kein\w*|não|nunca|ninguém)\b"
    r"(?P<between>[^,;:.!?]{1,80}?)\b(?:without|ohne|sem)\s+(?P<key>\w+(?:\s+\w+){0,2})",
    patterns.IGNORE_CASE,
)
"""Two negations that deny nothing: "not without a key" is "with a key". Beside a sentence without the key, they do."""
_VERDICTS = frozenset(
    content_words(
        "allowed permitted forbidden possible required necessary erlaubt verboten möglich nötig erforderlich"
        " permitido proibido possível obrigatório necessário"
    )
)
"""What an answer says of a rule as a whole: "That is not allowed: …" may deny what follows."""
_CLAUSE_ENDS = patterns.compile(r"[,:;.!–—]|\s-")


_BEGINS = r"(?:^|[,;:.!?–—]\s*|\b(?:and|or|but|und|oder|aber|e|ou|mas)\s+)"
_WITHIN = r"(?P<between>[^,;.:?!]{1,80}?)"
_ASKS_WHAT_IS_NOT = tuple(
    patterns.compile(rf"{_BEGINS}{asks}\b{_WITHIN}{negation}", patterns.IGNORE_CASE)
    for asks, negation in (
        (r"(?:what|which|where|who|whom|whose)", r"(?:\b(?:not|never|forbidden|prohibited)\b|n['’]t\b)"),
        (r"(?:was|welche[rsnm]?|wo|wer|wen|wem)", r"\b(?:nicht|nie|niemals|kein\w*|verboten|untersagt)\b"),
        (r"(?:o\s+que(?:\s+é\s+que)?|que|qual|quais|onde|quem|quant[oa]s)", r"\b(?:não|nunca|proibid[oa]s?)\b"),
    )
)
_ANOTHER_CLAUSE = patterns.compile(
    r"\b(?:if|when|that|which|who|whose|because|while|unless|since|after|before|wenn|falls|weil|dass|se|que|quando|porque"
    r"|(?:i|we|you|he|she|it|they)\s+(?:do|does|did|can|could|will|would|have|has|had|am|are|is|was|were))\b",
    patterns.IGNORE_CASE,
)


def asks_what_is_not(question: str) -> bool:
    """Tell whether a question asks for what is not so or must not be: "What must we not repair?".

    "What do I do if it does not open?" asks for something else.
    """
    found = (match for pattern in _ASKS_WHAT_IS_NOT for match in pattern.finditer(question))
    return any(not _ANOTHER_CLAUSE.search(match["between"]) for match in found)


def forbids(text: str) -> bool:
    """Tell whether a text says that something is not so, or must not be."""
    return negates(text) or _FORBIDDEN.search(text) is not None


def denies(sentence: str, others: Iterable[str], *, introduced: str = "") -> bool:
    """Tell whether the most similar of other sentences says the same except for a negation.

    An item of a list may take its negation from the line that introduces it ("Finance does not pay:"). A row of a table
    says several things: "none" in one cell denies nothing in another.
    """
    own = set(content_words(without_citations(sentence)))
    closest = max(others, key=lambda other: len(own & set(content_words(other))), default="")
    if closest.startswith("|") or negates(introduced):
        return False
    sentence, closest = _plainly(sentence, closest), _plainly(closest, sentence)
    is_same = repeats(closest, sentence) and repeats(sentence, closest)
    return is_same and negates(_without_reply(sentence, closest)) != negates(_shared(closest, sentence))


def _plainly(sentence: str, other: str) -> str:
    """Return a sentence as it is compared: each negation is "not", and words that deny nothing are left out."""
    held = _stems(other)
    plain = _CANNOT.sub("can not", _LACKS.sub("have no", sentence))
    plain = _FORBIDDEN.sub(lambda found: _not_allowed(found, held), plain)
    plain = _IDLE.sub(lambda found: found["number"], plain)
    own = _stems(plain)
    plain = _OPPOSITE.sub(lambda found: _not_so(found, own, held), plain)
    for pattern in _APPARENT:
        other = pattern.sub(" ", other)
    said, bound = _stems(other), _bound_in(other)
    for pattern in _APPARENT:
        plain = pattern.sub(lambda found: found[0] if _counts(found, said, bound) else found["key"], plain)
    return _NOT_WITHOUT.sub(lambda found: _with(found, held), plain)


def _bound_in(sentence: str) -> str:
    """Return which bound a sentence sets, "least" or "most"; nothing if it sets both or none."""
    bounds = [name for name, pattern in _BOUNDS.items() if pattern.search(sentence)]
    return bounds[0] if len(bounds) == 1 else ""


def _counts(found: patterns.Match, said: set[str], bound: str) -> bool:
    """Tell whether words that seem to deny nothing do so beside another sentence: "no more than" beside "at least"."""
    sets_another = (found.get("more") and bound == "least") or (found.get("less") and bound == "most")
    return bool(sets_another) or _stems(found["key"]) <= said


def _not_allowed(found: patterns.Match, held: set[str]) -> str:
    if _stems(found["word"]) <= held:
        return found[0]
    allowed = "allowed" if found["en"] else "erlaubt" if found["de"] else f"permitid{found['pt']}"
    return allowed if found["not"] else f"not {allowed}"


def _not_so(found: patterns.Match, own: set[str], held: set[str]) -> str:
    """Return "not paid" for "unpaid" beside a sentence that says "paid"; a German noun such as "Unfall" stays."""
    word = found["word"]
    rest = word[2:]
    is_noun = word[0].isupper() and found.start("word") > 0
    is_opposite = not is_noun and word.casefold() not in _NO_OPPOSITES and _stems(rest) <= held - own
    if not is_opposite or _stems(word) <= held:
        return found[0]
    return rest if found["not"] else f"not {rest}"


def _with(found: patterns.Match, held: set[str]) -> str:
    key = set(content_words(found["key"]))
    return f"{found['between']}{found['key']}" if key and key <= held else found[0]


def _stems(text: str) -> set[str]:
    # With stop words, unlike content words.
    return {stem(word) for word in words(text)}


def _without_reply(sentence: str, source: str) -> str:
    """Return a sentence without what it answers the question with: it denies no passage.

    That is "No," or "It does not:", and a conclusion in other words than the source's: "You cannot count on it: …".
    """
    held = set(content_words(source))
    while end := _CLAUSE_ENDS.search(sentence):
        said = set(content_words(sentence[: end.start()]))
        if said and (end[0] != ":" or said & (held | _VERDICTS)):
            break
        sentence = sentence[end.end() :]
    return sentence


def _shared(source: str, sentence: str) -> str:
    """Return a source without the clauses that a sentence leaves out: "…, not your colleague" denies nothing in it."""
    said = set(content_words(sentence))
    clauses = [(clause, set(content_words(clause))) for clause in _CLAUSE_ENDS.split(source)]
    return " ".join(clause for clause, words in clauses if words & said or not words)


def repeats(sentence: str, other: str) -> bool:
    """Tell whether a sentence has most of the content words of another one."""
    wanted = set(content_words(without_citations(other)))
    return bool(wanted) and len(wanted & set(content_words(sentence))) >= _CLOSE * len(wanted)


def negates(sentence: str) -> bool:
    """Tell whether a sentence holds a negation. The Portuguese "no" is none."""
    return any(found[0].casefold() != "no" or language_of(sentence) != "pt" for found in _NEGATES.finditer(sentence))
