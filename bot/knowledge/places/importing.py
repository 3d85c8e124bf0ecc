"""Imports directories of places and tables of postcodes. The same file again changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.audience import Names
from bot.knowledge import audience_store
from bot.knowledge.places import store
from bot.knowledge.places.gazetteer import KnownPlace, gazetteer
from bot.knowledge.places.postcodes import code_in, read_postcodes
from bot.knowledge.places.table import Errors, Locate, Row, read_places, rows_of
from bot.knowledge.source_store import add_source
from bot.postgres.pool import Connection


@dataclass(kw_only=True)
class Imported:
    """What an import did."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    kept: int = 0
    """Places that the file no longer holds, or whose line is wrong: they stay until every line can be read."""
    errors: Errors = field(default_factory=Errors)


async def import_places(
    connection: Connection, workspace: str, name: str, content: bytes, *, kind: str, names: Names | None
) -> Imported:
    """Make a directory what the file says. `names` may read it; without them, an old one stays as it was shared.

    If a line is wrong, the others are stored, and nothing is removed. Raises `KnowledgeError` if it is no table.
    """
    rows = [*rows_of(content, required=("name",) if kind else ("name", "kind"))]
    places, errors = read_places(rows, await _locator(connection, rows), kind=kind)
    source_id = await add_source(connection, workspace, store.location_of(name), store.KIND)
    if names is not None:
        await audience_store.share(connection, source_id, "", names)
    await audience_store.hold(connection, source_id)
    before, now = await store.hashes(connection, source_id), {place.key for place in places}
    other = [place for place in places if before.get(place.key) != place.hash]
    gone = before.keys() - now
    await store.put(connection, source_id, other)
    if not errors:
        await store.remove(connection, source_id, gone)
    await store.stamp(connection, source_id)
    added = sum(place.key not in before for place in other)
    return Imported(
        added=added,
        changed=len(other) - added,
        unchanged=len(now) - len(other),
        removed=0 if errors else len(gone),
        kept=len(gone) if errors else 0,
        errors=errors,
    )


async def import_postcodes(connection: Connection, workspace: str, content: bytes) -> Imported:
    """Store a table of postcodes, in place of that of the same countries; only if every line can be read."""
    codes, errors = read_postcodes(content)
    if not errors:
        await store.put_postcodes(connection, workspace, codes)
    return Imported(added=0 if errors else len(codes), errors=errors)


async def _locator(connection: Connection, rows: Sequence[Row]) -> Locate:
    """Return a function that knows where the rows' postcodes and cities are."""
    codes = {code for _, values in rows if (code := code_in(values.get("postcode", "")))}
    tables = await store.postcodes(connection, codes)

    def locate(where: str, region: str) -> list[KnownPlace]:
        if not (code := code_in(where)):
            return gazetteer().find(f"{where}, {region}" if region else where)
        country = gazetteer().country_code(region)
        known = [*tables.get(code, []), *gazetteer().find(where)]
        by_country = {one.country: one for one in reversed(known)}
        return [by_country[country]] if country in by_country else [] if country else [*by_country.values()]

    return locate
