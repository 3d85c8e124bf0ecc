"""Reads a CSV file of places: columns by name, and an error by line for what is no place (pure)."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bot.errors import KnowledgeError
from bot.knowledge.places.gazetteer import KnownPlace, folded
from bot.knowledge.places.weekdays import open_days
from bot.knowledge.readers.encoding import decode
from graph.calendar.names import DAYS
from graph.text.words import content_words

COLUMNS: Final = {
    "name": ("name", "title", "place"),
    "kind": ("kind", "category", "type"),
    "address": ("address", "street", "street address", "addr"),
    "city": ("city", "town", "locality", "municipality"),
    "state": ("state", "region", "province"),
    "postcode": ("postcode", "zip", "zip code", "zipcode", "postal code", "plz"),
    "country": ("country",),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "hours": ("hours", "open hours", "opening hours", "opening times"),
    "id": ("id", "key"),
}
"""What columns may be called, without capitals, accents and signs. All other columns are attributes."""
_FIELD_OF: Final = {name: field_ for field_, names in COLUMNS.items() for name in names}
_SIGNS: Final = ",;\t|"
_SAMPLE: Final = 8_000
LONGEST: Final = 500
"""Characters of one value; longer ones are cut."""
MOST_COLUMNS: Final = 60
_LATITUDES, _LONGITUDES = 90.0, 180.0

Row: TypeAlias = tuple[int, dict[str, str]]
"""The number of a line, and its values by column."""
Errors: TypeAlias = list[tuple[int, str]]
"""The numbers of the lines that cannot be read, and why."""
Locate: TypeAlias = Callable[[str, str], Sequence[KnownPlace]]
"""Returns where a city or postcode (first) of a state or country (second) may be."""


@dataclass(frozen=True, kw_only=True)
class PlaceLine:
    """A place as one line of the file has it."""

    number: int
    """The line in the file, from 1."""
    key: str
    name: str
    kind: str
    address: str
    latitude: float
    longitude: float
    is_exact: bool
    hours: str
    open_on: list[int] | None
    attributes: dict[str, str]
    words: list[str]
    named: list[str]

    @property
    def hash(self) -> str:
        """What changes if anything of the place changes, except its line's number."""
        told = {name: value for name, value in vars(self).items() if name != "number"}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


class _LineError(Exception):
    """A line is no place; the message says why."""


def read_places(rows: Iterable[Row], locate: Locate, *, kind: str) -> tuple[list[PlaceLine], Errors]:
    """Return the places of a file's rows, and errors by line; `kind` is the kind of those whose line names none."""
    places, errors, lines = list[PlaceLine](), Errors(), _Lines(locate, kind)
    for number, values in rows:
        try:
            places.append(lines.read(number, values))
        except _LineError as error:
            errors.append((number, str(error)))
    return places, errors


def rows_of(content: bytes, *, required: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a table. Raises `KnowledgeError` if it is none, or a column is missing or twice."""
    text = decode(content).removeprefix("\ufeff").replace("\0", "")
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:_SAMPLE].partition("\n")[0], _SIGNS)
    except csv.Error:
        dialect = csv.excel
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter)
    heads = _heads(next(_readable(reader), list[str]()))
    for name in required:
        if name not in heads:
            raise KnowledgeError(_missing(name, heads))
    before = reader.line_num
    for row in _readable(reader):
        number, before = before + 1, reader.line_num
        if any(value.strip() for value in row):
            yield number, _values(heads, row)


def _readable(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise KnowledgeError(f"It is no CSV file: {error}.") from error


def _heads(row: Sequence[str]) -> list[str]:
    named = [_FIELD_OF.get(folded(head), head.strip()) for head in row]
    twice = next((name for name in named if name in COLUMNS and named.count(name) > 1), None)
    if twice:
        raise KnowledgeError(f"Two columns say the {twice}: {', '.join(row)}.")
    if len(named) > MOST_COLUMNS:
        raise KnowledgeError(f"It has {len(named)} columns; at most {MOST_COLUMNS} are read.")
    return named


def _missing(name: str, heads: Sequence[str]) -> str:
    more = " or give --kind" if name == "kind" else ""
    return f"The first line must name a column “{name}”{more}; it names: {', '.join(heads) or 'nothing'}."


def _values(heads: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    values = {head: " ".join(value.split())[:LONGEST] for head, value in zip(heads, row, strict=False) if head}
    if extra := [value for value in row[len(heads) :] if value.strip()]:
        values[""] = extra[0]
    return values


class _Lines:
    """The lines of one file."""

    def __init__(self, locate: Locate, kind: str) -> None:
        self._locate = locate
        self._kind = kind
        self._seen: dict[str, int] = {}

    def read(self, number: int, values: dict[str, str]) -> PlaceLine:
        """Return the line's place. Raises `_LineError`."""
        if "" in values:
            raise _LineError(f"It has more values than there are columns (“{values['']}”): put quotes around commas.")
        name, kind = values.get("name", ""), values.get("kind") or self._kind
        if not name:
            raise _LineError("The name is missing.")
        if not kind:
            raise _LineError("The kind is missing.")
        address = _address(values)
        key = values.get("id") or f"{folded(name)} {folded(address)}"
        latitude, longitude, is_exact = self._position(values)
        if key in self._seen and is_exact and key == f"{folded(name)} ":
            # Branches of one name are told apart by where they are.
            key = f"{key}{latitude} {longitude}"
        if key in self._seen:
            raise _LineError(f"It is the same place as line {self._seen[key]}.")
        self._seen[key] = number
        hours = _hours(values)
        attributes = {head: value for head, value in values.items() if value and _is_attribute(head)}
        named = content_words(f"{name} {kind} {values.get('city', '')}")
        told = content_words(" ".join(f"{head} {value}" for head, value in attributes.items() if not _denies(value)))
        return PlaceLine(
            number=number, key=key, name=name, kind=kind.casefold(), address=address, latitude=latitude,
            longitude=longitude, is_exact=is_exact, hours=hours, open_on=open_days(hours), attributes=attributes,
            words=sorted({*named, *told, *content_words(address)}), named=sorted(set(named)),
        )  # fmt: skip

    def _position(self, values: dict[str, str]) -> tuple[float, float, bool]:
        latitude, longitude = values.get("latitude", ""), values.get("longitude", "")
        if latitude or longitude:
            return _degrees(latitude, "latitude", _LATITUDES), _degrees(longitude, "longitude", _LONGITUDES), True
        spot = self._spot(values)
        return spot.latitude, spot.longitude, False

    def _spot(self, values: dict[str, str]) -> KnownPlace:
        postcode, city = values.get("postcode", ""), values.get("city", "")
        state, country = values.get("state", ""), values.get("country", "")
        if not postcode and not city:
            raise _LineError("It says neither latitude and longitude nor a city or postcode.")
        if postcode and (found := [*self._locate(postcode, country)]):
            if len(found) > 1:
                raise _LineError(f"The postcode {postcode} is in several countries: fill in the column country.")
            return found[0]
        found = [*self._locate(city, state or country)] if city else []
        if not found:
            raise _LineError(f"Nobody knows where {city or postcode} is: give latitude and longitude.")
        if len(found) > 1:
            several = "; ".join(one.label for one in found[:3])
            raise _LineError(f"{city} may be {several}: fill in the column state or country, or the coordinates.")
        return found[0]


def _degrees(written: str, what: str, most: float) -> float:
    try:
        degrees = float(written.replace(",", "."))
    except ValueError:
        raise _LineError(f"The {what} “{written}” is no number of degrees.") from None
    # A comparison with NaN is false.
    if not -most <= degrees <= most:
        raise _LineError(f"The {what} {written} is not between -{most:.0f} and {most:.0f}.")
    return degrees


def _address(values: dict[str, str]) -> str:
    address = values.get("address", "")

    def missing(*names: str) -> list[str]:
        # Many files repeat the city in the address.
        return [part for name in names if (part := values.get(name, "")) and folded(part) not in folded(address)]

    parts = (address, " ".join(missing("postcode", "city")), *missing("state", "country"))
    return ", ".join(part for part in parts if part)


def _hours(values: dict[str, str]) -> str:
    if values.get("hours"):
        return values["hours"]
    by_day = {folded(head): value for head, value in values.items()}
    return "; ".join(f"{day.capitalize()} {by_day[day]}" for day in DAYS if by_day.get(day))


def _is_attribute(head: str) -> bool:
    return head not in COLUMNS and folded(head) not in DAYS


def _denies(value: str) -> bool:
    return folded(value) in {"no", "none", "n", "false", "0", "nein", "nao"}
