"""Merges messages that one person wrote during a run into one turn (pure)."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import takewhile

from bot.conversation.items import Item


def burst(item: Item, behind: Sequence[Item]) -> list[Item]:
    """Return the items directly after a turn that are of the same person, in the same kind of conversation."""

    def belongs(other: Item) -> bool:
        same_person = other.kind == "turn" and other.address.person == item.address.person
        was_clicked = same_person and (item.turn.was_clicked or other.turn.was_clicked)
        return same_person and not was_clicked and other.turn.addressed == item.turn.addressed

    return list(takewhile(belongs, behind))


def joined(item: Item, others: Sequence[Item]) -> Item:
    """Return a turn's item with the text of the others below its own."""
    turns = [item.turn, *(other.turn for other in others)]
    whole = replace(
        item.turn,
        question="\n".join(turn.question for turn in turns),
        mentions_others=any(turn.mentions_others for turn in turns),
        unread=tuple(name for turn in turns for name in turn.unread),
    )
    return replace(item, content=asdict(whole))
