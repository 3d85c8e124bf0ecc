"""The offline mind's understanding, with the real embedding model, loaded once."""

from functools import cache

from bot.models.multilingual import load_embedding
from bot.models.offline.understander import OfflineUnderstander
from bot.models.offline.understanding import understood as rules
from bot.models.offline.understanding.message_kind import MessageKinds
from graph.context import Case
from graph.state import Understanding


@cache
def kinds() -> MessageKinds:
    """Return what tells kinds of messages apart."""
    return MessageKinds(load_embedding("english"))


def offline_understander() -> OfflineUnderstander:
    """Return the understander as the bot makes it."""
    return OfflineUnderstander(kinds())


def understood(case: Case) -> Understanding:
    """Return what a turn is."""
    return rules.understood(case, kinds())
