"""Whether a question asks for all its readings, or for their differences, so that there is nothing to choose (pure)."""

from collections.abc import Sequence

from graph import patterns
from graph.passages import Passage
from graph.text.words import content_words, stems

_NOT_OF_READINGS = patterns.compile(
    r"\b(?:each|every|all|alle|jede[rsmn]?)\s+(?:the\s+)?(?:days?|weeks?|months?|years?|nights?|quarters?|time"
    r"|tage?|wochen?|monate?|jahre?|nacht)\b"
    r"|\b(?:at|after|above|first of|vor)\s+alle?[ms]?\b|\ball\s+(?:right|in all)\b|\beach other\b|\beither way\b",
    patterns.IGNORE_CASE,
)
"""How often something happens, and set phrases: "each month" does not ask for all readings, nor does "at all"."""
_OF_A_NOUN = patterns.compile(
    r"\b(?i:(?P<behind>(?:for|of|by|with|to|on|in|at|from|per|für|bei|mit|von|an|auf|zu)\s+)?"
    r"(?P<how>all|both|every|each|either|alle[nrs]?|jede[rsmn]?|beide[nrs]?)\s+"
    r"(?:of\s+)?(?:(?:the|our|my|your|their|these|those|der|die|den|meine[nr]?|unsere[nr]?)\s+)?)(?P<noun>[^\W\d_]+)"
)
_KINDS = stems(
    """
    alternative area branch building campus case category choice city class clinic company country customer department
    device division edition group hospital instance kind level location machine model office option place plan platform
    position product project region role school shop site state store system tariff team tier type unit variant version
    warehouse abteilung art büro fall filiale firma gebäude gerät gruppe klasse klinik kunde laden land maschine modell
    niederlassung ort produkt projekt region rolle standort stadt stufe system tarif team variante werk
    """
)
"""What readings are called, if the names of folders do not say so."""
_WANTS_ALL = patterns.compile(
    r"\b(?:all|every|each|both|either|compare|comparison|compared|differences?|differ|different|versus|vs|overview"
    r"|alle|allen|aller|jede[rsmn]?|beide[nrs]?|unterschiede?|vergleiche?|unterscheiden)\b"
    r"|\b(?:which|what|welche)\s+(?:\w+\s+)?\w+s\s+(?:have|has|are|do|offer|include|need|haben|sind)"
    r"|\b(?:which|welche[rsnm]?|qual|quais)\b[^?.!]{1,80}?\b(?:more|most|less|least|fewer|fewest"
    r"|(?:long|short|high|low|cheap|bigg|larg|small|fast|slow)(?:er|est)"
    r"|(?:läng|kürz|höh|niedrig|günstig|teur|größ|klein)er|höchsten|(?:läng|kürz|niedrig|günstig|teuer|größ|klein|mei)s?ten"
    r"|mehr|weniger|mais|menos|maior|menor)\b",
    patterns.IGNORE_CASE,
)


def wants_all(question: str, passages: Sequence[Passage] = ()) -> bool:
    """Tell whether a question asks for all readings or for their differences.

    "All" of another thing does not: "for all employees" is true of each reading.
    """
    asked = _NOT_OF_READINGS.sub(" ", question)
    return _WANTS_ALL.search(asked) is not None and _WANTS_ALL.search(_without_matter(asked, passages)) is not None


def _without_matter(question: str, passages: Sequence[Passage]) -> str:
    """Leave out of a question "all" and its noun, if the noun is in the passages and names no reading."""
    named = {word for passage in passages for word in _names_of(passage)}
    told = {word for passage in passages for word in content_words(passage["text"])} - named - _KINDS

    def kept(found: patterns.Match) -> str:
        noun = stems(found["noun"])
        return " " if noun and noun <= told and _is_noun(found) else found[0]

    return _OF_A_NOUN.sub(kept, question)


def _is_noun(found: patterns.Match) -> bool:
    """Tell whether the word behind "all" is surely a noun. In "What does each cost?" it is none."""
    how, noun = found["how"].casefold(), found["noun"]
    is_plural = how in ("all", "both") and noun.endswith("s")
    return found.has("behind") or how == "every" or noun[0].isupper() or is_plural


def _names_of(passage: Passage) -> list[str]:
    above = [passage["title"], *passage["heading_path"], *passage["attributes"], *passage["attributes"].values()]
    return content_words(" ".join([*above, passage["path"]]))
