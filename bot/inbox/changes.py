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
    if target.is_removed:
        return False
    if change.kind == "removal":
        return True
    is_newer = target.changed_at is None or target.changed_at < Decimal(change.content["changed_at"])
    return is_newer and change.changed_turn != target.item.turn
