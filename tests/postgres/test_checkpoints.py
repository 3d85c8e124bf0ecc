"""A checkpoint is data: reading it never runs anything."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import ormsgpack
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Interrupt, interrupt

from bot.errors import ForeignCheckpointError
from bot.postgres.checkpoints import KeptCheckpoints, PlainSerializer, keep_latest_checkpoints, saver_on
from bot.postgres.pool import Database

THREAD: Any = {"configurable": {"thread_id": "T0:C0:1.000001"}}


class Heard(TypedDict):
    """A state of plain data."""

    heard: list[str]


def listen(state: Heard) -> Heard:
    return {"heard": [*state["heard"], interrupt({"question": "Which one?"})]}


def graph() -> Any:
    builder = StateGraph(Heard)
    builder.add_node("listen", listen)
    builder.add_edge(START, "listen")
    builder.add_edge("listen", END)
    return builder.compile()


def extension(code: int, *held: object) -> Callable[[Path], tuple[str, bytes]]:
    def hostile(proof: Path) -> tuple[str, bytes]:
        named = [f"touch {proof}" if each == "TOUCH" else [str(proof)] if each == "PATH" else each for each in held]
        return "msgpack", ormsgpack.packb({"heard": ormsgpack.Ext(code, ormsgpack.packb(named))})

    return hostile


HOSTILE = {
    "a function with one argument": extension(0, "os", "system", "TOUCH"),
    "a function with several": extension(1, "os", "mkdir", "PATH"),
    "a function with named ones": extension(2, "subprocess", "check_output", {"args": ["true"]}),
    "a method": extension(3, "builtins", "str", "x", "upper"),
    "a model": extension(5, "os", "system", {"command": "true"}, "model_validate_json"),
    "what LangGraph holds for safe": extension(1, "re", "compile", ["(a*)*b"]),
    "a constructor in JSON": lambda _: ("json", b'{"lc": 2, "type": "constructor", "id": ["os", "getcwd"]}'),
    "a pickle": lambda _: ("pickle", b"cos\nsystem\n(S'true'\ntR."),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
async def test_a_hostile_blob_in_the_table_runs_nothing(
    database: Database, tmp_path: Path, hostile: Callable[[Path], tuple[str, bytes]]
) -> None:
    proof = tmp_path / "was-here"
    async with database.connection() as connection:
        run = graph().copy({"checkpointer": saver_on(connection)})
        await run.ainvoke({"heard": ["hello"]}, THREAD, durability="exit")
        await connection.execute(
            "UPDATE checkpoint_blobs SET type = %s, blob = %s WHERE type = 'msgpack'", hostile(proof)
        )

        with pytest.raises(ForeignCheckpointError):
            await run.aget_state(THREAD)

    assert not proof.exists()


async def test_a_run_that_waits_is_read_again_and_goes_on(database: Database) -> None:
    async with database.connection() as connection:
        await graph().copy({"checkpointer": saver_on(connection)}).ainvoke({"heard": ["a"]}, THREAD, durability="exit")
        again = graph().copy({"checkpointer": saver_on(connection)})
        (pending,) = (await again.aget_state(THREAD)).interrupts
        ended = await again.ainvoke(Command(resume={pending.id: "b"}), THREAD, durability="exit")

    assert pending.value == {"question": "Which one?"}
    assert ended["heard"] == ["a", "b"]


async def test_what_langgraphs_own_serializer_has_written_is_read(database: Database) -> None:
    async with database.connection() as connection:
        await graph().copy({"checkpointer": AsyncPostgresSaver(connection)}).ainvoke({"heard": ["a"]}, THREAD)
        (pending,) = (await graph().copy({"checkpointer": saver_on(connection)}).aget_state(THREAD)).interrupts

    assert pending.value == {"question": "Which one?"}


@pytest.mark.parametrize("value", [None, "a", 1.5, {"a": [1, None, True]}, [Interrupt(value={"q": "?"}, id="1")]])
def test_what_a_run_stores_comes_back(value: object) -> None:
    serializer = PlainSerializer()

    assert value == serializer.loads_typed(serializer.dumps_typed(value))


class Answering(TypedDict):
    """A state with the turn of our graph."""

    turn: dict[str, Any]


class Remembering(Answering, total=False):
    """A state with turn and memory."""

    memory: list[str]


async def test_what_may_not_be_stored_is_not_in_the_checkpoint_of_a_run_that_waits(database: Database) -> None:
    lists = ["found", "passages", "nearest", "results"]

    def find(state: Answering) -> Answering:
        assert not state["turn"]["passages"]
        found = [{"text": "of a document"}, {"text": "of a search", "transient": True}]
        return {"turn": dict.fromkeys(lists, found)}

    def ask(state: Answering) -> Answering:
        return interrupt({"question": f"Which of {len(state['turn'])}?"})

    builder = StateGraph(Answering)
    builder.add_node("find", find)
    builder.add_node("ask", ask)
    builder.add_edge(START, "find")
    builder.add_edge("find", "ask")
    kept = KeptCheckpoints(database)
    await builder.compile(checkpointer=kept).ainvoke({"turn": {"passages": []}}, THREAD, durability="exit")
    async with database.transaction() as connection:
        await kept.store(connection)

        waiting = await saver_on(connection).aget_tuple(THREAD)

    left = [{"text": "of a document"}]
    assert waiting
    assert dict.fromkeys(lists, left) == waiting.checkpoint["channel_values"]["turn"]


async def test_the_turn_of_a_run_that_has_ended_is_not_stored_and_the_next_one_starts_from_its_own(
    database: Database,
) -> None:
    read: list[Any] = []

    def answer(state: Remembering) -> Remembering:
        read.append(dict(state))
        return {"turn": {"answer": "30 days"}, "memory": [*state.get("memory", []), state["turn"]["question"]]}

    builder = StateGraph(Remembering)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    for question in ("first", "second"):
        kept = KeptCheckpoints(database)
        given = Remembering(turn={"question": question})
        await builder.compile(checkpointer=kept).ainvoke(given, THREAD, durability="exit")
        async with database.transaction() as connection:
            await kept.store(connection)

    assert [{"turn": {"question": "first"}}, {"turn": {"question": "second"}, "memory": ["first"]}] == read
    async with database.connection() as connection:
        stored = await saver_on(connection).aget(THREAD)
    assert stored
    assert stored["channel_values"] == {"memory": ["first", "second"]}


async def left_after_pruning(database: Database) -> list[str]:
    """Store three checkpoints in each of two threads, prune these, and return what is left."""
    query = """
        INSERT INTO checkpoints (workspace, thread_id, checkpoint_id, checkpoint)
        SELECT 'one', thread, number::text, '{"channel_versions": {}}'
        FROM unnest(ARRAY['a', 'b', 'c']) AS thread, generate_series(1, 3) AS number
    """
    async with database.connection() as connection:
        await connection.execute(query)
    await keep_latest_checkpoints(database, ["a", "b"])
    async with database.connection() as connection:
        cursor = await connection.execute("SELECT thread_id || checkpoint_id AS left FROM checkpoints ORDER BY 1")
        return [row["left"] for row in await cursor.fetchall()]


@pytest.mark.parametrize("is_pooled", [False, True])
async def test_only_the_latest_checkpoint_of_the_threads_stays(app_url: str, *, is_pooled: bool) -> None:
    pooler = app_url if is_pooled else None
    async with Database.open(app_url, size=2, workspace="one", pooler=pooler) as database:
        assert ["a3", "b3", "c1", "c2", "c3"] == await left_after_pruning(database)
