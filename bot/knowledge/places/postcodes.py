"""Reads a table of postcodes: GeoNames' format, or a CSV file with named columns (pure)."""

from typing import Final

from bot.knowledge.places.gazetteer import gazetteer
from bot.knowledge.places.store import Postcode
from bot.knowledge.places.table import Errors, Row, rows_of
from bot.knowledge.readers.encoding import decode
from graph import patterns

_GEONAMES: Final = patterns.compile(r"[A-Z]{2}\t[^\t]+\t")
_COLUMNS: Final = (
    "country", "postcode", "city", "state", "state code", "county", "county code", "community", "community code",
    "latitude", "longitude", "accuracy",
)  # fmt: skip
"""Columns of https://download.geonames.org/export/zip/readme.txt."""
_LOOKS: Final = patterns.compile(r"[A-Za-z]{0,2}[- ]?[A-Za-z0-9]*\d[A-Za-z0-9]*(?:[- ][A-Za-z0-9]{2,4})?")


def code_in(text: str) -> str:
    """Return a text as a postcode in its stored form; empty if it does not look like one."""
    return _plain(text) if _LOOKS.fullmatch(text.strip()) else ""


def read_postcodes(content: bytes) -> tuple[list[Postcode], Errors]:
    """Return the postcodes, the first of each code and country, and errors by line. Raises `KnowledgeError`."""
    found: dict[tuple[str, str], Postcode] = {}
    errors = Errors()
    for number, row in _rows(content):
        try:
            code = _postcode(row)
        except ValueError as error:
            errors.append((number, str(error)))
            continue
        found.setdefault((code.country, code.code), code)
    return [*found.values()], errors


def _rows(content: bytes) -> list[Row]:
    text = decode(content)
    if not _GEONAMES.match(text):
        return [*rows_of(content, required=("country", "postcode", "latitude", "longitude"))]
    return [
        (number, dict(zip(_COLUMNS, line.split("\t"), strict=False)))
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def _postcode(row: dict[str, str]) -> Postcode:
    """Return a row's postcode. Raises `ValueError` that says what is wrong."""
    country = gazetteer().country_code(row.get("country", ""))
    code = _plain(row.get("postcode", ""))
    if not country or not code:
        raise ValueError("The country or the postcode is missing.")
    try:
        latitude, longitude = float(row["latitude"].replace(",", ".")), float(row["longitude"].replace(",", "."))
    except (KeyError, ValueError):
        raise ValueError(f"{code} has no latitude and longitude.") from None
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):  # noqa: PLR2004 - degrees
        raise ValueError(f"{code} is not on the map.")
    return Postcode(country=country, code=code, city=row.get("city", ""), latitude=latitude, longitude=longitude)


def _plain(code: str) -> str:
    return "".join(letter for letter in code.upper() if letter.isalnum())
