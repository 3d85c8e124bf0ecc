"""Understanding without a language model, off the event loop, because it computes."""

import asyncio

from bot.models.offline.understanding.message_kind import MessageKinds
from bot.models.offline.understanding.spelling import Spelling
from bot.models.offline.understanding.understood import understood
from graph.context import Case
from graph.state import Understanding


class OfflineUnderstander:
    """An `Understander` without a language model: rules, and examples that an embedding model compares."""

    def __init__(self, kinds: MessageKinds, spelling: Spelling) -> None:
        self._kinds = kinds
        self._spelling = spelling

    async def understand(self, case: Case) -> Understanding:
        """Decide by rules and likeness; never fails."""
        return await asyncio.to_thread(self._understood, case)

    def _understood(self, case: Case) -> Understanding:
        question = self._spelling.corrected(case["question"], case["passages"])
        return understood({**case, "question": question}, self._kinds)
