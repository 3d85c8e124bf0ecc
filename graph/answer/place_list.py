"""The list of places that answers a question: Markdown, its source, and links to the map (pure)."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from graph.answer.guard import vouched
from graph.calendar.names import SHOWN_DAYS
from graph.passages import Passage
from graph.places import KM_OF_A_MILE, MOST_LISTED, Place, PlaceQuestion, Spot
from graph.text.invisible import in_one_line
from graph.text.wording import spoken

LISTED: Final = "(A list of places. Look them up again: what may be read of them can change.)"
"""What a thread remembers of such an answer."""
_MAP: Final = "https://www.openstreetmap.org"
_EXACT_BELOW_KM: Final = 10
_MILES: Final = frozenset({"US", "GB"})
"""Countries whose people think in miles."""
_MOST_ATTRIBUTES: Final = 3
_LONGEST: Final = 160
"""Characters of one value that are shown."""
_MARKUP: Final = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'", "*": None, "~": "-", "|": "/"})


def map_link(place: Place) -> str:
    """Return the address of a place on a map.

    Only this function makes addresses of places. Its host is fixed, and of the imported file it holds two numbers, or
    a quoted name. So no file and no document can choose where a click leads.
    """
    if not place["is_exact"]:
        sought = f"{place['name']}, {place['address']}"[:_LONGEST]
        return f"{_MAP}/search?query={quote(sought, safe='')}"
    latitude, longitude = f"{place['latitude']:.5f}", f"{place['longitude']:.5f}"
    return f"{_MAP}/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"


def passages_of(places: Sequence[Place]) -> list[Passage]:
    """Return a passage for each imported file that the places are from: what the answer cites."""
    by_directory: dict[str, list[Place]] = {}
    for place in places:
        by_directory.setdefault(place["directory"], []).append(place)
    return [_passage(number, found) for number, found in enumerate(by_directory.values(), 1)]


def _passage(number: int, places: list[Place]) -> Passage:
    first = places[0]
    passage = Passage(
        id=-number,
        document_id=-number,
        title=first["directory"],
        path="",
        heading_path=[],
        text="\n".join(f"{_shown(place['name'])}: {'; '.join(_told(place))}" for place in places),
        language="en",
        links=[map_link(place) for place in places],
        dated=first["imported"] or None,
        attributes={},
        score=1.0,
        relevance=1.0,
    )
    if any(place["restricted"] for place in places):
        passage["restricted"] = True
    return passage


def where_to_look(asked: PlaceQuestion, language: str) -> str:
    """Ask for the city or postcode that the question does not name."""
    return spoken("Near which city or postcode? For example: “{kinds} near Berlin”.", language, kinds=_kinds(asked))


def list_of(
    asked: PlaceQuestion, spot: Spot, places: Sequence[Place], passages: Sequence[Passage], language: str
) -> str:
    """Return the places with their distances, hours and map links; first whether they are what was asked for."""
    near = [place for place in places if place["km"] <= asked["within_km"]]
    fitting = [place for place in near if place["fits"] and (not asked["days"] or place["is_open"])]
    numbers = {passage["title"]: number for number, passage in enumerate(passages, 1)}
    listed = (fitting or near or [*places[:1]])[:MOST_LISTED]
    lines = [_line(place, spot, numbers[place["directory"]], language) for place in listed]
    return "\n".join([_heading(asked, spot, language, is_near=bool(near), is_fitting=bool(fitting)), "", *lines])


def which_one(asked: PlaceQuestion, language: str) -> str:
    """Ask which of several cities or places is meant."""
    return spoken("Which “{name}” do you mean?", language, name=_shown(asked["near"]))


def days_of(asked: PlaceQuestion, language: str) -> str:
    """Return the asked weekdays by name."""
    names = SHOWN_DAYS.get(language, SHOWN_DAYS["en"])
    return " / ".join(names[day] for day in asked["days"])


def _heading(asked: PlaceQuestion, spot: Spot, language: str, *, is_near: bool, is_fitting: bool) -> str:
    values = {"kinds": _kinds(asked), "where": _shown(spot["label"]), "km": f"{asked['within_km']:.0f}"}
    if not is_near:
        return spoken("No {kinds} within {km} km of {where} is in the directory. The nearest:", language, **values)
    wished = [f"“{_shown(one)}”" for one in asked["also"]]
    if asked["days"]:
        wished.append(spoken("open on {day}", language, day=days_of(asked, language)))
    if not is_fitting:
        sentence = "No {kinds} near {where} is listed as {wish}. These are near:"
        return spoken(sentence, language, **values, wish=", ".join(wished))
    said = spoken(
        "{kinds} near {where}", language, **{**values, "kinds": values["kinds"][:1].upper() + values["kinds"][1:]}
    )
    return f"**{', '.join([said, *wished])}**"


def _line(place: Place, spot: Spot, number: int, language: str) -> str:
    link = f"[{spoken('Map', language)}]({map_link(place)})"
    parts = [f"**{_shown(place['name'])}**", _distance(place, spot, language), *_told(place), link]
    return f"- {' · '.join(parts)} [{number}]"


def _told(place: Place) -> list[str]:
    more = [f"{head}: {value}" for head, value in [*place["attributes"].items()][:_MOST_ATTRIBUTES]]
    return [_shown(part) for part in (place["address"], place["hours"], *more) if part]


def _distance(place: Place, spot: Spot, language: str) -> str:
    km = place["km"]
    said = f"{_rounded(km)} km"
    if spot["country"] in _MILES:
        said = f"{said} ({_rounded(km / KM_OF_A_MILE)} mi)"
    return said if place["is_exact"] else spoken("about {distance}", language, distance=said)


def _rounded(distance: float) -> str:
    return f"{distance:.1f}" if distance < _EXACT_BELOW_KM else f"{distance:,.0f}"


def _kinds(asked: PlaceQuestion) -> str:
    return _shown(" / ".join(asked["kinds"]))


def _shown(value: str) -> str:
    """Return a value of the file in one line, without mentions, credentials and markup."""
    return in_one_line(vouched(value.translate(_MARKUP)))[:_LONGEST]
