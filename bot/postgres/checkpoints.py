"""Checkpointers that read and write plain data only.

LangGraph's own serializer imports and calls what a stored value names, so somebody who can write a row of the database
could run a program in the bot. Our state is plain JSON; the only other object is LangGraph's `Interrupt`.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_KW_ARGS, JsonPlusSerializer
from langgraph.types import Interrupt
from psycopg.errors import DeadlockDetected, SerializationFailure

from bot.errors import ForeignCheckpointError
from bot.postgres.pool import Connection, Database
from graph.state import storable

Saver: TypeAlias = BaseCheckpointSaver[Any]

_READ: Final = frozenset({"null", "msgpack"})
_INTERRUPT: Final = (EXT_CONSTRUCTOR_KW_ARGS, "langgraph.types", "Interrupt")


class PlainSerializer(JsonPlusSerializer):
    """Reads plain data and interrupts. Raises `ForeignCheckpointError` for anything else, and runs nothing."""

    def __init__(self) -> None:
        # Our hook replaces the one that imports. No allow-list of a graph can widen it.
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


class KeptCheckpoints(BaseCheckpointSaver[str]):
    """Keeps the writes of one run in memory until they are stored, so that the run holds no connection.

    Each read borrows a connection. Kept writes are never read: a run reads at its start and writes at its end
    (`durability="exit"`).
    """

    def __init__(self, database: Database) -> None:
        super().__init__(serde=PlainSerializer())
        self._database = database
        self._checkpoints: list[tuple[RunnableConfig, Checkpoint, CheckpointMetadata, ChannelVersions]] = []
        self._writes: list[tuple[RunnableConfig, Sequence[tuple[str, Any]], str, str]] = []

    async def store(self, connection: Connection) -> None:
        """Write the kept checkpoints in the connection's transaction.

        Nobody reads the turn of a run that has ended: the next run brings its own, and the memory holds the answer.
        """
        saver, waits = saver_on(connection), bool(self._writes)
        for config, checkpoint, metadata, new_versions in self._checkpoints:
            kept = {name: value for name, value in checkpoint["channel_values"].items() if waits or name != "turn"}
            values = {name: _storable(name, value) for name, value in kept.items()}
            await saver.aput(config, {**checkpoint, "channel_values": values}, metadata, new_versions)
        for config, writes, task_id, task_path in self._writes:
            stored = [(channel, _storable(channel, value)) for channel, value in writes]
            await saver.aput_writes(config, stored, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a stored checkpoint."""
        async with self._database.connection() as connection:
            return await saver_on(connection).aget_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, and return its config."""
        self._checkpoints.append((config, checkpoint, metadata, new_versions))
        return RunnableConfig(configurable={**config.get("configurable", {}), "checkpoint_id": checkpoint["id"]})

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep the writes of a task."""
        self._writes.append((config, list(writes), task_id, task_path))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel, counted like the stored ones."""
        # It does not use the saver.
        return AsyncPostgresSaver.get_next_version(self, current, channel)  # pyright: ignore[reportArgumentType]


def _storable(channel: str, value: Any) -> Any:
    return storable(value) if channel == "turn" else value


async def keep_latest_checkpoints(database: Database, threads: Sequence[str]) -> None:
    """Delete the checkpoints of threads except the last one of each. Runs may go on there: what they store stays, too.

    LangGraph's query reads all checkpoints, so a thread would load more slowly with each turn. The latest is enough: it
    holds the memory. If two processes prune a thread at once, one of them may leave it to the other.
    """
    if not threads:
        return
    # LangGraph chooses the isolation of its transactions, so none may have begun, as it has behind a pooler.
    async with database.session() as connection:
        for thread_id in threads:
            with suppress(SerializationFailure, DeadlockDetected):
                await saver_on(connection).aprune([thread_id], strategy="keep_latest")
