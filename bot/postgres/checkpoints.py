"""Makes the checkpointer, so that each reads and writes plain data only.

LangGraph's own serializer imports and calls what a stored value names: whoever can write a row of the database could
run a program in the bot. Our state is plain JSON; the one object beside it is LangGraph's own `Interrupt`.
"""

from typing import Any, Final

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_KW_ARGS, JsonPlusSerializer
from langgraph.types import Interrupt

from bot.errors import ForeignCheckpointError
from bot.postgres.pool import Connection

_READ: Final = frozenset({"null", "msgpack"})
_INTERRUPT: Final = (EXT_CONSTRUCTOR_KW_ARGS, "langgraph.types", "Interrupt")


class PlainSerializer(JsonPlusSerializer):
    """Reads plain data and interrupts; raises `ForeignCheckpointError` for anything else, and runs nothing."""

    def __init__(self) -> None:
        # A hook of ours takes the place of the one that imports; no allow-list of a graph can widen it.
        super().__init__(allowed_msgpack_modules=None, __unpack_ext_hook__=self._interrupt)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return a value that `dumps_typed` has written."""
        if data[0] not in _READ:
            raise ForeignCheckpointError
        try:
            return super().loads_typed(data)
        except ValueError as error:
            raise ForeignCheckpointError from error

    def _interrupt(self, code: int, data: bytes) -> Interrupt:
        module, name, fields = self.loads_typed(("msgpack", data))
        if (code, module, name) != _INTERRUPT:
            raise ForeignCheckpointError
        return Interrupt(**fields)


def saver_on(connection: Connection) -> AsyncPostgresSaver:
    """Return a checkpointer that writes through a connection, in its transaction."""
    return AsyncPostgresSaver(connection, serde=PlainSerializer())


async def keep_latest_checkpoint(connection: Connection, thread_id: str) -> None:
    """Delete the checkpoints of a thread, but for the last one."""
    await saver_on(connection).aprune([thread_id], strategy="keep_latest")
