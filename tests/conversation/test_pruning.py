"""A thread that is never quiet does not fill with old checkpoints."""

from typing import TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from bot.conversation.intake import Intake
from bot.conversation.items import ClaimedItem
from bot.conversation.workers import claim_store
from bot.conversation.workers.claim_store import MOST_CHECKPOINTS
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.postgres.checkpoints import KeptCheckpoints, saver_on
from bot.postgres.pool import Database
from tests.conversation.claiming import dead_process
from tests.conversation.test_intake import message
from tests.conversation.test_scheduled_jobs import jobs_of
from tests.support.fakes import TurnedClock

THREAD = RunnableConfig(configurable={"thread_id": "T0:C0:1.000001"})
PRUNED_AT = MOST_CHECKPOINTS + 4
TURNS = PRUNED_AT + 3


class Heard(TypedDict):
    """The memory of a thread."""

    heard: list[str]


def listen(state: Heard) -> dict[str, list[str]]:
    return {"heard": state["heard"][-1:]}


class Remembering:
    """A handler whose runs each leave a checkpoint, like those of the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database
        graph = StateGraph(Heard)
        graph.add_node("listen", listen)
        graph.add_edge(START, "listen")
        graph.add_edge("listen", END)
        self._graph = graph.compile()

    async def handle(self, claim: ClaimedItem) -> None:
        kept = KeptCheckpoints(self._database)
        run = self._graph.copy({"checkpointer": kept})
        await run.ainvoke({"heard": [claim.item.turn.question]}, THREAD, durability="exit")
        async with self._database.transaction() as connection:
            await kept.store(connection)
            await claim_store.end(connection, claim, now=TurnedClock().now())

    async def give_up(self, claim: ClaimedItem) -> bool:
        return False


def worker(database: Database) -> Worker:
    one = Worker(
        database,
        Remembering(database),
        TurnedClock(),
        surface="slack",
        limits=WorkerLimits(slots=1, ceiling_seconds=30),
    )
    one.life.begin(dead_process())
    return one


async def checkpoints(database: Database) -> int:
    async with database.connection() as connection:
        cursor = await connection.execute("SELECT checkpoint_id FROM checkpoints")
        return len(await cursor.fetchall())


async def test_a_thread_of_many_turns_keeps_few_checkpoints_and_the_last_of_them(
    database: Database, intake: Intake
) -> None:
    ours = worker(database)
    for number in range(1, TURNS + 1):
        await intake.receive(message(f"question {number}", ts=f"1.{number:06}", root="1.000001"))
        assert await ours.work_one()
        if number % 4 == 0:
            await jobs_of(database, TurnedClock()).prune()

    assert await checkpoints(database) == 1 + TURNS - PRUNED_AT
    async with database.connection() as connection:
        latest = await saver_on(connection).aget(THREAD)
    assert latest
    assert latest["channel_values"]["heard"] == [f"question {TURNS}"]
