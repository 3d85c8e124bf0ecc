"""Whether an edit or a deletion still matters when its turn comes (pure)."""

from dataclasses import dataclass
from decimal import Decimal

from bot.inbox.items import Item


@dataclass(frozen=True, kw_only=True)
class Target:
    """The message that a change is about, as the inbox knows it."""

    item: Item
    is_removed: bool
    joined_to: int | None
    """The turn that it is part of."""
    changed_at: Decimal | None
    """When its text was last changed, as Slack counts."""


def matters(change: Item, target: Target) -> bool:
    """Tell whether a change still comes into force: no older one, none of a message that is gone, none of nothing."""
    if change.kind == "removal":
        return not target.is_removed
    return is_newer(change, target) and change.changed_turn != target.item.turn


def is_newer(change: Item, target: Target) -> bool:
    """Tell whether an edit was made after the last one that came into force, of a message that is still there."""
    last = target.changed_at
    return not target.is_removed and (last is None or last < Decimal(change.content["changed_at"]))
