"""Places: what a person asks of a directory, where that is, and what is near (pure; plain JSON)."""

from typing import TypedDict

NEAR_KM = 50.0
"""What is farther away is not near."""
KM_OF_A_MILE = 1.609
MOST_LISTED = 5
"""Places of a list."""
MOST_SPOTS = 20
"""Readings of one name that are looked at, the largest city first."""


class PlaceQuestion(TypedDict):
    """A question for places of a directory."""

    kinds: list[str]
    """The directory's kinds that it asks for, as the directory writes them."""
    near: str
    """The city, postcode or place, in the person's words."""
    days: list[int]
    """The weekdays on one of which it must be open (0: Monday); none: on any."""
    also: list[str]
    """What else the person wants of it, as in "with parking"; empty if nothing."""
    within_km: float


class Spot(TypedDict):
    """Where "near" is."""

    id: str
    label: str
    latitude: float
    longitude: float
    country: str
    """ISO 3166-1, two letters; empty if unknown."""
    from_directory: bool
    """Whether it is a place of the directory, whose name not everybody may read."""


class Place(TypedDict):
    """A place near a spot."""

    id: int
    name: str
    kind: str
    address: str
    latitude: float
    longitude: float
    is_exact: bool
    """Whether its own coordinates are known, and not only those of its city or postcode."""
    hours: str
    is_open: bool | None
    """Whether it is open on one of the asked days; `None` if its hours do not tell, or no day was asked for."""
    fits: bool
    """Whether the directory says all that the person wants of it."""
    attributes: dict[str, str]
    km: float
    directory: str
    """The name of the imported file."""
    imported: str
    """ISO date."""
    restricted: bool
    """Whether only some people or channels may read it."""
