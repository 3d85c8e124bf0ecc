"""Whether a message calls a person by name, without a mention: "Ben can you tell?" (pure)."""

from graph import patterns
from graph.text.words import STOP_WORDS

_CALLED = patterns.compile(
    r"^\W*(?:(?:hey|hi|hello|hallo|oi|ok(?:ay)?|and|und|so)[\s,]+)*(?P<name>[^\W\d_]+)\s*,?\s+"
    r"(?:(?:can|could|would|will|do|did|are|have|may|might|should|what|when|where|how)\b[^.?!]{0,40}?\byou\b"
    r"|(?:kannst|könntest|weißt|hast|bist|willst|magst)\s+du\b|(?:podes|sabes|tens|consegues)\b)",
    patterns.IGNORE_CASE,
)
_CALLED_LAST = patterns.compile(r"\b(?:you|du|dir|tu|ti)\b.*,\s*(?P<name>[^\W\d_]+)\s*[?!.]*$", patterns.IGNORE_CASE)
_NOBODY = STOP_WORDS | frozenset(
    """
        askback bot please bitte hi hey hello hallo thanks thank danke sorry actually great maybe perhaps vielleicht
        well then also ok okay sure right good alright but wait say tell anyone anybody everyone everybody guys folks
        team
        """.split()
)


def calls_a_person(said: str) -> bool:
    """Tell whether a message begins or ends with a name and speaks to its bearer."""
    said = patterns.skimmed(said)
    found = [match["name"] for match in (_CALLED.match(said), _CALLED_LAST.search(said)) if match]
    return any(name[0].isupper() and name.casefold() not in _NOBODY for name in found)
