"""What must be quoted along with a statement so that it can be understood, and is not half of the truth (pure)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bot.models.offline.writing.statements import NOWHERE, Statement

LONGEST_LIST = 8
LONGEST_PROCEDURE = 6
"""Sentences of a paragraph that tells how something is done: of a longer one, only those that were chosen."""
DEEPEST = 2
"""Statements brought along for one another: what a sentence leans on, and what that leans on."""


@dataclass(frozen=True, kw_only=True)
class Quotation:
    """A statement that bears on the question, and how much."""

    statement: Statement
    score: float


def completed(chosen: list[Quotation], everything: list[Quotation], *, steps: bool) -> list[Quotation]:
    """Add what the chosen ones need and what limits them, and the list that one introduces or belongs to.

    A list is wanted whole if several of its items were chosen, or one where `steps` were asked for. Then so is the
    paragraph of a sentence: a sentence out of the middle does not tell how something is done.
    """
    by_spot = {one.statement.spot: one for one in everything}
    listings = {
        _wanted_listing(one, chosen, steps=steps) or _introduced_listing(one, chosen, by_spot) for one in chosen
    }
    listed = [one for one in everything if one.statement.listing in listings - {None}]
    told = _procedures(chosen, everything) if steps else []
    together = [*chosen, *_first_of_each(listed), *told]
    for _ in range(DEEPEST):
        along = [by_spot[spot] for one in together for spot in _along(one.statement, by_spot) if spot in by_spot]
        together = [*together, *along]
    return list({one.statement.spot: one for one in together}.values())


def _first_of_each(listed: list[Quotation]) -> list[Quotation]:
    """Return the first items of each list."""
    places: dict[tuple[int, int] | None, list[int]] = {}
    for one in listed:
        places.setdefault(one.statement.listing, []).append(one.statement.place)
    kept = {listing: set(sorted(own)[:LONGEST_LIST]) for listing, own in places.items()}
    return [one for one in listed if one.statement.place in kept[one.statement.listing]]


def _procedures(chosen: list[Quotation], everything: list[Quotation]) -> list[Quotation]:
    """Return the short paragraphs that sentences were chosen of."""
    spots = {one.statement.paragraph for one in chosen if one.statement.kind == "sentence"}
    told = [one for one in everything if one.statement.kind == "sentence" and one.statement.paragraph in spots]
    length = Counter(one.statement.paragraph for one in told)
    return [one for one in told if length[one.statement.paragraph] <= LONGEST_PROCEDURE]


def _along(statement: Statement, by_spot: dict[tuple[int, int], Quotation]) -> Iterable[tuple[int, int]]:
    """Yield where that stands which must be quoted with a statement."""
    places = (statement.verdict, statement.needs, statement.limit)
    yield from ((statement.number, place) for place in places if place != NOWHERE)
    following = by_spot.get((statement.number, statement.place + 1))
    if statement.introduces and following and following.statement.listing is None:
        yield following.statement.spot


def _wanted_listing(one: Quotation, chosen: list[Quotation], *, steps: bool) -> tuple[int, int] | None:
    if one.statement.kind != "item":
        return None
    return one.statement.listing if steps or _chosen_of(one.statement, chosen) > 1 else None


def _introduced_listing(
    one: Quotation, chosen: list[Quotation], by_spot: dict[tuple[int, int], Quotation]
) -> tuple[int, int] | None:
    """Return the list that a statement introduces, if nothing of it was chosen by itself."""
    following = by_spot.get((one.statement.number, one.statement.place + 1))
    if following is None or not one.statement.introduces or _chosen_of(following.statement, chosen):
        return None
    return following.statement.listing


def _chosen_of(statement: Statement, chosen: list[Quotation]) -> int:
    """Count the chosen ones of a statement's list or table."""
    return sum(other.statement.listing == statement.listing for other in chosen)
