"""Looks places up for one asker: what "near" means, and what is near (`graph.places.Places`)."""

import asyncio

from bot.knowledge.places import store
from bot.knowledge.places.gazetteer import KnownPlace, gazetteer
from bot.knowledge.places.postcodes import code_in
from bot.knowledge.search import Library
from graph.places import MOST_LISTED, MOST_SPOTS, Place, PlaceQuestion, Spot
from graph.text.words import content_words

_LONGEST_NAME = 120
"""Characters of a place's name; a longer text is none."""
_SITES = frozenset(content_words("office site building headquarters branch Büro Standort Zentrale escritório sede"))
"""Words beside a city's name that say no other place: "the Berlin office" is in Berlin, if no directory has it."""


class PlaceLookup:
    """The directory of one asker in one workspace."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def kinds(self) -> list[str]:
        """Return the kinds of places."""
        return (await self._library.outline()).kinds

    async def spots(self, near: str) -> list[Spot]:
        """Return the postcodes or cities of this name, the largest first; else places of the directory.

        "The Berlin office" is in Berlin, if no directory has it.
        """
        said = " ".join(near[:_LONGEST_NAME].replace("\0", " ").split())
        code = code_in(said)
        async with self._library.reading() as connection:
            codes = await store.postcodes(connection, [code]) if code else {}
            stems = [] if code else content_words(said)
            named = await store.named(connection, stems, limit=MOST_SPOTS) if stems else []
        # In a thread, because loading the gazetteer takes a second or two, once in a process.
        known = [*codes.get(code, []), *await asyncio.to_thread(lambda: gazetteer().find(said))]
        if code:
            known = [*{one.country: one for one in reversed(known)}.values()]
        if not known and named:
            names = [place.name for place in named]
            return [_spot_of(place, is_alone=names.count(place.name) == 1) for place in named]
        return [_spot(one) for one in known or await asyncio.to_thread(_site, said)][:MOST_SPOTS]

    async def around(self, asked: PlaceQuestion, spots: list[Spot]) -> list[list[Place]]:
        """Return the places near each spot, those that fit first; if none is near any, those around the first one."""
        async with self._library.reading() as connection:
            found = await store.around(connection, spots, asked, limit=MOST_LISTED, anywhere=False)
            found = found or await store.around(connection, spots[:1], asked, limit=MOST_LISTED, anywhere=True)
        return [[place for spot, place in found if spot == number] for number in range(1, len(spots) + 1)]


def _site(said: str) -> list[KnownPlace]:
    """Return the cities of a name without words such as "office"."""
    city = " ".join(word for word in said.split() if not _SITES & set(content_words(word)))
    return gazetteer().find(city) if city and city != said else []


def _spot(known: KnownPlace) -> Spot:
    return Spot(
        id=known.id,
        label=known.label,
        latitude=known.latitude,
        longitude=known.longitude,
        country=known.country,
        from_directory=False,
    )


def _spot_of(place: store.NamedPlace, *, is_alone: bool) -> Spot:
    # People choose among labels, so each must say which place it is.
    where = place.address or f"{place.latitude:.2f}, {place.longitude:.2f}"
    label = place.name if is_alone else f"{place.name}, {where}"
    return Spot(
        id=f"place:{place.id}",
        label=label,
        latitude=place.latitude,
        longitude=place.longitude,
        country="",
        from_directory=True,
    )
