"""The offline understander with the real embedding model, loaded once."""

from functools import cache

from bot.models.choice import load_embedding
from bot.models.offline.understander import OfflineUnderstander
from bot.models.offline.understanding import understood as rules
from bot.models.offline.understanding.message_kind import MessageKinds
from bot.models.offline.understanding.spelling import Spelling
from graph.context import Case
from graph.state import Understanding


@cache
def kinds() -> MessageKinds:
    """Return the classifier of message kinds."""
    return MessageKinds(load_embedding("english"))


@cache
def spelling() -> Spelling:
    """Return what corrects misspelt questions."""
    return Spelling(load_embedding("english").vocabulary)


def offline_understander() -> OfflineUnderstander:
    """Return the understander as the bot creates it."""
    return OfflineUnderstander(kinds(), spelling())


def understood(case: Case) -> Understanding:
    """Return the understanding of a case."""
    return rules.understood(case, kinds())
