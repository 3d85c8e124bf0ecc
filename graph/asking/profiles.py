"""Who asks: their time zone, office and team, and which reading of a question these decide."""

from datetime import date, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from graph import patterns
from graph.asking.clarification import Ambiguity
from graph.text.words import content_words
from graph.turn import Profile, Unit


class Own(NamedTuple):
    """The reading that is the asker's own."""

    unit: Unit
    label: str


_NAMES: Final[dict[Unit, frozenset[str]]] = {
    "office": frozenset(
        content_words(
            "office offices site location branch Büro Büros Standort Niederlassung Filiale"
            " escritório escritórios sucursal localização"
        )
    ),
    "team": frozenset(content_words("team squad equipa equipas equipe equipes")),
    "department": frozenset(
        content_words("department division Abteilung Abteilungen Bereich departamento departamentos")
    ),
}
"""The stems of what people call a unit."""
_QUALIFIERS: Final = frozenset(content_words("main primary current work company name"))
"""Words that a field's label may have beside the unit's name."""
_PARTS: Final = patterns.compile(r"[,;/|()·•–—\n]|\s-\s|\s(?:and|und|e|&|\+)\s")
_OF_OTHERS: Final = patterns.compile(
    r"\b(?:others?|another|else(?:where)?|different|visit\w*|travel\w*|trip|guests?|ander\w*|besuch\w*|gast|gäste\w*"
    r"|reis\w*|outr[oa]s?|viag\w*|viaj\w*|convidad\w*)\b",
    patterns.IGNORE_CASE,
)
"""Words of a question that may mean another office than one's own."""
_WHICH: Final = patterns.compile(
    r"\b(?:which|what|welche[rsnm]?|qual|quais)\s(?:\S+\s){0,2}?(?:offices?|sites?|locations?|branch(?:es)?|teams?|squads?"
    r"|departments?|divisions?|büros?|standorte?n?|niederlassung(?:en)?|filialen?|abteilung(?:en)?|bereiche?"
    r"|escritórios?|equipas?|equipes?|departamentos?)\b",
    patterns.IGNORE_CASE,
)
"""A question for the unit itself."""


def own_reading(question: str, ambiguity: Ambiguity, profile: Profile) -> Own | None:
    """Return the one reading that is the asker's own office, team or department.

    `None` if there is none, or if the question may mean another one. The readings must be of such a unit by the
    documents' own words: an office's rules, but not hotel prices of cities.
    """
    if _OF_OTHERS.search(question) or _WHICH.search(question):
        return None
    kind, _, subject = ambiguity.attribute.partition(" of ")
    # What a case or a column is of may hold any folder's name. Of folders it is all that says what they are.
    called = set(content_words(subject if kind.startswith("path:") else kind))
    own = [
        Own(unit, label)
        for unit, value in profile["units"].items()
        if called & _NAMES[unit]
        for label in ambiguity.labels
        if _bare(label) in map(_bare, _PARTS.split(value)) and _bare(label)
    ]
    return own[0] if len({one.label for one in own}) == 1 else None


def unit_of(label: str) -> Unit | None:
    """Return the unit that a field with this label names: "Office location", but not "Office phone"."""
    said = set(content_words(label))
    return next((unit for unit, names in _NAMES.items() if said & names and said <= names | _QUALIFIERS), None)


def today_for(now: datetime, profile: Profile | None) -> date:
    """Return the date where the asker is; if nobody knows that, the date in the zone of `now`."""
    try:
        return now.astimezone(ZoneInfo(profile["zone"])).date() if profile and profile["zone"] else now.date()
    except (LookupError, ValueError, OSError):
        # Others wrote it: it may be no name of a zone at all.
        return now.date()


def _bare(name: str) -> list[str]:
    """Return the stems of a unit's name, without what it is: "the Porto office" is "Porto"."""
    return [word for word in content_words(name) if not any(word in names for names in _NAMES.values())]
