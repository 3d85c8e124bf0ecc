"""A claim: one item of a thread that one process runs, while nobody else runs anything there (pure)."""

from dataclasses import dataclass

from bot.conversation.items import Item
from bot.conversation.turns.retry import Attempt


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a process runs; it holds no connection meanwhile."""

    item: Item
    thread_id: str
    """The thread that it keeps others off; the item may be moved to another one."""
    process: int
    """Who runs it, by the number of its life."""
    is_takeover: bool
    """Whether the process that ran it before has died, or lost its session and may not have noticed yet."""
    is_suspect: bool
    """Whether runs of it have ended without a word again and again, as if they took their process with them."""
    attempt: Attempt
