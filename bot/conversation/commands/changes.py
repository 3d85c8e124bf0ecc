"""Whether an edit or a deletion still matters when its turn comes (pure)."""

from dataclasses import dataclass
from decimal import Decimal

from bot.conversation.items import Item


@dataclass(frozen=True, kw_only=True)
class Target:
    """The message that a change is about, as the inbox knows it."""

    item: Item
    is_removed: bool
    joined_to: int | None
    """The turn that it is part of."""
    changed_at: Decimal | None
    """When it was last edited or deleted, as Slack counts."""


def matters(change: Item, target: Target) -> bool:
    """Tell whether a change still comes into force: no older one, and none that leaves the message as it is.

    A message that was edited until it said nothing is removed like one that was deleted; but it may be edited again.
    """
    leaves_all = target.is_removed if change.kind == "removal" else change.changed_turn == target.item.turn
    return is_newer(change, target) and not leaves_all


def is_newer(change: Item, target: Target) -> bool:
    """Tell whether a change was made after the last one that came into force."""
    return target.changed_at is None or target.changed_at < Decimal(change.content["changed_at"])
