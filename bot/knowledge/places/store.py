"""The SQL of places and postcodes. Call each function in a transaction of the workspace."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from psycopg.types.json import Jsonb

from bot.knowledge.places.gazetteer import KnownPlace
from bot.knowledge.places.table import PlaceLine
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.places import Place, PlaceQuestion, Spot
from graph.text.words import content_words

KIND: Final = "places"
"""The kind of source that a directory is."""
_LOCATION: Final = "places:"
_KM_OF_A_DEGREE: Final = 110.0
"""Of latitude, at least."""
_ALL_DEGREES: Final = 180.0


@dataclass(frozen=True, kw_only=True)
class Directory:
    """An imported file."""

    location: str
    names: list[str]
    """Who may read it."""
    places: int
    kinds: list[str]
    imported_at: datetime | None

    @property
    def name(self) -> str:
        """The file's name."""
        return self.location.removeprefix(_LOCATION)


@dataclass(frozen=True, kw_only=True)
class Postcode:
    """Where a postcode is."""

    country: str
    code: str
    city: str
    latitude: float
    longitude: float

    @property
    def place(self) -> KnownPlace:
        """The postcode as a place on the map."""
        return KnownPlace(
            id=f"code:{self.country}:{self.code}",
            label=" ".join(filter(None, (self.code, self.city))) + f", {self.country}",
            latitude=self.latitude,
            longitude=self.longitude,
            country=self.country,
        )


@dataclass(frozen=True, kw_only=True)
class NamedPlace:
    """A place of which the name was said."""

    id: int
    name: str
    address: str
    latitude: float
    longitude: float


def location_of(name: str) -> str:
    """Return the source's location of a directory."""
    return f"{_LOCATION}{name.removeprefix(_LOCATION)}"


async def hashes(connection: Connection, source_id: int) -> dict[str, str]:
    """Return what was imported, by key."""
    query = "SELECT key, hash FROM places WHERE source_id = %(source_id)s"
    return await fetch.pairs(connection, query, source_id=source_id)


async def put(connection: Connection, source_id: int, lines: Sequence[PlaceLine]) -> None:
    """Store places, also over those with the same key."""
    query = """
        INSERT INTO places
            (workspace, source_id, audience_id, key, name, kind, address, latitude, longitude, is_exact, hours,
             open_on, attributes, words, named, hash)
        SELECT workspace, source_id, id, %(key)s, %(name)s, %(kind)s, %(address)s, %(latitude)s, %(longitude)s,
               %(is_exact)s, %(hours)s, %(open_on)s::smallint[], %(attributes)s, %(words)s, %(named)s, %(hash)s
        FROM audiences WHERE source_id = %(source_id)s AND path = ''
        ON CONFLICT (source_id, key) DO UPDATE SET
            name = excluded.name, kind = excluded.kind, address = excluded.address, latitude = excluded.latitude,
            longitude = excluded.longitude, is_exact = excluded.is_exact, hours = excluded.hours,
            open_on = excluded.open_on, attributes = excluded.attributes, words = excluded.words,
            named = excluded.named, hash = excluded.hash
    """
    async with connection.cursor() as cursor:
        await cursor.executemany(
            query,
            [
                {**vars(line), "source_id": source_id, "hash": line.hash, "attributes": Jsonb(line.attributes)}
                for line in lines
            ],
        )


async def remove(connection: Connection, source_id: int, keys: Collection[str]) -> None:
    """Remove places of a directory."""
    query = "DELETE FROM places WHERE source_id = %(source_id)s AND key = ANY (%(keys)s)"
    await connection.execute(query, {"source_id": source_id, "keys": [*keys]})


async def stamp(connection: Connection, source_id: int) -> None:
    """Record that a directory was imported now, and keep it."""
    query = "UPDATE sources SET was_added = true, synced_at = now() WHERE id = %(source_id)s"
    await connection.execute(query, {"source_id": source_id})


async def directories(connection: Connection) -> list[Directory]:
    """Return the directories that the transaction may read, by name."""
    query = """
        SELECT location, names, count(places.id) AS places, synced_at AS imported_at,
               coalesce(array_agg(DISTINCT places.kind) FILTER (WHERE places.id IS NOT NULL), '{}') AS kinds
        FROM sources JOIN audiences ON audiences.source_id = sources.id AND audiences.path = ''
            LEFT JOIN places ON places.source_id = sources.id
        WHERE sources.kind = %(kind)s
        GROUP BY sources.id, names ORDER BY location
    """
    return await fetch.rows(connection, Directory, query, kind=KIND)


async def named(connection: Connection, stems: Sequence[str], *, limit: int) -> list[NamedPlace]:
    """Return the places whose name, kind and city hold all these stems; those with the fewest others first."""
    query = """
        SELECT id, name, address, latitude, longitude FROM places WHERE named @> %(stems)s::text[]
        ORDER BY cardinality(named), name, id LIMIT %(limit)s
    """
    return await fetch.rows(connection, NamedPlace, query, stems=[*stems], limit=limit)


async def around(
    connection: Connection, spots: Sequence[Spot], asked: PlaceQuestion, *, limit: int, anywhere: bool
) -> list[tuple[int, Place]]:
    """Return up to `limit` places of the asked kinds for each spot, each with its spot's number, from 1.

    Near ones come first, then those that fit, then by distance.
    Only near ones if not `anywhere`: the index finds those between two latitudes.
    The distance is that of the great circle on a sphere of 6,371 km (haversine), half a per cent off at most.
    """
    cursor = await connection.execute(
        """
        WITH measured AS (
            SELECT spot::integer, places.id, name, places.kind, address, latitude, longitude, is_exact, hours,
                   attributes, substr(location, %(prefix)s) AS directory,
                   coalesce(synced_at::date::text, '') AS imported,
                   NOT names @> '{everyone}' AS restricted,
                   CASE WHEN %(days)s::smallint[] <> '{}' THEN open_on && %(days)s::smallint[] END AS is_open,
                   words @> %(stems)s::text[] AS fits,
                   12742 * asin(sqrt(least(1, sin(radians(latitude - south) / 2) ^ 2
                       + cos(radians(south)) * cos(radians(latitude)) * sin(radians(longitude - west) / 2) ^ 2))) AS km
            FROM unnest(%(latitudes)s::float8[], %(longitudes)s::float8[]) WITH ORDINALITY AS spots (south, west, spot)
                CROSS JOIN places JOIN sources ON sources.id = source_id JOIN audiences ON audiences.id = audience_id
            WHERE places.kind = ANY (%(kinds)s::text[])
              AND latitude BETWEEN south - %(degrees)s::float8 AND south + %(degrees)s::float8
        ), ranked AS (
            SELECT *, row_number() OVER (
                PARTITION BY spot ORDER BY km <= %(within_km)s DESC, fits DESC, is_open DESC NULLS LAST, km, id
            ) AS place
            FROM measured
        )
        SELECT spot, id, name, kind, address, latitude, longitude, is_exact, hours, is_open, fits, attributes, km,
               directory, imported, restricted
        FROM ranked WHERE place <= %(limit)s AND (km <= %(within_km)s OR %(anywhere)s) ORDER BY spot, place
        """,
        {
            "latitudes": [spot["latitude"] for spot in spots],
            "longitudes": [spot["longitude"] for spot in spots],
            **_wanted(asked),
            "degrees": _ALL_DEGREES if anywhere else asked["within_km"] / _KM_OF_A_DEGREE,
            "anywhere": anywhere,
            "limit": limit,
            "prefix": len(_LOCATION) + 1,
        },
    )
    return [(row.pop("spot"), cast("Place", row)) async for row in cursor]


def _wanted(asked: PlaceQuestion) -> dict[str, object]:
    stems = {stem for words in asked["also"] for stem in content_words(words)}
    return {"kinds": asked["kinds"], "days": asked["days"], "within_km": asked["within_km"], "stems": sorted(stems)}


async def put_postcodes(connection: Connection, workspace: str, codes: Sequence[Postcode]) -> None:
    """Store postcodes, over those of the same country."""
    countries = sorted({code.country for code in codes})
    await connection.execute("DELETE FROM postcodes WHERE country = ANY (%(countries)s)", {"countries": countries})
    query = """
        INSERT INTO postcodes (workspace, country, code, city, latitude, longitude)
        VALUES (%(workspace)s, %(country)s, %(code)s, %(city)s, %(latitude)s, %(longitude)s)
        ON CONFLICT (workspace, code, country) DO NOTHING
    """
    async with connection.cursor() as cursor:
        await cursor.executemany(query, [{**vars(code), "workspace": workspace} for code in codes])


async def postcodes(connection: Connection, codes: Collection[str]) -> dict[str, list[KnownPlace]]:
    """Return where postcodes are, by code, in all countries whose table was imported."""
    query = """
        SELECT country, code, city, latitude, longitude FROM postcodes WHERE code = ANY (%(codes)s)
        ORDER BY country
    """
    found: dict[str, list[KnownPlace]] = {}
    for one in await fetch.rows(connection, Postcode, query, codes=[*codes]):
        found.setdefault(one.code, []).append(one.place)
    return found


async def postcode_countries(connection: Connection) -> dict[str, int]:
    """Return the number of known postcodes by country."""
    query = "SELECT country, count(*) AS codes FROM postcodes GROUP BY country ORDER BY country"
    return await fetch.pairs(connection, query)
