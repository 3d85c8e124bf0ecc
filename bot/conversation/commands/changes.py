"""Whether an edit or a deletion still counts when it is applied (pure)."""

from decimal import Decimal

from bot.conversation.items import Item


def matters(change: Item, target: Item) -> bool:
    """Tell whether a change still counts: it is the newest, and it changes the text.

    A message that was edited to nothing is removed like a deleted one, but may be edited again.
    """
    leaves_all = target.is_removed if change.kind == "removal" else change.changed_turn == target.turn
    return is_newer(change, target) and not leaves_all


def is_newer(change: Item, target: Item) -> bool:
    """Tell whether a change is newer than the last applied one."""
    return target.changed_at is None or target.changed_at < Decimal(change.content["changed_at"])
