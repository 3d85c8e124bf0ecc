"""The reading that an answer stands on, where people are told: it was assumed as last time, or changed."""

from bot.conversation import store
from bot.conversation.asks import ask_store
from bot.conversation.asks.card import card_of
from bot.conversation.asks.clarifications import Clarification, changeable
from bot.conversation.items import Item
from bot.conversation.message_kinds import AssumptionBanner
from bot.conversation.policy import Policy
from bot.postgres.pool import Connection


async def standing_of(connection: Connection, item_id: int, rules: Policy) -> AssumptionBanner | None:
    """Return what an item's answer stands on, for whoever shows it anew; None where there is nothing to tell."""
    item = await store.item_by_id(connection, item_id)
    if item.kind == "revision":
        asked = await ask_store.by_id(connection, Clarification, item.ask_id)
        has_card = asked is not None and await card_of(connection, asked) is not None
        return revised(item, asked, rules, has_card=has_card) if asked else None
    asked = await ask_store.last_of(connection, Clarification, item_id)
    return assumed(asked, rules) if asked and asked.status == "offered" else None


def assumed(asked: Clarification, rules: Policy) -> AssumptionBanner:
    """Return what is told of a reading that nobody was asked about: people may choose another below the answer."""
    label = asked.choice.label if asked.choice else ""
    return AssumptionBanner(label=label, changeable=changeable(asked, label, rules, has_card=False))


def revised(item: Item, asked: Clarification, rules: Policy, *, has_card: bool) -> AssumptionBanner:
    """Return what is told of a changed choice; where there is a card, it has the menu."""
    label = item.choice.label
    menu = None if has_card else changeable(asked, label, rules, has_card=False)
    return AssumptionBanner(label=label, instead_of=item.content["instead_of"], by=item.address.person, changeable=menu)
