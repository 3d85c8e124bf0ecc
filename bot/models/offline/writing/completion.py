"""What must be quoted along with a statement so that it can be understood (pure)."""

from dataclasses import dataclass

from bot.models.offline.writing.statements import Statement

LONGEST_LIST = 8


@dataclass(frozen=True, kw_only=True)
class Quotation:
    """A statement that bears on the question, and how much."""

    statement: Statement
    score: float


def completed(chosen: list[Quotation], ranked: list[Quotation], *, steps: bool) -> list[Quotation]:
    """Add the sentence that a chosen one leans on, and the list that it introduces or belongs to.

    A list is wanted whole if several of its items were chosen, or one where `steps` were asked for.
    """
    by_spot = {one.statement.spot: one for one in ranked}
    leant_on = [by_spot.get(_before(one.statement)) for one in chosen if one.statement.leans]
    listings = {_wanted_listing(one, chosen, steps=steps) or _introduced(one, by_spot) for one in chosen} - {None}
    listed = [one for one in ranked if one.statement.listing in listings][:LONGEST_LIST]
    together = [*chosen, *(one for one in leant_on if one), *listed]
    return list({one.statement.spot: one for one in together}.values())


def _before(statement: Statement) -> tuple[int, int]:
    return statement.number, statement.place - 1


def _wanted_listing(one: Quotation, chosen: list[Quotation], *, steps: bool) -> tuple[int, int] | None:
    if one.statement.kind != "item":
        return None
    same = sum(other.statement.listing == one.statement.listing for other in chosen)
    return one.statement.listing if same > 1 or (steps and one == chosen[0]) else None


def _introduced(one: Quotation, by_spot: dict[tuple[int, int], Quotation]) -> tuple[int, int] | None:
    following = by_spot.get((one.statement.number, one.statement.place + 1))
    return following.statement.listing if following and one.statement.text.endswith(":") else None
