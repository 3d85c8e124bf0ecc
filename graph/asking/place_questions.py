"""Questions for places of a directory: "childcare near Austin, open on Saturday", in three languages (pure).

Only a question that consists of such words counts, and only if the directory has places of the kind that it asks for.
"How much does childcare near Austin cost us?" is about documents.
"""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Final

from graph import patterns
from graph.calendar.names import WEEK, WEEKDAYS
from graph.places import KM_OF_A_MILE, NEAR_KM, PlaceQuestion
from graph.text.words import content_words, stem, words

LONGEST: Final = 200
"""Characters; no such question is longer."""
_MOST_NEAR: Final = 8
"""Words of a city, postcode or name."""
_MOST_ALSO: Final = 6
_LONGEST_FOLLOW_UP: Final = 12
"""Words."""
_FARTHEST_KM: Final = 500.0
_IGNORE: Final = patterns.IGNORE_CASE

_STRONG: Final = patterns.compile(
    r"\b(?:near(?:by)?(?: to)?|close to|around|not far from|in the (?:area|vicinity|neighbou?rhood) of"
    r"|within (?P<amount>\d+(?:[.,]\d+)?) ?(?P<unit>km|kilomet(?:er|re)s?|mi|miles?) (?:of|from)"
    r"|in der nähe (?:von|des|der)|nahe(?: bei)?|perto d[eoa]s?|próxim[oa]s? (?:de|do|da|a|ao|à))(?:\b|$)",
    _IGNORE,
)
_WEAK: Final = patterns.compile(r"\b(?:in|bei|em|no|na)\b", _IGNORE)
_TO: Final = patterns.compile(r"\bto\b", _IGNORE)
_NEAREST: Final = patterns.compile(r"\b(?:nearest|closest)\b", _IGNORE)
_WITH: Final = patterns.compile(
    r"[\s,]+(?:(?:that|which)\s+(?:has|have|offers?|takes?)|with|for|offering|mit|für|com|para)\s+", _IGNORE
)
_NAMED_DAYS: Final = "|".join(
    rf"(?P<d{day}>(?:{'|'.join(name for name, of in WEEKDAYS.items() if of == day)})s?(?:-feiras?)?)"
    for day in range(WEEK)
)
_OPEN: Final = patterns.compile(
    r"(?:^|[\s,;:–-]+)(?:(?:and|that|which|ones?|of (?:them|those)|die|e|que|und)\s+)*"
    r"(?:(?:is|are|ist|sind|está|estão)\s+)?"
    r"(?P<opens>(?:(?:open|geöffnet|offen|abert[oa]s?|auf)\s+)?(?:(?:on|at|am|an|aos?|no|during)\s+)?)(?:the\s+)?"
    rf"(?:{_NAMED_DAYS}|(?P<weekend>weekends?|wochenende|fim de semana)|(?P<today>today|heute|hoje|now)"
    r"|(?P<tomorrow>tomorrow|morgen|amanhã))"
    r"(?:\s+(?:geöffnet|offen|open|auf|abert[oa]s?)(?:\s+(?:hat|haben|ist|sind))?)?[\s,]*$",
    _IGNORE,
)
_CONNECTS: Final = patterns.compile(
    r"^\s*(?:(?:and|or|also|und|oder|ou|e)\s+)?(?:(?:what|how) about\s+|wie ist es\s+)?(?:and\s+|the\s+)*", _IGNORE
)
_WHICH: Final = patterns.compile(r"^\s*(?:which|welche|quais)\b(?:\s+(?:ones?|of (?:them|those)|davon))?\s*", _IGNORE)
_ARTICLES: Final = frozenset({"the", "our", "my", "der", "die", "das", "dem", "des", "unser", "o", "a", "os", "as"})
_HERE: Final = frozenset({"me", "us", "here", "mir", "uns", "hier", "mim", "nós", "aqui", "by"})
_ASKING: Final = frozenset(
    """
    a all am an and any are at can close closest could do does find for get give good have hello hey hi i in is know
    list located look looking me my nearest need of on options or our places please search show some tell that the
    there to us want we what what's which where where's you your
    auch beste das der die eine einen einer eines es finde finden gibt habe haben hier ich ist kann liegt liste mir
    nächste nächsten nächster nächstes sind suche und welche welchen welcher welches wir wo zeig zeige zum zur
    a as algum alguma conhece de e em existe fica ficam há mais me mostra no na o onde os ou perto próximo próxima
    qual quais que são temos tem um uma
    """.split()
)
"""Words of a question besides what it asks for."""


def place_question(question: str, kinds: Sequence[str], today: str) -> PlaceQuestion | None:
    """Return what a whole question asks of the directory; `None` if it may ask for anything else. `today` is ISO."""
    if not kinds or len(question) > LONGEST:
        return None
    asked, days = _days_in(question.strip(" \t\n?.!"), today)
    found = _place_of(asked)
    if found is None:
        return None
    before, near, within = found
    before, earlier = _days_in(before, today)
    near, also = _divided(near)
    wanted = _kinds_of(before, kinds)
    if wanted is None or not _may_be_near(near):
        return None
    return PlaceQuestion(
        kinds=wanted[0],
        near=_bare(near),
        days=days or earlier,
        also=[one for one in (*wanted[1], also) if one],
        within_km=within,
    )


def place_follow_up(message: str, previous: PlaceQuestion, kinds: Sequence[str], today: str) -> PlaceQuestion | None:
    """Return what "and in Dallas?", "open on Saturday?" or "and clinics?" asks, after a question for places."""
    asked = message.strip(" \t\n?.!")
    left, days = _days_in(f" {asked}", today)
    rest = _CONNECTS.sub("", _WHICH.sub("", left)).strip()
    is_linked = rest != left.strip() or _WHICH.search(left) is not None
    same: PlaceQuestion = {**previous, "days": days or previous["days"]}
    if not rest or len(asked.split()) > _LONGEST_FOLLOW_UP:
        return same if days and not rest else None
    found = _place_of(rest)
    if found and not found[0].strip():
        return {**same, "near": _bare(found[1]), "within_km": found[2]}
    if not is_linked:
        return None
    if wanted := _kinds_of(rest, kinds):
        return {**same, "kinds": wanted[0], "also": wanted[1]}
    return {**same, "near": _bare(rest)} if found is None and _may_be_near(rest) else None


def planned(what: str, near: str, day: str, kinds: Sequence[str], today: str) -> PlaceQuestion | None:
    """Return the question that a model planned; `None` if the directory has no such kind."""
    head, also = _divided(what[:LONGEST])
    wanted = _kinds_of(head, kinds, is_strict=False)
    if wanted is None or not near.strip():
        return None
    _, days = _days_in(f" open on {day.strip()}", today) if day.strip() else ("", list[int]())
    more = [one for one in (*wanted[1], also) if one]
    return PlaceQuestion(kinds=wanted[0], near=_bare(near[:LONGEST]), days=days, also=more, within_km=NEAR_KM)


def asked_as(asked: PlaceQuestion, days: Sequence[str]) -> str:
    """Return a question in words that this module reads as the same question."""
    also = "".join(f" with {one}" for one in asked["also"])
    near = f"within {asked['within_km']:.0f} km of" if asked["within_km"] != NEAR_KM else "near"
    opened = f", open on {days[0]}" if days else ""
    return f"{' or '.join(asked['kinds'])}{also} {near} {asked['near']}{opened}?"


def _days_in(text: str, today: str) -> tuple[str, list[int]]:
    """Return a text without the day at its end, and the weekdays that this day is."""
    found = _OPEN.search(text)
    if found is None or (not found["opens"].strip() and not found.start() and text.strip() == text):
        return text, []
    weekday = date.fromisoformat(today).weekday()
    if found.has("weekend"):
        days = [5, 6]
    elif found.has("today"):
        days = [weekday]
    elif found.has("tomorrow"):
        days = [(weekday + 1) % WEEK]
    else:
        days = [day for day in range(WEEK) if found.has(f"d{day}")]
    return text[: found.start()], days


def _place_of(text: str) -> tuple[str, str, float] | None:
    """Return what is asked for, near where, and within how many kilometres; `None` if no place is named."""
    if found := _STRONG.search(text):
        km = NEAR_KM
        if found.has("amount"):
            amount = float(found["amount"].replace(",", "."))
            unit = KM_OF_A_MILE if found["unit"].casefold().startswith("mi") else 1.0
            km = float(min(max(round(amount * unit), 1), _FARTHEST_KM))
        return text[: found.start()], text[found.end() :], km
    weak = [*_WEAK.finditer(text), *(_TO.finditer(text) if _NEAREST.search(text) else ())]
    if not weak:
        return None
    last = max(weak, key=lambda found: found.start())
    return text[: last.start()], text[last.end() :], NEAR_KM


def _divided(text: str) -> tuple[str, str]:
    """Return a text, and what follows "with" in it."""
    found = _WITH.search(text)
    return (text[: found.start()], text[found.end() :].strip(" ,")) if found else (text, "")


def _kinds_of(text: str, kinds: Sequence[str], *, is_strict: bool = True) -> tuple[list[str], list[str]] | None:
    """Return the kinds that a text asks for, and what else it wants; `None` if it holds other words."""
    for found in (None, *_WITH.finditer(text)):
        head, also = (text[: found.start()], text[found.end() :].strip(" ,")) if found else (text, "")
        said = words(head)
        # "Child care" is "childcare".
        joined = {stem(one + other): (stem(one), stem(other)) for one, other in pairwise(said)}
        asked = {stem(word) for word in said if word not in _ASKING}
        held = {kind: {*content_words(kind)} for kind in kinds}
        wanted = [kind for kind, stems in held.items() if stems and stems <= asked | joined.keys()]
        largest = [kind for kind in wanted if not any(held[kind] < held[other] for other in wanted)]
        known = {one for kind in largest for one in held[kind]}
        known |= {part for whole in known & joined.keys() for part in joined[whole]}
        if largest and (not is_strict or asked <= known) and len(also.split()) <= _MOST_ALSO:
            return largest, [also] if also else []
    return None


def _may_be_near(near: str) -> bool:
    return len(near.split()) <= _MOST_NEAR


def _bare(near: str) -> str:
    """Return a name without articles before it; empty for "me" and "here"."""
    named = near.strip(" ,;:?.!\"'“”").split()
    while named and named[0].casefold() in _ARTICLES and len(named) > 1:
        named = named[1:]
    return "" if " ".join(named).casefold() in _HERE else " ".join(named)
