"""Understanding without a language model, off the loop, for it computes."""

import asyncio

from bot.models.offline.understanding.message_kind import MessageKinds
from bot.models.offline.understanding.understood import understood
from graph.context import Case
from graph.state import Understanding


class OfflineUnderstander:
    """An `Understander` without a language model: rules, and examples that an embedding model compares."""

    def __init__(self, kinds: MessageKinds) -> None:
        self._kinds = kinds

    async def understand(self, case: Case) -> Understanding:
        """Decide by rules and likeness; never fails."""
        return await asyncio.to_thread(understood, case, self._kinds)
