"""Logs how each message was understood: the route and the confidence, never the text."""

import structlog

from graph.context import Case, Understander
from graph.state import Understanding


class LoggedUnderstander:
    """An understander that logs its decisions."""

    def __init__(self, understander: Understander) -> None:
        self._understander = understander

    async def understand(self, case: Case) -> Understanding:
        """Return the understanding of the inner understander. Raises its `ModelError`."""
        understanding = await self._understander.understand(case)
        log = structlog.get_logger()
        log.info("message_understood", route=understanding["route"], confidence=understanding["confidence"])
        # The reason is logged at debug level only: a model may quote the message in it, although it must not.
        log.debug("message_understood_why", route=understanding["route"], reason=understanding["reason"])
        return understanding
