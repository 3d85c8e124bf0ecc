"""Whether an edit or a deletion still matters when its turn comes (pure)."""

from decimal import Decimal

from bot.conversation.items import Item


def matters(change: Item, target: Item) -> bool:
    """Tell whether a change still comes into force: no older one, and none that leaves the message as it is.

    A message that was edited until it said nothing is removed like one that was deleted; but it may be edited again.
    """
    leaves_all = target.is_removed if change.kind == "removal" else change.changed_turn == target.turn
    return is_newer(change, target) and not leaves_all


def is_newer(change: Item, target: Item) -> bool:
    """Tell whether a change was made after the last one that came into force."""
    return target.changed_at is None or target.changed_at < Decimal(change.content["changed_at"])
