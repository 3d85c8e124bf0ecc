"""What must be quoted along with a statement so that it can be understood, and is not half of the truth (pure)."""

from collections import Counter
from collections.abc import Iterable

from bot.models.offline.writing.statements import NOWHERE, Statement

LONGEST_LIST = 8
LONGEST_PROCEDURE = 6
"""Sentences of a paragraph that tells how something is done: of a longer one, only those that were chosen."""
DEEPEST = 2
"""Statements brought along for one another: what a sentence leans on, and what that leans on."""


def completed(
    chosen: list[Statement], everything: list[Statement], *, steps: bool, lists: bool = True
) -> list[Statement]:
    """Add what the chosen ones need and what limits them, and the list that one introduces or, of `lists`, belongs to.

    A list is wanted whole if several of its items were chosen, or one if `steps` were asked for. Then so is the
    paragraph of a sentence: a sentence out of the middle does not tell how something is done.
    """
    by_spot = {one.spot: one for one in everything}
    listings = {
        (_wanted_listing(one, chosen, steps=steps) if lists else None) or _introduced_listing(one, chosen, by_spot)
        for one in chosen
    }
    listed = [one for one in everything if one.listing in listings - {None}]
    told = _procedures(chosen, everything) if steps else []
    together = [*chosen, *_first_of_each(listed), *told]
    for _ in range(DEEPEST):
        along = [by_spot[spot] for one in together for spot in _along(one, by_spot) if spot in by_spot]
        together = [*together, *along]
    return list({one.spot: one for one in together}.values())


def _first_of_each(listed: list[Statement]) -> list[Statement]:
    """Return the first items of each list. What stands within an item comes along with it."""
    places: dict[tuple[int, int] | None, list[int]] = {}
    items = [one for one in listed if one.kind != "code"]
    for one in items:
        places.setdefault(one.listing, []).append(one.place)
    kept = {listing: set(sorted(own)[:LONGEST_LIST]) for listing, own in places.items()}
    return [one for one in items if one.place in kept[one.listing]]


def _procedures(chosen: list[Statement], everything: list[Statement]) -> list[Statement]:
    """Return the short paragraphs that sentences were chosen of."""
    spots = {one.paragraph for one in chosen if one.kind == "sentence"}
    told = [one for one in everything if one.kind == "sentence" and one.paragraph in spots]
    length = Counter(one.paragraph for one in told)
    return [one for one in told if length[one.paragraph] <= LONGEST_PROCEDURE]


def _along(statement: Statement, by_spot: dict[tuple[int, int], Statement]) -> Iterable[tuple[int, int]]:
    """Yield the spots of what must be quoted with a statement."""
    places = (statement.verdict, statement.needs, statement.limit)
    yield from ((statement.number, place) for place in places if place != NOWHERE)
    following = by_spot.get((statement.number, statement.place + 1))
    if following and ((statement.introduces and following.listing is None) or statement.holds(following)):
        yield following.spot


def _wanted_listing(one: Statement, chosen: list[Statement], *, steps: bool) -> tuple[int, int] | None:
    if one.kind != "item":
        return None
    return one.listing if steps or _chosen_of(one, chosen) > 1 else None


def _introduced_listing(
    one: Statement, chosen: list[Statement], by_spot: dict[tuple[int, int], Statement]
) -> tuple[int, int] | None:
    """Return the list that a statement introduces, if nothing of it was chosen by itself."""
    following = by_spot.get((one.number, one.place + 1))
    if following is None or not one.introduces or _chosen_of(following, chosen):
        return None
    return following.listing


def _chosen_of(statement: Statement, chosen: list[Statement]) -> int:
    """Count the chosen items or rows of a statement's list or table."""
    return sum((other.listing, other.kind) == (statement.listing, statement.kind) for other in chosen)
