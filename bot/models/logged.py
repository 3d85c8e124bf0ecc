"""What was understood of each message, for the log: the route and how sure it is, never what was said."""

import structlog

from graph.context import Case, Understander
from graph.state import Understanding


class LoggedUnderstander:
    """An understander whose decisions can be read in the log."""

    def __init__(self, understander: Understander) -> None:
        self._understander = understander

    async def understand(self, case: Case) -> Understanding:
        """Pass on what the understander says; raise `ModelError` where it does."""
        understanding = await self._understander.understand(case)
        log = structlog.get_logger()
        log.info("message_understood", route=understanding["route"], confidence=understanding["confidence"])
        # A model may quote the message in its reason, against what it was told.
        log.debug("message_understood_why", route=understanding["route"], reason=understanding["reason"])
        return understanding
